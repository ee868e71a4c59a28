// What a run counts beside sampling: summary (with the checksum) and contact modes, by system.
#include <benchmark/benchmark.h>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

SampleSet samples_of(const System& system, const ImpactProblem& problem) {
  SamplingOptions options = system.sampling;
  options.trajectories = 1 << 16;
  options.backend = Backend::cpu;
  return sample(problem, options);
}

void summary(benchmark::State& state, const System& system) {
  const ImpactProblem problem = build(system);
  const SampleSet samples = samples_of(system, problem);
  for (auto _ : state) {
    Summary counted;
    counted.add(problem, samples);
    benchmark::DoNotOptimize(counted.energy_sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(samples.size()));
}

void modes(benchmark::State& state, const System& system) {
  const ImpactProblem problem = build(system);
  const SampleSet samples = samples_of(system, problem);
  std::size_t size = 0;
  for (auto _ : state) {
    OutcomeModes counted(problem);
    counted.add(samples);
    size = counted.table().size();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(samples.size()));
  state.counters["modes"] = static_cast<double>(size);
}

}  // namespace

void register_all() {
  for (const System& system : set_valued_systems()) {
    const auto add = [&](const char* name, void (*bench)(benchmark::State&, const System&)) {
      benchmark::RegisterBenchmark((name + system.name).c_str(), bench, system)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    add("summary/", summary);
    add("modes/", modes);
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
