#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "carom/error.hpp"
#include "carom/grid.hpp"
#include "carom/options.hpp"
#include "carom/post_impact_set.hpp"
#include "carom/sampler.hpp"
#include "carom/scenario.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* table_text = R"(
system = "matrices"
[problem]
mass_matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.4]]
normal_jacobian = [[0.0, 1.0, -0.5], [0.0, 1.0, 0.5]]
tangent_jacobian = [[1.0, 0.0, 0.3], [1.0, 0.0, 0.3]]
friction = 0.5
pre_impact_velocity = [0.3, -1.0, 0.0]
)";

Scenario table(const std::string& more = "") { return parse_scenario(table_text + more); }

Scenario chosen(Scenario scenario) {
  resolve(scenario);
  return scenario;
}

TEST(Choices, AreLeftOpenByAScenarioThatStatesNone) {
  const Scenario scenario = table();
  EXPECT_FALSE(scenario.sampling.epsilon.has_value());
  EXPECT_FALSE(scenario.sampling.trajectories.has_value());
  EXPECT_EQ(option_value(scenario, "epsilon"), "auto");
  EXPECT_EQ(option_value(scenario, "solutions"), "auto");
  EXPECT_THROW((void)(*scenario.sampling.epsilon + 1.0), InputError);
}

TEST(Choices, OfAnEnumAreOneOfItsValues) {
  const ImpactProblem problem = load_scenario("rocking_block").problem;
  const auto refusal = [&](auto change) {
    SamplingOptions options;
    change(options);
    return test::refusal([&] { sample(problem, options); });
  };
  EXPECT_THAT(refusal([](auto& its) { its.norm = static_cast<Norm>(9); }),
              HasSubstr("norm is value 9 of its enum (must be one of euclidean, kinetic)"));
  EXPECT_THAT(refusal([](auto& its) { its.backend = static_cast<Backend>(-1); }),
              HasSubstr("backend is value -1"));
  EXPECT_THAT(refusal([](auto& its) { its.set_valued().solutions = static_cast<Solutions>(17); }),
              HasSubstr("solutions is value 17"));
}

TEST(Choices, AreNumbersOnceResolved) {
  const Scenario scenario = chosen(table());
  EXPECT_EQ(scenario.sampling.trajectories, 16384u);
  // The impulse that stops the right foot, which friction presses down as it slides: without it, 1
  // / (1 + 0.5^2 / 0.4) N·s.
  EXPECT_NEAR(scenario.sampling.impulse_step, 1.0 / (1.625 - 0.5 * 0.375), 1e-12);
  EXPECT_EQ(scenario.sampling.set_valued().solutions, Solutions::all);
  EXPECT_EQ(scenario.evidence.hold_out, 4096u);
  EXPECT_GT(scenario.sampling.epsilon, 0.0);
  EXPECT_FALSE(scenario.sampling.epsilon.is_stated());
  EXPECT_EQ(chosen(table("[sampling]\nepsilon = 0.25")).sampling.epsilon, 0.25);
}

/// A heavy block that lies on a light one presses it on a hundred times: with steps of what stops a
/// contact alone, caps average out, and outcomes spread by a fifth of what they can.
TEST(Choices, OfTheStepSeeWhatAHeavyBodyDoesOnALightOne) {
  ImpactProblem blocks;
  const double light = 0.05;
  const double heavy = 5.0;
  blocks.mass_matrix =
      Eigen::Vector<double, 6>(light, light, light / 6.0, heavy, heavy, heavy / 6.0).asDiagonal();
  blocks.normal_jacobian = Eigen::MatrixXd::Zero(4, 6);
  blocks.tangent_jacobian = Eigen::MatrixXd::Zero(4, 6);
  for (int side = 0; side < 2; ++side) {
    const double arm = side - 0.5;
    blocks.normal_jacobian.row(side) << 0, 1, arm, 0, 0, 0;
    blocks.tangent_jacobian.row(side) << 1, 0, 0.5, 0, 0, 0;
    blocks.normal_jacobian.row(2 + side) << 0, -1, -arm, 0, 1, arm;
    blocks.tangent_jacobian.row(2 + side) << -1, 0, 0.5, 1, 0, 0.5;
  }
  blocks.friction = Eigen::Vector4d::Constant(0.5);
  blocks.pre_impact_velocity = Eigen::Vector<double, 6>(0.3, -1, 0, 0.3, -1, 0);
  const auto spread = [&](double impulse_step) {
    SamplingOptions options;
    options.trajectories = 1024;
    options.epsilon = 0.01;
    options.impulse_step = impulse_step;
    options.set_valued().solutions = Solutions::first;
    const RowMatrix outcomes = sample(blocks, options).outcomes();
    EXPECT_EQ(outcomes.rows(), 1024);
    return (outcomes.colwise().maxCoeff() - outcomes.colwise().minCoeff()).norm();
  };
  SamplingOptions options;
  options.trajectories = 16;
  const double chosen_step = resolved(options, blocks).impulse_step;
  EXPECT_GT(spread(chosen_step), 0.75 * spread(4.0 * chosen_step));
}

