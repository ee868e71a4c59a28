#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "carom/orientation.hpp"
#include "carom/scenario.hpp"
#include "carom/solutions.hpp"
#include "host/laws/set_valued/solution_method.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

ImpactProblem robot(const std::string& name) {
  return test::problem_of(test::read_json("all_solutions/" + name + ".json"));
}

/// A trunk on feet in space, each at a leg of three coordinates.
ImpactProblem legged(int feet, double friction) {
  const int nv = 6 + 3 * feet;
  ImpactProblem problem;
  Eigen::VectorXd mass = Eigen::VectorXd::Constant(nv, 0.1);
  mass.head<6>() << 1.5, 1.5, 1.5, 0.02, 0.02, 0.03;
  problem.mass_matrix = mass.asDiagonal();
  problem.normal_jacobian = Eigen::MatrixXd::Zero(feet, nv);
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(2 * feet, nv);
  problem.friction = Eigen::VectorXd::Constant(feet, friction);
  problem.friction_directions = 4;
  for (int i = 0; i < feet; ++i) {
    const double angle = 2.0 * i;
    const double x = 0.2 * std::cos(angle), y = 0.2 * std::sin(angle), z = -0.1;
    Eigen::Matrix<double, 3, 6> point;
    point << 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x, 0, 0, 1, y, -x, 0;
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3, nv);
    rows.leftCols<6>() = point;
    rows.middleCols<3>(6 + 3 * i).setIdentity();
    problem.tangent_jacobian.middleRows<2>(2 * i) = rows.topRows<2>();
    problem.normal_jacobian.row(i) = rows.row(2);
  }
  problem.pre_impact_velocity = Eigen::VectorXd::Zero(nv);
  problem.pre_impact_velocity(2) = -1.0;
  return problem;
}

/// The sign patterns of a planar problem, each with a determinant of its own: per contact without
/// impulse (1), in touch (sticks, or slides to either side), or at its cap and stuck.
std::vector<double> determinants(const ImpactProblem& problem) {
  const int m = problem.contacts();
  Eigen::MatrixXd rows(2 * m, problem.velocities());
  for (int i = 0; i < m; ++i) {
    rows.row(2 * i) = problem.normal_jacobian.row(i);
    rows.row(2 * i + 1) = problem.tangent_jacobian.row(i);
  }
  const Eigen::MatrixXd delassus = rows * problem.mass_matrix.ldlt().solve(rows.transpose());
  int patterns = 1;
  for (int i = 0; i < m; ++i) patterns *= 5;
  std::vector<double> found;
  for (int pattern = 0; pattern < patterns; ++pattern) {
    std::vector<int> unknown;
    Eigen::MatrixXd columns = delassus;
    for (int i = 0, left = pattern; i < m; ++i, left /= 5) {
      const int digit = left % 5;  // none, stick, slides towards +, towards -, stuck at the cap
      if (digit >= 1 && digit <= 3) unknown.push_back(2 * i);
      if (digit == 1 || digit == 4) unknown.push_back(2 * i + 1);
      const double slope = digit == 2 ? -1.0 : digit == 3 ? 1.0 : 0.0;
      columns.col(2 * i) += slope * problem.friction(i) * delassus.col(2 * i + 1);
    }
    const Eigen::MatrixXd system = columns(unknown, unknown);
    found.push_back(unknown.empty() ? 1.0 : system.determinant());
  }
  return found;
}

TEST(Orientation, OfRandomPlanarProblemsIsThatOfTheirDeterminants) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  int unique = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int m = 1 + trial % 3;
    const int nv = 2 * m + trial % 2;
    const auto matrix = [&](int r, int c) {
      return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(
          r, c, [&](Eigen::Index, Eigen::Index) { return normal(random); }));
    };
    ImpactProblem problem;
    const Eigen::MatrixXd root = matrix(nv, nv);
    problem.mass_matrix = root * root.transpose() + Eigen::MatrixXd::Identity(nv, nv);
    problem.normal_jacobian = matrix(m, nv);
    problem.tangent_jacobian = matrix(m, nv);
    problem.friction = Eigen::VectorXd::Constant(m, std::pow(10.0, 2.0 * uniform(random) - 1.5));
    problem.pre_impact_velocity = matrix(nv, 1);
    const std::vector<double> all = determinants(problem);
    const auto negative = static_cast<std::uint64_t>(
        std::count_if(all.begin(), all.end(), [](double d) { return d < 0.0; }));
    const Orientation found = orientation(problem);
    EXPECT_EQ(found.negative, negative) << trial;
    EXPECT_EQ(found.solutions == StepSolutions::one, negative == 0) << trial;
    EXPECT_EQ(solution_method(problem) == SolutionMethod::unique, negative == 0) << trial;
    unique += negative == 0 ? 1 : 0;
  }
  EXPECT_GT(unique, 50);
  EXPECT_LT(unique, 250);
}

TEST(Orientation, ProvesLegsThatAreTooManyToCount) {
  const Orientation found = orientation(legged(6, 0.8));
  EXPECT_EQ(found.systems, 4826809);  // 13^6
  EXPECT_EQ(found.solutions, StepSolutions::one);
  EXPECT_EQ(solution_method(legged(6, 0.8)), SolutionMethod::unique);
  EXPECT_EQ(orientation(legged(8, 0.6)).solutions, StepSolutions::one) << "of 4^8 signs";
  EXPECT_EQ(orientation(legged(6, 30.0)).solutions, StepSolutions::unknown);
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

/// Planar contacts whose rows are independent and whose steps can have several solutions.
ImpactProblem grippy(int contacts) {
  const int nv = 2 * contacts;
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(nv, nv);
  problem.normal_jacobian = Eigen::MatrixXd::Zero(contacts, nv);
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(contacts, nv);
  for (int i = 0; i < contacts; ++i) {
    problem.normal_jacobian(i, 2 * i) = 1.0;
    problem.tangent_jacobian.row(i).segment(2 * i, 2) << 0.9, 0.4;
  }
  problem.friction = Eigen::VectorXd::Constant(contacts, 3.0);
  problem.pre_impact_velocity = Eigen::VectorXd::Constant(nv, -1.0);
  return problem;
}

TEST(SolutionMethod, TabulatesFewContactsButNotForOneTrajectory) {
  using enum SolutionMethod;
  const auto of_one = [](int contacts) { return solution_method_of_one(grippy(contacts)); };
  EXPECT_EQ(solution_method(grippy(2)), modes);
  EXPECT_EQ(solution_method(grippy(3)), modes);
  EXPECT_EQ(solution_method(grippy(4)), signs) << "a table of 2,401 modes takes longer";
  EXPECT_EQ(of_one(2), signs);
  EXPECT_EQ(of_one(3), signs);
  EXPECT_EQ(of_one(4), signs);
  EXPECT_EQ(solution_method_of_one(robot("quadruped")), unique);
  EXPECT_EQ(solution_method_of_one(robot("quadruped_grip")), signs);
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
