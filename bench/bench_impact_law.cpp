// The impact update of a simulator: one outcome for each of many different worlds, by system,
// selection of solutions and number of worlds, with what it costs to lay their problems out.
#include <benchmark/benchmark.h>

#include <random>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

/// Copies of one problem that differ in friction and pre-impact velocity.
struct Worlds {
  explicit Worlds(const ImpactProblem& problem, std::size_t count) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> factor(0.8, 1.2);
    const auto add = [](std::vector<double>& all, const auto& values) {
      all.insert(all.end(), values.data(), values.data() + values.size());
    };
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    for (std::size_t world = 0; world < count; ++world) {
      add(mass_matrix, Rows(problem.mass_matrix));
      add(normal_jacobian, Rows(problem.normal_jacobian));
      add(tangent_jacobian, Rows(problem.tangent_jacobian));
      add(friction, Eigen::VectorXd(factor(engine) * problem.friction));
      add(pre_impact_velocity, Eigen::VectorXd(factor(engine) * problem.pre_impact_velocity));
    }
    batch = {.size = count,
             .velocities = problem.velocities(),
             .contacts = problem.contacts(),
             .tangent_dimension = problem.tangent_dimension(),
             .friction_directions = problem.friction_directions,
             .mass_matrix = mass_matrix.data(),
             .normal_jacobian = normal_jacobian.data(),
             .tangent_jacobian = tangent_jacobian.data(),
             .friction = friction.data(),
             .pre_impact_velocity = pre_impact_velocity.data()};
  }

  std::vector<double> mass_matrix, normal_jacobian, tangent_jacobian, friction, pre_impact_velocity;
  ImpactBatch batch;
};

void impact_law(benchmark::State& state, const System& system, Solutions solutions) {
  const Worlds worlds(build(system), static_cast<std::size_t>(state.range(0)));
  ImpactLawOptions options;
  options.solutions = solutions;
  options.threads = 1;
  const ImpactLaw law(options);
  SampleSet outcomes;
  std::uint64_t step = 0;
  for (auto _ : state) outcomes = law(step++, worlds.batch);
  count_rows(state, outcomes);
  state.counters["us/problem"] = benchmark::Counter(
      static_cast<double>(worlds.batch.size) * 1e-6,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

void register_all() {
  for (const System& system : systems()) {
    for (const Solutions solutions : {Solutions::first, Solutions::cover}) {
      benchmark::RegisterBenchmark(
          ("impact_law/" + system.name + "/" + solutions_name(solutions)).c_str(), impact_law,
          system, solutions)
          ->ArgName("worlds")
          ->Arg(64)
          ->Arg(4096)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
