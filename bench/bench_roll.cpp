// Motion in time, on one core or one device: microseconds per step and rollout.
#include <benchmark/benchmark.h>

#include "bench/bench_problems.hpp"
#include "carom/roll.hpp"

namespace carom::bench {
namespace {

void steps(benchmark::State& state, const RigidWorld& world, double duration, Backend backend) {
  const std::uint64_t rollouts = backend == Backend::cpu ? 16 : 16384;
  SamplingOptions sampling;
  sampling.backend = backend;
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
  const double count = static_cast<double>(rollouts) * duration / *options.step;
  state.counters["impacts"] = static_cast<double>(impacts) / static_cast<double>(rollouts);
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
  PlanarWorld flying = rocking();
  flying.bodies[0].position.y() = 30.0;
  struct Motion {
    const char* name;
    RigidWorld world;
    double duration = 2.0;
  };
  const Motion motions[] = {
      {"block_rocks", rocking()},
      {"block_slides", sliding()},
      {"block_flies", flying},
      {"falling_boxes", world_of(load_scenario(CAROM_SOURCE_DIR "/scenarios/falling_boxes.toml")),
       1.5}};
  for (const Motion& motion : motions) {
    const auto add = [&](const std::string& end, Backend backend) {
      return benchmark::RegisterBenchmark(("roll/" + (motion.name + end)).c_str(), steps,
                                          motion.world, motion.duration, backend);
    };
    add("", Backend::cpu);
    if (cuda_device_count() == 0) continue;
    add("/cuda", Backend::cuda)->UseRealTime()->Unit(benchmark::kMillisecond);
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