TEST(Choices, OfStepsAreTheLawsWhereASystemCountsLcps) {
  const auto steps = [](const std::string& more) {
    return *chosen(parse_scenario("system = \"compass_gait\"\n" + more)).sampling.max_steps;
  };
  EXPECT_EQ(steps(""), 5);
  EXPECT_EQ(steps("[law]\nname = \"sequential\"\n"), 5);
  EXPECT_EQ(steps("[law]\nname = \"plus\"\n"), 20'000);
  EXPECT_EQ(steps("[law]\nname = \"plus\"\n[sampling]\nmax_steps = 7\n"), 7);
}

TEST(Choices, StandBesideWhatWasAskedForAndAreReadBack) {
  const Scenario scenario = chosen(table("[sampling]\nepsilon = \"auto\"\ntrajectories = 64"));
  const std::string text = to_toml(scenario);
  EXPECT_THAT(text, HasSubstr("epsilon_asked = \"auto\""));
  EXPECT_THAT(text, HasSubstr("solutions = \"all\"\nsolutions_asked = \"auto\""));
  EXPECT_THAT(text, HasSubstr("trajectories = 64\n"));
  EXPECT_THAT(text, Not(HasSubstr("trajectories_asked")));
  const Scenario again = parse_scenario(text);
  EXPECT_EQ(*again.sampling.epsilon, *scenario.sampling.epsilon);
  EXPECT_FALSE(again.sampling.epsilon.is_stated());
  EXPECT_EQ(to_toml(chosen(again)), text);
}

TEST(Choices, ThatASystemBringsAlongAreReadBackAsItsOwn) {
  const Scenario scenario = parse_scenario("system = \"rocking_block\"\n");
  const std::string text = to_toml(scenario);
  EXPECT_THAT(text, HasSubstr("max_steps = 10\nmax_steps_asked = \"preset\""));
  const Scenario again = parse_scenario(text);
  EXPECT_TRUE(again.sampling.impulse_step.is_preset());
  EXPECT_EQ(to_toml(again), text);
  // Impacts in time are others than the system's own.
  EXPECT_FALSE(sampling_in_time(again).impulse_step.has_value());
  EXPECT_FALSE(
      sampling_in_time(parse_scenario("system = \"rocking_block\"\n")).impulse_step.has_value());
}

TEST(Choices, RefuseAskedWithoutAValue) {
  EXPECT_THROW(table("[sampling]\nepsilon_asked = \"auto\""), InputError);
  EXPECT_THROW(table("[sampling]\nepsilon = 0.1\nepsilon_asked = \"0.2\""), InputError);
}

TEST(Choices, GiveARunThatItsOwnScenarioRepeats) {
  Scenario scenario = table("[sampling]\ntrajectories = 512");
  const PostImpactSet first = post_impact_set(scenario.problem, scenario.sampling);
  const Scenario carried = parse_scenario(to_toml(chosen(scenario)));
  const PostImpactSet again = post_impact_set(carried.problem, carried.sampling);
  EXPECT_EQ(first.summary.checksum, again.summary.checksum);
  EXPECT_EQ(first.net.index(), again.net.index());
}

TEST(Choices, OfEpsilonFollowTheOutcomesAndNothingElse) {
  SamplingOptions options;
  const Scenario scenario = table();
  const double epsilon = resolved(options, scenario.problem).epsilon;
  options.trajectories = 17;
  options.threads = 1;
  options.backend = Backend::cpu;
  EXPECT_EQ(resolved(options, scenario.problem).epsilon, epsilon);
  // Twice the speed is twice the set: the law is homogeneous in speeds and caps.
  ImpactProblem fast = scenario.problem;
  fast.pre_impact_velocity *= 2.0;
  EXPECT_NEAR(resolved(options, fast).epsilon, 2.0 * epsilon, 0.1 * epsilon);  // two digits
}

/// An observer is told of all trajectories of the pilots, and can stop them; it changes no choice.
TEST(Choices, TellOfTheirPilots) {
  Scenario scenario = table();
  std::map<std::string, std::uint64_t> done;
  resolve(scenario, [&](const std::string& stage, std::uint64_t so_far, std::uint64_t total) {
    EXPECT_GE(so_far, done[stage]);
    EXPECT_LE(so_far, total);
    done[stage] = so_far;
    return true;
  });
  EXPECT_THAT(done, testing::ElementsAre(testing::Pair("pilot for epsilon", 1024),
                                         testing::Pair("pilot for max_steps", 64)));
  EXPECT_EQ(scenario.sampling.epsilon, resolved({}, table().problem).epsilon);
  Scenario stopped = table();
  const auto stop_at_once = [](const std::string&, std::uint64_t so_far, std::uint64_t) {
    return so_far == 0;
  };
  EXPECT_THROW(resolve(stopped, stop_at_once), RunError);
}

TEST(Choices, OfEpsilonAreNotZeroWhereTheSetIsAPoint) {
  ImpactProblem problem = table().problem;
  problem.normal_jacobian.row(1).setZero();
  problem.normal_jacobian(1, 1) = -1.0;  // a foot that leaves: one contact impacts alone
  problem.normal_jacobian(0, 2) = 0.0;
  problem.friction.setZero();
  const SamplingOptions options = resolved({}, problem);
  EXPECT_DOUBLE_EQ(options.epsilon, 1e-6);  // 1e-6 of 1.04 m/s in two digits: 1e-6
}

/// A column of balls, each twice as heavy as the one below it, so that the floor must stop all.
ImpactProblem column(int balls) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Zero(balls, balls);
  problem.normal_jacobian = Eigen::MatrixXd::Identity(balls, balls);
  for (int i = 0; i < balls; ++i) {
    problem.mass_matrix(i, i) = std::ldexp(1.0, i);
    if (i > 0) problem.normal_jacobian(i, i - 1) = -1.0;
  }
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(balls, balls);
  problem.friction = Eigen::VectorXd::Zero(balls);
  problem.pre_impact_velocity = Eigen::VectorXd::Constant(balls, -1.0);
  return problem;
}

