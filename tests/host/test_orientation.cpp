#include <gtest/gtest.h>

#include <string>

#include "carom/orientation.hpp"
#include "carom/scenario.hpp"
#include "carom/solutions.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

ImpactProblem robot(const std::string& name) {
  return test::problem_of(test::read_json("all_solutions/" + name + ".json"));
}

TEST(Orientation, ProvesThatTheQuadrupedsStepsHaveOneSolution) {
  const Orientation found = orientation(robot("quadruped"));
  EXPECT_EQ(found.solutions, StepSolutions::one);
  EXPECT_EQ(found.systems, 28561);  // 13^4
  EXPECT_EQ(solution_method(robot("quadruped")), SolutionMethod::unique);
}

TEST(Orientation, SeesThatGrippyFeetMayHaveSeveral) {
  const Orientation found = orientation(robot("quadruped_grip"));
  EXPECT_EQ(found.solutions, StepSolutions::several);
  EXPECT_EQ(found.negative, 13174u);  // an independent program's count
  EXPECT_EQ(solution_method(robot("quadruped_grip")), SolutionMethod::signs);
}

TEST(Orientation, CallsTheSolutionsOfARigidFaceConnected) {
  const Orientation found = orientation(robot("brick_corners"));
  EXPECT_EQ(found.solutions, StepSolutions::connected);
  EXPECT_GT(found.singular, 0u);
}

TEST(Orientation, CountsTheCompassGaitsReversedSystems) {
  const Orientation found = orientation(load_scenario("compass_gait").problem);
  EXPECT_EQ(found.systems, 25);
  EXPECT_EQ(found.negative, 9u);
  EXPECT_EQ(found.solutions, StepSolutions::several);
}

TEST(Orientation, OfFrictionlessContactsIsAlwaysPositive) {
  ImpactProblem problem = load_scenario("compass_gait").problem;
  problem.friction.setZero();
  const Orientation found = orientation(problem);
  EXPECT_EQ(found.systems, 4);  // touches or not, at each contact
  EXPECT_EQ(found.solutions, StepSolutions::one);
}

TEST(Orientation, IsUnknownAboveAMillionSystems) {
  EXPECT_EQ(orientation(robot("biped8")).solutions, StepSolutions::unknown);
}

}  // namespace
}  // namespace carom
