#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "carom/carom.hpp"
#include "host/problem/step_lcp.hpp"

namespace carom::bench {

/// The built-in systems of Halm & Posa: those of which the set-valued law is their own. Their steps
/// take Lemke's solution, not the default, unless a benchmark names others.
inline std::vector<System> set_valued_systems() {
  std::vector<System> found = systems();
  std::erase_if(found, [](const System& system) {
    return !std::holds_alternative<law::SetValued>(system.sampling.law);
  });
  for (System& system : found) system.sampling.set_valued().solutions = Solutions::first;
  return found;
}

/// A built-in system with the paper's parameters.
inline ImpactProblem build(const System& system) {
  std::map<std::string, double> parameters;
  for (const SystemParameter& parameter : system.parameters) {
    parameters[parameter.name] = parameter.value;
  }
  return validated(system.build(parameters));
}

/// A number of threads as names of benchmarks have it: 0 is all.
inline std::string threads_name(int threads) {
  return "threads:" + (threads == 0 ? std::string("all") : std::to_string(threads));
}

/// A status that is neither an outcome nor the step limit's.
inline bool is_failure(Status status) {
  return status != Status::separated && status != Status::step_limit;
}

/// Counters of a benchmark that samples these rows once per iteration.
inline void count_rows(benchmark::State& state, const SampleSet& samples) {
  using benchmark::Counter;
  double lcps = 0.0;
  double pivots = 0.0;
  double solves = 0.0;  // the final steps, too
  double hits = 0.0;
  double failures = 0.0;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    lcps += samples.lcp_count[row];
    pivots += samples.pivot_count[row];
    solves += samples.lcp_count[row] + samples.final_step[row];
    hits += samples.table_count[row];
    failures += is_failure(samples.status[row]) ? 1.0 : 0.0;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(samples.size()));
  state.counters["LCP/s"] = Counter(lcps, Counter::kIsIterationInvariantRate);
  state.counters["ns/LCP"] =
      Counter(lcps * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["pivots/LCP"] = lcps > 0.0 ? pivots / lcps : 0.0;
  state.counters["hit_rate"] = solves > 0.0 ? hits / solves : 0.0;
  state.counters["failures"] = failures;
}

/// What every benchmark's main does.
inline int run(int argc, char** argv, void (*register_all)()) {
  benchmark::Initialize(&argc, argv);
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace carom::bench
