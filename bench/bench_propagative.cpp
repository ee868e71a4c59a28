// Impacts in turn, on one core: balls in a row, a ball at a wall, and the break of a triangle of
// fifteen.
#include <benchmark/benchmark.h>

#include <numeric>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

/// Balls of 1 and 2 kg in turn; each is slower than the one before.
ImpactProblem row_of_balls(Eigen::Index balls) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(balls, balls);
  problem.normal_jacobian = Eigen::MatrixXd::Zero(balls - 1, balls);
  problem.pre_impact_velocity.resize(balls);
  for (Eigen::Index i = 0; i < balls; ++i) {
    problem.mass_matrix(i, i) = 1.0 + static_cast<double>(i % 2);
    problem.pre_impact_velocity(i) = static_cast<double>(balls - 1 - i);
    if (i == 0) continue;
    problem.normal_jacobian(i - 1, i - 1) = -1.0;
    problem.normal_jacobian(i - 1, i) = 1.0;
  }
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(balls - 1, balls);
  problem.friction = Eigen::VectorXd::Zero(balls - 1);
  return problem;
}

/// A ball of 1 kg between a wall and one of 10,000 kg: 314 impacts of two contacts.
ImpactProblem ball_at_wall() {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Vector2d(1.0, 1e4).asDiagonal();
  problem.normal_jacobian = Eigen::Matrix2d{{1.0, 0.0}, {-1.0, 1.0}};
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(2, 2);
  problem.friction = Eigen::Vector2d::Zero();
  problem.pre_impact_velocity = Eigen::Vector2d(0.0, -1.0);
  return problem;
}

void impacts(benchmark::State& state, const ImpactProblem& problem) {
  constexpr std::uint64_t trajectories = 20'000;
  SamplingOptions options;
  options.law = law::Propagative{};
  options.trajectories = trajectories;
  options.epsilon = 1.0;
  options.backend = Backend::cpu;
  options.threads = 1;
  const Sampler sampler(std::span(&problem, 1), options);
  SampleSet samples;
  for (auto _ : state) sampler.sample(0, trajectories, samples);
  using benchmark::Counter;
  const double count = std::accumulate(samples.impacts.begin(), samples.impacts.end(), 0.0);
  state.counters["impacts"] = count / trajectories;
  state.counters["ns/impact"] =
      Counter(count * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

}  // namespace

void register_all() {
  for (const int balls : {3, 5, 10, 17, 32}) {
    const std::string name = "propagative/row_of_" + std::to_string(balls);
    benchmark::RegisterBenchmark(name.c_str(), impacts, row_of_balls(balls));
  }
  benchmark::RegisterBenchmark("propagative/ball_at_wall", impacts, ball_at_wall());
  benchmark::RegisterBenchmark("propagative/break_16", impacts,
                               load_scenario(CAROM_SOURCE_DIR "/scenarios/break_16.toml").problem);
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
