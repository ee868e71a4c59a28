// The sampler: whole trajectories into buffers, by system, backend and threads.
#include <benchmark/benchmark.h>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

void sampler(benchmark::State& state, const System& system, Backend backend, int threads,
             Solutions solutions = Solutions::first) {
  const ImpactProblem problem = build(system);
  SamplingOptions options = system.sampling;
  options.trajectories = static_cast<std::uint64_t>(state.range(0));
  options.backend = backend;
  options.threads = threads;
  options.solutions = solutions;
  const Sampler sampler(std::span(&problem, 1), options);
  SampleSet samples;
  double lcps = 0.0;
  double pivots = 0.0;
  double failures = 0.0;
  double solves = 0.0;  // the final steps, too
  double hits = 0.0;
  for (auto _ : state) {
    sampler.sample(0, options.trajectories, samples);
    benchmark::ClobberMemory();
  }
  for (std::size_t row = 0; row < samples.size(); ++row) {
    lcps += samples.lcp_count[row];
    pivots += samples.pivot_count[row];
    solves += samples.lcp_count[row] + samples.final_step[row];
    hits += samples.table_count[row];
    failures +=
        samples.status[row] != Status::separated && samples.status[row] != Status::step_limit;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["LCP/s"] = benchmark::Counter(lcps, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["pivots/LCP"] = pivots / lcps;
  state.counters["hit_rate"] = solves > 0.0 ? hits / solves : 0.0;
  state.counters["failures"] = failures;
}

}  // namespace

void register_all() {
  for (const System& system : systems()) {
    for (const int threads : {1, 0}) {
      benchmark::RegisterBenchmark(
          ("sampler/" + system.name + "/cpu/threads:" + (threads == 0 ? "all" : "1")).c_str(),
          sampler, system, Backend::cpu, threads, Solutions::first)
          ->Arg(1 << 14)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
    for (const Solutions solutions : {Solutions::cover, Solutions::all, Solutions::table}) {
      benchmark::RegisterBenchmark(
          ("sampler/" + system.name + "/cpu/threads:1/solutions:" + solutions_name(solutions))
              .c_str(),
          sampler, system, Backend::cpu, 1, solutions)
          ->Arg(1 << 12)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
    if (cuda_device_count() == 0) continue;
    benchmark::RegisterBenchmark(("sampler/" + system.name + "/cuda").c_str(), sampler, system,
                                 Backend::cuda, 0, Solutions::first)
        ->RangeMultiplier(16)
        ->Range(1 << 10, 1 << 22)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
