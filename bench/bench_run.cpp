// A run without its files: sampling, net, summary and contact modes, by system, backend, threads
// and number of trajectories.
#include <benchmark/benchmark.h>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

void run_system(benchmark::State& state, const System& system, Backend backend, int threads) {
  const ImpactProblem problem = build(system);
  SamplingOptions options = system.sampling;
  options.trajectories = static_cast<std::uint64_t>(state.range(0));
  options.backend = backend;
  options.threads = threads;
  std::size_t size = 0;
  Summary summary;
  for (auto _ : state) {
    PostImpactSet set = post_impact_set(problem, options);
    size = set.net.size();
    summary = std::move(set.summary);
  }
  std::uint64_t failures = 0;
  for (int status = 0; status < status_count; ++status) {
    if (is_failure(static_cast<Status>(status))) {
      failures += summary.status_counts[static_cast<std::size_t>(status)];
    }
  }
  state.counters["samples/s"] = benchmark::Counter(static_cast<double>(options.trajectories),
                                                   benchmark::Counter::kIsIterationInvariantRate);
  state.counters["net size"] = static_cast<double>(size);
  state.counters["failures"] = static_cast<double>(failures);
}

}  // namespace

void register_all() {
  for (const System& system : set_valued_systems()) {
    for (const int threads : {1, 0}) {
      benchmark::RegisterBenchmark(("run/" + system.name + "/" + threads_name(threads)).c_str(),
                                   run_system, system, Backend::cpu, threads)
          ->ArgName("M")
          ->Arg(1 << 14)
          ->Arg(1 << 18)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
    if (cuda_device_count() == 0) continue;
    auto* made = benchmark::RegisterBenchmark(("run/" + system.name + "/cuda").c_str(), run_system,
                                              system, Backend::cuda, 0);
    made->ArgName("M")->Unit(benchmark::kMillisecond)->UseRealTime();
    const int most =
        build(system).contacts() == 2 ? 30 : 24;  // powers of two; seconds, if it goes well
    for (const int power : {10, 14, 18, 20, 24, 28, 30}) {
      if (power <= most) made->Arg(std::int64_t{1} << power);
    }
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
