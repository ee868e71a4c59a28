#include <gtest/gtest.h>

#include <algorithm>

#include "carom/carom.hpp"
#include "host/bounds/impact_geometry.hpp"
#include "host/bounds/template_bound.hpp"
#include "host/bounds/velocity_cells.hpp"

namespace carom {
namespace {

/// A block that lands on two feet while it slides into a wall, which touches its side at `stops`
/// heights; the friction of the wall is `friction`.
ImpactProblem feet_and_stops(int stops, double friction) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Vector3d(1.0, 1.0, 0.2).asDiagonal();
  problem.normal_jacobian.resize(2 + stops, 3);
  problem.tangent_jacobian.resize(2 + stops, 3);
  problem.normal_jacobian.topRows(2) << 0.0, 1.0, -0.5, 0.0, 1.0, 0.5;
  problem.tangent_jacobian.topRows(2) << 1.0, 0.0, 0.5, 1.0, 0.0, 0.5;
  problem.friction = Eigen::VectorXd::Constant(2 + stops, friction);
  problem.friction.head(2).setConstant(0.3);
  for (int i = 0; i < stops; ++i) {
    const double height = 0.3 * (i + 1) - 0.5;  // above the centre of mass
    problem.normal_jacobian.row(2 + i) << -1.0, 0.0, height;
    problem.tangent_jacobian.row(2 + i) << 0.0, 1.0, 0.5;
  }
  problem.pre_impact_velocity = Eigen::Vector3d(0.4, -1.0, 0.0);
  return validated(problem);
}

/// The farthest that an outcome is outside.
double worst_excess(const ImpactProblem& problem, const OuterBound& bound, int trajectories) {
  SamplingOptions options;
  options.trajectories = trajectories;
  const RowMatrix outcomes = sample(problem, options).outcomes();
  EXPECT_GT(outcomes.rows(), trajectories / 2);
  double worst = -1.0;
  for (Eigen::Index i = 0; i < outcomes.rows(); ++i) {
    worst = std::max(worst, excess(bound, outcomes.row(i)));
  }
  return worst;
}

TEST(FrictionlessBounds, TakeTwoCellsForEachContact) {
  EXPECT_EQ(velocity_cells(ImpactGeometry(feet_and_stops(2, 0.0)), 0).size(), 2U * 2 * 4 * 4 - 1);
  EXPECT_EQ(cell_count(ImpactGeometry(feet_and_stops(2, 0.0)), 300), 2U * 2 * 4 * 4);
  EXPECT_GT(cell_count(ImpactGeometry(feet_and_stops(2, 1e-7)), 200), 200U);
}

TEST(FrictionlessBounds, AreThoseOfLittleFriction) {
  ImpactProblem problem = load_scenario("box_wall").problem;
  BoundOptions options;
  for (Eigen::Index contact = 0; contact < 2; ++contact) {
    const double friction = problem.friction(contact);
    problem.friction(contact) = 0.0;
    const OuterBound without = outer_bound(problem, options);
    problem.friction(contact) = 1e-9;
    const OuterBound little = outer_bound(problem, options);
    problem.friction(contact) = friction;
    ASSERT_TRUE(without.closed() && little.closed());
    EXPECT_EQ(without.method, BoundMethod::hulls);
    for (std::size_t i = 0; i < without.directions.size(); ++i) {
      EXPECT_NEAR(without.directions[i].low, little.directions[i].low, 1e-7) << contact << i;
      EXPECT_NEAR(without.directions[i].high, little.directions[i].high, 1e-7) << contact << i;
    }
  }
}

TEST(FrictionlessBounds, HoldOutcomesOfFeetAndStops) {
  const ImpactProblem problem = feet_and_stops(3, 0.0);
  const OuterBound bound = outer_bound(problem, {});
  EXPECT_EQ(bound.method, BoundMethod::hulls);
  EXPECT_TRUE(bound.closed());
  EXPECT_LE(worst_excess(problem, bound, 2000), 5e-9);
}

/// By hand: a mass on walls without friction ends at rest in each wall's direction.
TEST(FrictionlessBounds, OfAMassInACornerOfFiveWallsIsItsOnlyOutcome) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::VectorXd::LinSpaced(5, 1.0, 3.0).asDiagonal();
  problem.normal_jacobian = Eigen::MatrixXd::Identity(5, 5);
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(5, 5);
  problem.friction = Eigen::VectorXd::Zero(5);
  problem.pre_impact_velocity = -Eigen::VectorXd::Ones(5);
  BoundOptions options;
  options.termination_tolerance = 0.0;
  const OuterBound bound = outer_bound(problem, options);
  EXPECT_EQ(bound.method, BoundMethod::hulls);
  EXPECT_TRUE(bound.closed());
  for (const BoundedQuantity& one : bound.directions) {
    EXPECT_NEAR(one.low, 0.0, 1e-15) << one.name;
    EXPECT_NEAR(one.high, 0.0, 1e-15) << one.name;
  }
}

TEST(FrictionlessBounds, OfStepsHoldOutcomesAndTakeFewerPrograms) {
  std::uint64_t programs[2];
  for (const bool little : {false, true}) {
    const ImpactProblem problem = feet_and_stops(2, little ? 1e-7 : 0.0);
    const StepSpace space(problem, ImpactGeometry(problem).dimension());
    ProofWork work(0);
    const TemplateBound found = template_bound(space, 2, 1'000'000, work);
    ASSERT_EQ(found.steps, 2);
    programs[little ? 1 : 0] = found.counts.solved;
    SamplingOptions options;
    options.trajectories = 500;
    options.set_valued().caps = CapsDistribution{};
    options.max_steps = 1;  // the final step is the second
    const RowMatrix outcomes = sample(problem, options).outcomes();
    ASSERT_GT(outcomes.rows(), 10);
    for (std::size_t row = 0; row < found.rows.size(); ++row) {
      const Eigen::VectorXd gradient = space.gradient(found.rows[row]);
      EXPECT_LE((outcomes * gradient).maxCoeff(),
                found.offsets(static_cast<Eigen::Index>(row)) + 1e-8);
    }
  }
  EXPECT_LT(2 * programs[0], programs[1]);
}

}  // namespace
}  // namespace carom