TEST(Choices, OfTheStepLimitKeepTrajectoriesThatTakeLong) {
  SamplingOptions options;
  options.epsilon = 0.01;
  EXPECT_EQ(resolved(options, column(4)).max_steps, 1000);
  SamplingOptions careful = options;
  careful.impulse_step = 1.0;  // N·s: the momentum of the lowest ball, the 511th part of all
  EXPECT_EQ(resolved(careful, column(9)).max_steps, 10'000);
  EXPECT_FALSE(resolved(careful, column(9)).max_steps.is_stated());
  const ImpactProblem crawling = column(2);
  options.law = law::SetValued{.caps = parse_caps("weighted:1e-7,1e-7")};
  EXPECT_EQ(resolved(options, crawling).max_steps, 1000) << "more would not help";
}

TEST(Choices, OfAFamilyAreMadeOnceAndWritten) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "grid.toml";
  std::ofstream(file)
      << ("scenario = \"rocking_block\"\n[axes]\nfriction = {min = 0.2, max = 1.0, "
          "count = 40}\n[sampling]\ntrajectories = 64\nepsilon = \"auto\"\n");
  const GridSpec spec = read_grid_spec(file);
  EXPECT_TRUE(spec.sampling.epsilon.has_value());
  EXPECT_FALSE(spec.sampling.epsilon.is_stated());
  EXPECT_EQ(read_grid_spec(file).sampling.epsilon, *spec.sampling.epsilon);
  const auto stop = [](const std::string&, std::uint64_t, std::uint64_t) { return false; };
  EXPECT_THROW(read_grid_spec(file, stop), RunError);
}

}  // namespace
}  // namespace carom
