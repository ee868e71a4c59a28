// One hold-out test of a certificate: fresh trajectories against a net that they have not seen, for
// a system whose net is small and one whose net is large.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

constexpr std::uint64_t net_trajectories = 1 << 14;
constexpr double confidence = 0.99;

void certificate(benchmark::State& state, const System& system, Backend backend, int threads) {
  const ImpactProblem problem = build(system);
  SamplingOptions options = system.sampling;
  options.trajectories = net_trajectories;
  options.backend = backend;
  options.threads = threads;
  const PostImpactSet set = post_impact_set(problem, options);
  const auto trials = static_cast<std::uint64_t>(state.range(0));
  HoldOut test;
  for (auto _ : state) {
    test =
        hold_out(problem, options, set.net, net_trajectories, net_trajectories, trials, confidence);
  }
  state.counters["samples/s"] = benchmark::Counter(static_cast<double>(trials),
                                                   benchmark::Counter::kIsIterationInvariantRate);
  state.counters["net size"] = static_cast<double>(set.net.size());
  state.counters["misses"] = static_cast<double>(test.misses);
  // Without an outcome: here the step limit counts, too.
  state.counters["no outcome"] = static_cast<double>(test.failures);
}

}  // namespace

void register_all() {
  for (const char* name : {"rocking_block", "disk_stack"}) {
    const auto system = std::find_if(systems().begin(), systems().end(),
                                     [&](const System& each) { return each.name == name; });
    for (const int threads : {1, 0}) {
      benchmark::RegisterBenchmark(
          ("certificate/" + system->name + "/" + threads_name(threads)).c_str(), certificate,
          *system, Backend::cpu, threads)
          ->ArgName("trials")
          ->Arg(1 << 16)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
    if (cuda_device_count() == 0) continue;
    benchmark::RegisterBenchmark(("certificate/" + system->name + "/cuda").c_str(), certificate,
                                 *system, Backend::cuda, 0)
        ->ArgName("trials")
        ->Arg(1 << 16)
        ->Arg(1 << 22)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
