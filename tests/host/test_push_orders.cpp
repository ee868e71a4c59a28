#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "carom/carom.hpp"
#include "host/bounds/impact_geometry.hpp"
#include "host/bounds/push_order.hpp"
#include "tests/support/random_problem.hpp"

namespace carom {
namespace {

ImpactProblem of_scenario(const std::string& name) {
  const auto file = std::filesystem::path(CAROM_SOURCE_DIR) / "scenarios" / (name + ".toml");
  return validated(load_scenario(file.string()).problem);
}

struct Orders {
  StepSpace space;
  PushSpace pushes;

  explicit Orders(const ImpactProblem& problem)
      : space(problem, ImpactGeometry(problem).dimension()), pushes(space, 1e-8) {}

  /// What a quantity of outcomes is at most.
  double most(const Eigen::VectorXd& row, int programs) const {
    ProofWork work(1);
    const StepSpace::Speed speed = space.speed(row);
    const OrderLimits limits{programs, 1'000'000'000'000};
    const OrderBound found = bound_by_orders(pushes, speed.normal, limits, work);
    EXPECT_LE(found.programs, static_cast<std::uint64_t>(programs) + 20);
    return speed.length * (found.most + speed.constant);
  }
};

/// Ends that hulls have found exactly, but for what violations that are not told apart leave.
TEST(PushOrders, AreTightForABoxAtAWallAndNearlySoForARockingBlock) {
  const ImpactProblem box = of_scenario("box_wall");
  const Orders of_box(box);
  EXPECT_NEAR(of_box.most(box.normal_jacobian.row(1), 1000), 0.1056423, 2e-5);
  EXPECT_NEAR(of_box.most(box.tangent_jacobian.row(0), 1000), 0.3720978, 1e-5);
  EXPECT_NEAR(of_box.most(-box.tangent_jacobian.row(1), 1000), 0.0725422, 1e-5);
  const ImpactProblem block = of_scenario("rocking_block");
  const double lift = Orders(block).most(block.normal_jacobian.row(0), 1000);
  EXPECT_GT(lift, 0.0930184);
  EXPECT_LT(lift, 0.1003);
}

TEST(PushOrders, OfWhichMoreAreToldApartBoundNoLess) {
  const ImpactProblem brick = of_scenario("brick_corners");
  const Orders orders(brick);
  const Eigen::VectorXd row = brick.normal_jacobian.row(0);
  const double by_energy =
      std::sqrt(brick.pre_impact_velocity.dot(brick.mass_matrix * brick.pre_impact_velocity) *
                row.dot(brick.mass_matrix.ldlt().solve(row)));
  double before = by_energy;
  for (const int programs : {0, 4, 16, 64, 256}) {
    const double most = orders.most(row, programs);
    EXPECT_LE(most, before * (1.0 + 1e-6)) << programs;
    before = most;
  }
  EXPECT_LT(before, 0.2 * by_energy);
  EXPECT_GT(before, 0.275) << "an outcome that was found";
}

/// Ends of each contact's speeds, against outcomes of steps with all solutions.
double worst_of_ends(const ImpactProblem& problem, int programs, std::uint32_t seed) {
  const Orders orders(problem);
  SamplingOptions options;
  options.trajectories = 400;
  options.seed = seed;
  options.max_steps = 200;
  options.set_valued().solutions = Solutions::all;
  const RowMatrix outcomes = sample(problem, options).outcomes();
  double worst = -1.0;
  if (outcomes.rows() == 0) return worst;
  Eigen::MatrixXd rows(problem.normal_jacobian.rows() + problem.tangent_jacobian.rows(),
                       problem.velocities());
  rows << problem.normal_jacobian, problem.tangent_jacobian;
  for (Eigen::Index i = 0; i < 2 * rows.rows(); ++i) {
    const Eigen::VectorXd row = (i % 2 == 0 ? 1.0 : -1.0) * rows.row(i / 2);
    if (orders.space.speed(row).length == 0.0) continue;
    worst = std::max(worst, (outcomes * row).maxCoeff() - orders.most(row, programs));
  }
  return worst;
}

TEST(PushOrders, HoldEveryOutcomeOfRandomProblems) {
  test::Random random(2027);
  int tested = 0;
  for (int i = 0; i < 40; ++i) {
    const int contacts = 1 + i % 4;
    const bool in_space = i % 5 == 4 && contacts < 4;
    const ImpactProblem problem = validated(test::random_problem(
        random, contacts, 2 + i % 6, i % 3 == 0 ? 0.3 : -1.0, in_space ? 2 : 1, in_space ? 4 : 2));
    if (!friction_cone_support(problem)) continue;
    for (const int programs : {1, 60}) {
      EXPECT_LE(worst_of_ends(problem, programs, static_cast<std::uint32_t>(i)), 1e-7)
          << "problem " << i << ", " << programs << " programs";
    }
    ++tested;
  }
  EXPECT_GT(tested, 20);
}

/// Nothing separates without a push.
TEST(PushProgram, KnowsThatAnOrderIsImpossible) {
  const ImpactProblem block = of_scenario("rocking_block");
  const Orders orders(block);
  const Eigen::VectorXd goal = orders.space.normal(0).normal;
  const std::vector<char> none(orders.pushes.edges().size(), 1);
  PushProgram program(orders.pushes, goal, {}, none, orders.pushes.most());
  program.solve(-1.0);
  EXPECT_TRUE(program.is_impossible());
  const std::vector<char> idle(none.size(), 0);
  PushProgram all(orders.pushes, goal, {}, idle, orders.pushes.most());
  all.solve(-1.0);
  EXPECT_TRUE(all.is_solved());
  EXPECT_GT(all.bound(), 0.3);
}

TEST(PushProgram, ProvesNoLessThanAnOutcomeAtEachIterate) {
  const ImpactProblem brick = of_scenario("brick_corners");
  const Orders orders(brick);
  const StepSpace::Speed speed = orders.space.normal(0);
  const double found = 0.275 / speed.length - speed.constant;
  const std::vector<char> idle(orders.pushes.edges().size(), 0);
  for (double enough = 1.0; enough > found; enough -= 0.05) {
    PushProgram program(orders.pushes, speed.normal, {}, idle, orders.pushes.most());
    program.solve(enough);
    EXPECT_GE(program.bound(), found);
  }
}

TEST(Bounds, OfARobotWithFourFeetAreNearWhatIsFound) {
  const ImpactProblem robot = of_scenario("mujoco_quadruped");
  SamplingOptions sampling;
  sampling.trajectories = 1000;
  const BoundCheck check = check_bound(robot, resolved(sampling, robot), {.orders = 40});
  EXPECT_GT(check.outcomes, 900u);
  EXPECT_EQ(check.outside, 0u);
  const OuterBound& bound = check.bound;
  EXPECT_EQ(bound.method, BoundMethod::orders);
  EXPECT_TRUE(bound.closed());
  EXPECT_EQ(bound.verified, Verified::certified);
  const OuterBound wide = outer_bound(robot, {.orders = 0});
  EXPECT_EQ(wide.method, BoundMethod::energy);
  for (std::size_t i = 0; i < bound.directions.size(); ++i) {
    EXPECT_LE(bound.directions[i].high, wide.directions[i].high);
    EXPECT_GE(bound.directions[i].low, wide.directions[i].low);
  }
  for (std::size_t foot = 0; foot < 4; ++foot) {
    const double lift = bound.directions[3 * foot].high;
    EXPECT_LT(lift, 0.2 * wide.directions[3 * foot].high) << foot;
  }
}

TEST(Bounds, TellOrdersApartOfStatedDirectionsAlone) {
  const ImpactProblem brick = of_scenario("brick_corners");
  BoundOptions options;
  options.orders = 10;
  options.directions = {{"spin", Eigen::VectorXd::Unit(6, 3)}};
  const OuterBound all = outer_bound(brick, options);
  options.stated_alone = true;
  const OuterBound one = outer_bound(brick, options);
  options.orders = 0;
  const OuterBound none = outer_bound(brick, options);
  EXPECT_EQ(one.directions.back().high, all.directions.back().high);
  EXPECT_LT(one.directions.back().high, none.directions.back().high);
  EXPECT_EQ(one.directions.front().high, none.directions.front().high);
  EXPECT_LT(one.programs, all.programs / 5);
  EXPECT_EQ(outer_bound(brick, {.orders = 5, .stated_alone = true}).programs, 0u);
}

TEST(Bounds, AreThoseOfTheEnergyWhereDoublesProveNothing) {
  ImpactProblem brick = of_scenario("brick_corners");
  const auto couple = [&](double part) {
    brick.mass_matrix(0, 1) = brick.mass_matrix(1, 0) = part * brick.mass_matrix(0, 0);
    return outer_bound(brick, {.orders = 1}).method;
  };
  EXPECT_EQ(couple(1.0 - 1e-8), BoundMethod::orders);
  EXPECT_EQ(couple(1.0 - 1e-10), BoundMethod::energy);
}

}  // namespace
}  // namespace carom
