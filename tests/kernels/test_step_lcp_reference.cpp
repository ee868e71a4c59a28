#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/step_solver.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

double distance_to_segment(const Eigen::VectorXd& point, const Eigen::VectorXd& from,
                           const Eigen::VectorXd& to) {
  const Eigen::VectorXd along = to - from;
  const double share = along.squaredNorm() > 0.0
                           ? std::clamp(along.dot(point - from) / along.squaredNorm(), 0.0, 1.0)
                           : 0.0;
  return (from + share * along - point).norm();
}

class ReferenceCases : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceCases, EveryStepIsAMemberOfTheListedSolutionSet) {
  const test::StepSolver solver(test::reference_problem(GetParam()));
  const Eigen::MatrixXd delassus = delassus_matrix(solver.problem());
  const nlohmann::json data = test::read_json("cases/" + GetParam() + ".json");
  int tested = 0;
  for (const auto& entry : data.at("cases")) {
    const Eigen::VectorXd velocity = test::vector_of(entry.at("v"));
    const Eigen::VectorXd cap = test::vector_of(entry.at("lambda_max"));
    const test::Step step = solver.solve(velocity, cap);
    ASSERT_EQ(step.outcome.status, Status::separated) << "case " << tested;
    EXPECT_LE(test::independent_residual(solver.problem(), delassus, velocity, cap, step), 1e-9);
    double nearest = INFINITY;
    for (const auto& listed : entry.at("v_plus")) {
      nearest = std::min(nearest, (test::vector_of(listed) - step.post_velocity).norm());
    }
    for (const auto& segment : entry.at("segments")) {
      nearest =
          std::min(nearest, distance_to_segment(step.post_velocity, test::vector_of(segment[0]),
                                                test::vector_of(segment[1])));
    }
    EXPECT_LE(nearest, 1e-9 * (1.0 + velocity.norm())) << "case " << tested;
    ++tested;
  }
  EXPECT_EQ(tested, 200);
}

INSTANTIATE_TEST_SUITE_P(AllSystems, ReferenceCases,
                         testing::Values("rocking_block", "compass_gait", "box_wall", "ramone",
                                         "disk_stack_m1_ortho", "ball_fall"),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace carom
