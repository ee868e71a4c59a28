// The epsilon-net: outcomes of a system into a net, by system.
#include <benchmark/benchmark.h>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

void net(benchmark::State& state, const System& system) {
  const ImpactProblem problem = build(system);
  SamplingOptions options = system.sampling;
  options.trajectories = 1 << 14;
  options.backend = Backend::cpu;
  const SampleSet samples = sample(problem, options);
  std::size_t size = 0;
  for (auto _ : state) {
    EpsilonNet net(problem.velocities(), options.epsilon);
    net.add(samples);
    size = net.size();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(options.trajectories));
  state.counters["net size"] = static_cast<double>(size);
}

}  // namespace

void register_all() {
  for (const System& system : systems()) {
    benchmark::RegisterBenchmark(("net/" + system.name).c_str(), net, system)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
