#include "carom/extremes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "carom/error.hpp"
#include "carom/outputs.hpp"
#include "carom/sampler.hpp"
#include "carom/scenario.hpp"
#include "host/evidence/extremes_objectives.hpp"
#include "host/sampling/observed_stages.hpp"

namespace carom {
namespace {

struct Sought {
  ImpactProblem problem;
  SamplingOptions options;
  std::vector<SoughtOutcome> outcomes;

  const SoughtOutcome& of(const std::string& objective) const {
    for (const SoughtOutcome& outcome : outcomes) {
      if (outcome.objective == objective) return outcome;
    }
    throw std::out_of_range(objective);
  }
};

Sought seek(const std::string& system, std::uint64_t trajectories, int random_directions = 0,
            const std::string& caps = "uniform") {
  const Scenario scenario = parse_scenario("system = \"" + system + "\"");
  Sought sought{scenario.problem, scenario.sampling, {}};
  sought.options.trajectories = trajectories;
  sought.options.backend = Backend::cpu;
  sought.options.set_valued().caps = parse_caps(caps);
  sought.outcomes = seek_extremes(sought.problem, sought.options, random_directions);
  return sought;
}

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// The corner that is hit last leaves the floor at v0 0.3 0.7; caps reach that in a limit.
const double greatest_lift = std::sqrt(2.0 * 9.81 * 0.01) * 0.3 * 0.7;

TEST(Extremes, ReachTheClosedFormOfTheRockingBlockWhereTheSampleFallsShort) {
  const Sought sought = seek("rocking_block", 16384);
  ASSERT_EQ(sought.outcomes.size(), 8u);
  for (const char* corner : {"A", "B"}) {
    const SoughtOutcome& lift = sought.of(std::string("greatest normal velocity of ") + corner);
    EXPECT_GT(lift.sampled, 0.96 * greatest_lift);
    EXPECT_LT(lift.sampled, 0.999 * greatest_lift);
    EXPECT_NEAR(lift.found, greatest_lift, 1e-6);
    EXPECT_GT(lift.gain(), 0.001 * greatest_lift);
  }
}

TEST(Extremes, AreOutcomesAndNeverWithinTheSampleOnes) {
  const Sought sought = seek("box_wall", 4096, 3);
  const SampleSet samples = sample(sought.problem, sought.options);
  const double energy = kinetic_energy(sought.problem, sought.problem.pre_impact_velocity);
  const Eigen::Index nv = sought.problem.velocities();
  for (const SoughtOutcome& outcome : sought.outcomes) {
    const double sign = outcome.greatest ? 1.0 : -1.0;
    double greatest = -INFINITY;  // of the signed quantity
    for (std::size_t row = 0; row < samples.size(); ++row) {
      if (samples.status[row] != Status::separated) continue;
      const Eigen::Map<const Eigen::VectorXd> velocity(
          samples.velocity.data() + static_cast<Eigen::Index>(row) * nv, nv);
      greatest = std::max(greatest, sign * vector_of(outcome.direction).dot(velocity));
    }
    const Eigen::VectorXd velocity = vector_of(outcome.velocity);
    EXPECT_NEAR(sign * outcome.sampled, greatest, 1e-12) << outcome.objective;
    EXPECT_GE(sign * outcome.found, sign * outcome.sampled) << outcome.objective;
    EXPECT_NEAR(outcome.found, vector_of(outcome.direction).dot(velocity), 1e-12);
    // The sampler's own contact speeds differ from J v by rounding.
    EXPECT_FALSE(colliding(sought.problem, velocity, sought.options.termination_tolerance + 1e-12));
    EXPECT_LE(kinetic_energy(sought.problem, velocity), energy * (1.0 + 1e-12));
    EXPECT_GT(outcome.evaluations, 0u);
  }
}

TEST(Extremes, AreTheSameForAnyNumberOfThreadsAndChunks) {
  const Sought one = seek("rocking_block", 1000, 1);
  SamplingOptions options = one.options;
  options.threads = 1;
  options.chunk = 17;
  const std::vector<SoughtOutcome> other = seek_extremes(one.problem, options, 1);
  ASSERT_EQ(one.outcomes.size(), other.size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    EXPECT_EQ(one.outcomes[i].objective, other[i].objective);
    EXPECT_EQ(one.outcomes[i].sampled, other[i].sampled);
    EXPECT_EQ(one.outcomes[i].found, other[i].found);
    EXPECT_EQ(one.outcomes[i].velocity, other[i].velocity);
  }
}

TEST(Extremes, DoNotDependOnStepsThatNoTrajectoryTakes) {
  const ImpactProblem problem = load_scenario("compass_gait").problem;
  SamplingOptions options;
  options.trajectories = 500;
  options.backend = Backend::cpu;
  options.max_steps = 200;
  const std::vector<SoughtOutcome> few = seek_extremes(problem, options, 1);
  options.max_steps = 20'000;
  const std::vector<SoughtOutcome> many = seek_extremes(problem, options, 1);
  ASSERT_EQ(few.size(), many.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(few[i].found, many[i].found) << many[i].objective;
  }
}

TEST(Extremes, AreTheSameForEveryFamilyOfCapsOfTheRockingBlock) {
  // Its end is a limit of nearly sequential caps, which every family has.
  for (const char* caps : {"simplex", "corners:8", "sobol", "weighted:1,0.2", "uniform+simplex"}) {
    const Sought sought = seek("rocking_block", 512, 0, caps);
    for (const char* corner : {"A", "B"}) {
      const SoughtOutcome& lift = sought.of(std::string("greatest normal velocity of ") + corner);
      EXPECT_NEAR(lift.found, greatest_lift, 1e-5) << caps << ", " << corner;
    }
  }
}

TEST(Extremes, GainNothingWhereTheOutcomeIsUnique) {
  // A mass that falls without friction stops, whatever the caps.
  ImpactProblem problem;
  problem.mass_matrix = 2.0 * Eigen::MatrixXd::Identity(2, 2);
  problem.normal_jacobian = Eigen::RowVector2d(0.0, 1.0);
  problem.tangent_jacobian = Eigen::RowVector2d(1.0, 0.0);
  problem.friction = Eigen::VectorXd::Zero(1);
  problem.pre_impact_velocity = Eigen::Vector2d(0.5, -1.0);
  const auto outcomes = seek_extremes(
      problem, {.trajectories = 100, .max_steps = 30, .impulse_step = 1.0, .epsilon = 0.01}, 2);
  ASSERT_EQ(outcomes.size(), 6u);
  // Its quantities are told with their own signs: it slides on at 0.5 m/s.
  EXPECT_EQ(outcomes[2].objective, "greatest tangential velocity of A");
  EXPECT_EQ(outcomes[3].objective, "least tangential velocity of A");
  for (const SoughtOutcome& outcome : {outcomes[2], outcomes[3]}) {
    EXPECT_NEAR(outcome.found, 0.5, 1e-7);
  }
  for (const SoughtOutcome& outcome : outcomes) EXPECT_EQ(outcome.gain(), 0.0);
}

TEST(Extremes, GainMoreThanOnePerCentOfEpsilonOrNothing) {
  // In the kinetic norm of a mass of 4 kg, a speed of 1 m/s counts 2: epsilon = 0.1 is 0.05 m/s.
  ImpactProblem problem;
  problem.mass_matrix = 4.0 * Eigen::MatrixXd::Identity(2, 2);
  problem.normal_jacobian = Eigen::RowVector2d(0.0, 1.0);
  problem.tangent_jacobian = Eigen::RowVector2d(1.0, 0.0);
  problem.friction = Eigen::VectorXd::Zero(1);
  problem.pre_impact_velocity = Eigen::Vector2d(0.5, -1.0);
  SamplingOptions options{.trajectories = 10, .impulse_step = 4.0, .epsilon = 0.1};
  SoughtOutcome euclidean = seek_extremes(problem, options, 0).front();
  EXPECT_NEAR(euclidean.tolerance, 0.001, 1e-15);
  options.norm = Norm::kinetic;
  const std::vector<SoughtOutcome> kinetic = seek_extremes(problem, options, 1);
  EXPECT_NEAR(kinetic.front().tolerance, 0.0005, 1e-15);
  EXPECT_NEAR(kinetic.back().tolerance, 0.001, 1e-15);  // a random direction has the norm's unit

  euclidean.sampled = 0.2;
  euclidean.found = 0.2 + 7e-15;
  EXPECT_EQ(euclidean.gain(), 0.0);
  euclidean.found = 0.3;
  EXPECT_NEAR(euclidean.gain(), 0.1, 1e-15);
  euclidean.greatest = false;
  EXPECT_EQ(euclidean.gain(), 0.0);
  euclidean.found = -0.3;
  EXPECT_NEAR(euclidean.gain(), 0.5, 1e-15);
}

TEST(Extremes, AreNoneWhereTheRunHasNoOutcome) {
  Scenario scenario = parse_scenario("system = \"rocking_block\"");
  scenario.sampling.impulse_step = 1e-3;  // far too little for two steps
  scenario.sampling.epsilon = 1e-4;
  scenario.sampling.max_steps = 2;
  scenario.sampling.trajectories = 64;
  EXPECT_TRUE(seek_extremes(scenario.problem, scenario.sampling, 1).empty());
}

TEST(Extremes, AreFoundAlongDirectionsWithEveryLawAndRestitution) {
  Scenario scenario = parse_scenario("system = \"disk_stack\"\n[parameters]\nfriction = 0\n");
  scenario.sampling.trajectories = 64;
  Outputs outputs;
  add_output(scenario.problem.normal_jacobian.row(0).transpose(), "A", outputs);
  for (const double restitution : {0.0, 0.5}) {
    scenario.problem.restitution =
        Eigen::VectorXd::Constant(scenario.problem.contacts(), restitution);
    for (const char* law : {"set_valued", "plus", "propagative"}) {
      scenario.sampling.law = law_named(law);
      const auto ends = find_extremes(scenario.problem, scenario.sampling, -1, outputs, {});
      ASSERT_EQ(ends.size(), 2u) << law;
      for (const SoughtOutcome& end : ends) {
        EXPECT_NEAR(vector_of(end.direction).dot(vector_of(end.velocity)), end.found, 1e-12) << law;
      }
    }
  }
}

TEST(Extremes, RefuseANegativeNumberOfDirections) {
  const Scenario scenario = parse_scenario("system = \"rocking_block\"");
  EXPECT_THROW(seek_extremes(scenario.problem, scenario.sampling, -1), InputError);
}

TEST(ExtremeObjectives, AreBothEndsOfEachContactsCoordinates) {
  Scenario scenario = parse_scenario("system = \"rocking_block\"");
  const auto list = extreme_objectives(scenario.problem, Philox(1, 2, 0), 1);
  ASSERT_EQ(list.size(), 9u);
  EXPECT_EQ(list[0].objective, "greatest normal velocity of A");
  EXPECT_EQ(list[1].objective, "least normal velocity of A");
  EXPECT_EQ(list[7].objective, "least tangential velocity of B");
  EXPECT_EQ(list[8].objective, "greatest along random direction 1");
  EXPECT_TRUE(list[0].greatest);
  EXPECT_FALSE(list[7].greatest);
  EXPECT_TRUE(list[8].greatest);
  EXPECT_EQ(vector_of(list[0].direction), scenario.problem.normal_jacobian.row(0).transpose());
  EXPECT_EQ(vector_of(list[7].direction), scenario.problem.tangent_jacobian.row(1).transpose());
}

TEST(ExtremeObjectives, RandomDirectionsAreIsotropicInTheKineticNorm) {
  // Back in coordinates where the kinetic norm is Euclidean, they are unit vectors with
  // E[x_i x_j] = delta_ij / n and E[x_i^4] = 3 / (n (n + 2)).
  constexpr int count = 6000;
  for (const char* system : {"rocking_block", "compass_gait", "ramone"}) {
    const ImpactProblem problem =
        parse_scenario("system = \"" + std::string(system) + "\"").problem;
    const Eigen::Index n = problem.velocities();
    const auto list = extreme_objectives(problem, Philox(3, 4, 0), count);
    const Eigen::MatrixXd inverse = problem.mass_matrix.inverse();
    const Eigen::MatrixXd factor = problem.mass_matrix.llt().matrixL();
    Eigen::MatrixXd second = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd fourth = Eigen::VectorXd::Zero(n);
    for (std::size_t i = list.size() - count; i < list.size(); ++i) {
      const Eigen::VectorXd direction = vector_of(list[i].direction);
      const Eigen::VectorXd x = factor.inverse() * direction;
      EXPECT_NEAR(direction.dot(inverse * direction), 1.0, 1e-9);
      second += x * x.transpose() / count;
      fourth += x.array().pow(4).matrix() / count;
    }
    // x_i x_j has a deviation below 3 / (2 n), x_i^4 one below 1 / n: five of their means'.
    const double size = static_cast<double>(n);
    const double bound = 5.0 * 1.5 / size / std::sqrt(count);
    EXPECT_LT((second - Eigen::MatrixXd::Identity(n, n) / size).cwiseAbs().maxCoeff(), bound);
    EXPECT_LT((fourth.array() - 3.0 / (size * (size + 2.0))).abs().maxCoeff(), bound) << system;
  }
}

}  // namespace
}  // namespace carom
