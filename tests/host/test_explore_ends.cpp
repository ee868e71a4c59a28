#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "carom/carom.hpp"
#include "carom/explore.hpp"
#include "tests/support/explore_options.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

using test::with_step_and_epsilon;

/// A box that slides and turns on two corners into a smooth wall.
TEST(ExploredEnds, SeeksTheEndsOfOutputs) {
  ImpactProblem box;
  box.mass_matrix = Eigen::Vector3d(2.0, 2.0, 0.68 / 3.0).asDiagonal();
  box.normal_jacobian.resize(3, 3);
  box.tangent_jacobian.resize(3, 3);
  box.normal_jacobian << 0.0, 1.0, -0.3, -1.0, 0.0, 0.5, 0.0, 1.0, 0.3;
  box.tangent_jacobian << 1.0, 0.0, 0.5, 0.0, 1.0, 0.3, 1.0, 0.0, 0.5;
  box.friction = Eigen::Vector3d(0.3, 0.0, 0.3);
  box.pre_impact_velocity = Eigen::Vector3d(0.8, -1.0, -0.5);
  const ImpactProblem problem = validated(box);
  Outputs outputs;
  add_output(Eigen::Vector3d(0.0, 0.0, 2.0), "twice the spin", outputs);
  ExploreOptions options{.budget = 100'000, .outputs = outputs};
  const SamplingOptions sampling = with_step_and_epsilon(1.0, 0.05);
  const Exploration found = explore(problem, sampling, options);
  ASSERT_EQ(found.ends.size(), 14u);
  const OutputEnds range = output_ends(outputs, found).at(0);
  for (const bool high : {true, false}) {
    const ExploredEnd& end = found.ends[high ? 12 : 13];
    EXPECT_EQ(end.contact, -1);
    EXPECT_EQ(end.greatest, high);
    EXPECT_DOUBLE_EQ(end.speed, 2.0 * end.velocity[2]);
    EXPECT_EQ(end.speed, high ? range.found_high : range.found_low);
    const std::string name = end_name(end, problem, outputs);
    EXPECT_EQ(name, high ? "twice the spin high" : "twice the spin low");
    const FoundOutcome outcome = found_outcome(name, problem, outputs, found);
    EXPECT_EQ(outcome.origin.node, end.origin.node);
    const std::vector<ReplayedStep> steps = replay(problem, sampling, found.script(outcome.origin));
    EXPECT_EQ(steps.back().velocity, end.velocity);
  }
  // What a search without the output reaches there, by its members and the ends of contacts.
  const Exploration without = explore(problem, sampling, {.budget = 100'000});
  EXPECT_GT(range.found_high - range.found_low, output_ends(outputs, without).at(0).found_high -
                                                    output_ends(outputs, without).at(0).found_low);
  // And it goes on with the same bits.
  options.budget = 30'000;
  Exploration part = explore(problem, sampling, options);
  options.budget = 100'000;
  const Exploration continued = explore(problem, sampling, options, {}, std::move(part));
  EXPECT_EQ(continued.mark.ends, found.mark.ends);
  EXPECT_EQ(continued.trees[0].step, found.trees[0].step);
}

/// A bar that falls flat on eight feet in a row: random caps hardly ever take these in their order.
TEST(ExploredEnds, TakesFeetInTheOrderOfTheirRow) {
  constexpr int feet = 8;
  constexpr double spacing = 0.6 / (feet - 1);
  ImpactProblem bar;
  bar.mass_matrix = Eigen::Vector3d(3.0, 3.0, 0.02).asDiagonal();
  bar.normal_jacobian.resize(feet, 3);
  bar.tangent_jacobian.resize(feet, 3);
  for (int i = 0; i < feet; ++i) {
    bar.normal_jacobian.row(i) << 0.0, 1.0, spacing * i - 0.3;
    bar.tangent_jacobian.row(i) << 1.0, 0.0, 0.02;
  }
  bar.friction = Eigen::VectorXd::Constant(feet, 0.3);
  bar.pre_impact_velocity = Eigen::Vector3d(0.2, -1.0, 0.0);
  const ImpactProblem problem = validated(bar);
  const SamplingOptions sampling = with_step_and_epsilon(3.0, 0.02);
  const Exploration found = explore(problem, sampling, {.budget = 20'000});
  ComparisonOptions in_a_row;
  in_a_row.random_orders = 0;
  int orders = 0;
  for (const LawOutcome& one : compare_laws(problem, in_a_row).outcomes) {
    if (one.law != ComparedLaw::sequential) continue;
    EXPECT_LT(found.net.distance(one.velocity.data()), 0.02) << one.order;
    EXPECT_GT(one.energy, 0.1);
    ++orders;
  }
  EXPECT_EQ(orders, 2);  // from either end of the row
}

TEST(ExploredEnds, NamesTheEndsThatThereAre) {
  const ImpactProblem problem = load_scenario("compass_gait").problem;
  const Exploration found = explore(problem, with_step_and_epsilon(0.25, 0.05), {.budget = 2'000});
  EXPECT_EQ(found_outcome("A tangential low", problem, {}, found).velocity.size(), 4);
  EXPECT_EQ(found_outcome("0", problem, {}, found).name, "member 0");
  EXPECT_THAT(test::refusal([&] { found_outcome("A normal", problem, {}, found); }),
              testing::HasSubstr("or an end: A normal high, A normal low, A tangential high"));
  EXPECT_THROW(found_outcome("100000", problem, {}, found), InputError);
}

}  // namespace
}  // namespace carom
