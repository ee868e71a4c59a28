// The same trajectories through each instruction set that this processor has: the same bits, other
// speeds.
#include <benchmark/benchmark.h>

#include "bench/bench_problems.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"
#include "tests/support/flat_plan.hpp"

namespace carom::bench {
namespace {

void instruction_set(benchmark::State& state, const System& system, const ItemRunner* runner) {
  const ImpactProblem problem = build(system);
  SamplingOptions options = system.sampling;
  options.backend = Backend::cpu;
  options.trajectories = 4096;
  SampleSet samples = sample(problem, options);
  double lcps = 0.0;
  for (const std::uint32_t count : samples.lcp_count) lcps += count;
  const std::uint64_t expected = checksum(samples);
  const test::FlatPlan flat(problem, options);
  for (auto _ : state) {
    runner->items(flat.plan(), 0, samples.size(), view_of(samples));
    benchmark::ClobberMemory();
  }
  if (checksum(samples) != expected) state.SkipWithError("other bits");
  state.counters["ns/LCP"] = benchmark::Counter(
      lcps * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

void register_all() {
  for (const System& system : set_valued_systems()) {
    std::size_t rank = 0;  // 0: the best, which the sampler takes
    for (const ItemRunner* runner : item_runners()) {
      const std::string name = "instruction_set/" + system.name + "/" + std::to_string(rank++);
      benchmark::RegisterBenchmark(name.c_str(), instruction_set, system, runner)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
