// The epsilon-net: outcomes of a system into a net, by system; what a GPU does of it; and points of
// a manifold in seven dimensions, as of a walking robot's outcomes, into nets that become large.
#include <benchmark/benchmark.h>

#include <random>

#include "bench/bench_problems.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "host/set/sample_digest.hpp"
#include "kernels/launch/launch.hpp"

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
    EpsilonNet net(problem.velocities(), *options.epsilon);
    net.add(samples);
    size = net.size();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(options.trajectories));
  state.counters["net size"] = static_cast<double>(size);
}

/// Counting 2^20 rows where a GPU has them, and listing those that a net does not cover which knows
/// as many rows before them. By manual time, of these kernels alone (CUDA events).
void digest(benchmark::State& state, const System& system) {
  const ImpactProblem problem = build(system);
  constexpr std::uint64_t rows = 1 << 20;
  SamplingOptions options = system.sampling;
  options.trajectories = 2 * rows;
  options.backend = Backend::cuda;
  const auto data = make_plan(std::span(&problem, 1), options);
  CudaLauncher launcher(0, data->plan, 1);
  SamplingOptions before = options;
  before.trajectories = rows;
  const PostImpactSet set = post_impact_set(problem, before);
  DigestRequest request(problem, data->plan.shape, options.max_steps);
  std::uint64_t open = 0;
  std::uint64_t digested = 0;
  for (auto _ : state) {
    const RowDigest found = launcher.digest(rows, rows, request.plan(set.net), true, 0);
    state.SetIterationTime(found.digest_seconds);
    open = found.open;
    digested = found.rows;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(digested));
  state.counters["net size"] = static_cast<double>(set.net.size());
  state.counters["open"] = static_cast<double>(open);
}

/// A linear image of the cube [-1, 1]^4 in seven dimensions, uniform.
SampleSet manifold(std::uint64_t size) {
  constexpr int nv = 7;
  constexpr int dimension = 4;
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0);
  const auto draw = [&](Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(
        rows, columns, [&](Eigen::Index, Eigen::Index) { return coordinate(engine); }));
  };
  const Eigen::MatrixXd points =
      draw(nv, dimension) * draw(dimension, static_cast<Eigen::Index>(size));
  SampleSet samples;
  samples.velocities = nv;
  samples.contacts = 1;
  samples.resize(size);
  std::copy(points.data(), points.data() + points.size(), samples.velocity.begin());
  return samples;
}

void large_net(benchmark::State& state) {
  const double epsilon = 1.0 / static_cast<double>(state.range(0));
  const SampleSet samples = manifold(1 << 18);
  std::size_t size = 0;
  for (auto _ : state) {
    EpsilonNet net(samples.velocities, epsilon);
    net.add(samples);
    size = net.size();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(samples.size()));
  state.counters["net size"] = static_cast<double>(size);
}

}  // namespace

void register_all() {
  for (const System& system : set_valued_systems()) {
    benchmark::RegisterBenchmark(("net/" + system.name).c_str(), net, system)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    if (cuda_device_count() == 0) continue;
    benchmark::RegisterBenchmark(("net/" + system.name + "/cuda/digest").c_str(), digest, system)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
  }
  benchmark::RegisterBenchmark("net/manifold/inverse_epsilon", large_net)
      ->Arg(2)
      ->Arg(5)
      ->Arg(10)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
