// Motion in time, on one core: microseconds per step and rollout.
#include <benchmark/benchmark.h>

#include "bench/bench_problems.hpp"
#include "carom/roll.hpp"

namespace carom::bench {
namespace {

void steps(benchmark::State& state, const RigidWorld& world, double duration) {
  constexpr std::uint64_t rollouts = 16;
  SamplingOptions sampling;
  sampling.threads = 1;
  RollOptions options;
  options.rollouts = rollouts;
  options.duration = duration;
  options.times = {duration};
  options.step = 1e-3;
  std::uint64_t impacts = 0;
  for (auto _ : state) {
    const Rollouts found = roll(world, sampling, options);
    impacts = 0;
    for (const std::uint32_t count : found.impacts) impacts += count;
  }
  using benchmark::Counter;
  const double count = static_cast<double>(rollouts) * duration / options.step;
  state.counters["impacts"] = static_cast<double>(impacts) / rollouts;
  state.counters["us/step"] =
      Counter(count * 1e-6, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

/// The paper's block rocks from 1 rad/s: one contact holds, from impact to impact.
PlanarWorld rocking() {
  auto world = std::get<PlanarWorld>(world_of(load_scenario("rocking_block")));
  world.bodies[0].velocity = {-1.0, 0.5, 1.0};
  return world;
}

/// The same slides on both corners.
PlanarWorld sliding() {
  PlanarWorld world = rocking();
  world.friction = 0.1;
  world.floors[0].friction = 0.1;
  world.bodies[0].velocity = {5.0, 0.0, 0.0};
  return world;
}

}  // namespace

void register_all() {
  benchmark::RegisterBenchmark("roll/block_rocks", steps, rocking(), 2.0);
  benchmark::RegisterBenchmark("roll/block_slides", steps, sliding(), 2.0);
  PlanarWorld flying = rocking();
  flying.bodies[0].position.y() = 30.0;
  benchmark::RegisterBenchmark("roll/block_flies", steps, flying, 2.0);
  benchmark::RegisterBenchmark(
      "roll/falling_boxes", steps,
      world_of(load_scenario(CAROM_SOURCE_DIR "/scenarios/falling_boxes.toml")), 1.5);
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
