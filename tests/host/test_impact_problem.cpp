#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/bounds.hpp"
#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "carom/scenario.hpp"
#include "tests/support/side_by_side.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

/// A point of mass `mass` in the plane, v = (x', y'), with contacts of the given unit normals;
/// each tangent is its normal turned by a quarter clockwise.
ImpactProblem point_mass(const std::vector<Vector2d>& normals, double friction, double mass = 1.0) {
  const auto m = static_cast<Eigen::Index>(normals.size());
  ImpactProblem problem;
  problem.mass_matrix = mass * MatrixXd::Identity(2, 2);
  problem.normal_jacobian.resize(m, 2);
  problem.tangent_jacobian.resize(m, 2);
  for (Eigen::Index i = 0; i < m; ++i) {
    const Vector2d& normal = normals[static_cast<std::size_t>(i)];
    problem.normal_jacobian.row(i) = normal.transpose();
    problem.tangent_jacobian.row(i) << normal.y(), -normal.x();
  }
  problem.friction = VectorXd::Constant(m, friction);
  problem.pre_impact_velocity = Vector2d(0.3, -1.0);
  return validated(std::move(problem));
}

/// A point on the floor z = 0 in space.
ImpactProblem spatial_point(int directions) {
  ImpactProblem problem;
  problem.mass_matrix = MatrixXd::Identity(3, 3);
  problem.normal_jacobian = Eigen::RowVector3d(0.0, 0.0, 1.0);
  problem.tangent_jacobian = (MatrixXd(2, 3) << 1, 0, 0, 0, 1, 0).finished();
  problem.friction = VectorXd::Constant(1, 0.5);
  problem.pre_impact_velocity = Eigen::Vector3d(0.0, 0.0, -1.0);
  problem.friction_directions = directions;
  return validated(std::move(problem));
}

TEST(FrictionDirections, ArePlusAndMinusInThePlane) {
  const MatrixXd directions = friction_direction_matrix(point_mass({{0.0, 1.0}}, 0.5));
  EXPECT_EQ(directions, (MatrixXd(2, 1) << 1.0, -1.0).finished());
}

TEST(FrictionDirections, StartAlongTheFirstTangentAndTurnEquallyInSpace) {
  const MatrixXd four = friction_direction_matrix(spatial_point(4));
  EXPECT_TRUE(four.isApprox((MatrixXd(4, 2) << 1, 0, 0, 1, -1, 0, 0, -1).finished(), 0.0));
  for (const int k : {6, 8, 10}) {
    const MatrixXd directions = friction_direction_matrix(spatial_point(k));
    for (int j = 0; j < k; ++j) {
      EXPECT_NEAR(directions.row(j).norm(), 1.0, 1e-15);
      EXPECT_NEAR(directions.row(j).dot(directions.row((j + 1) % k)),
                  std::cos(2.0 * 3.14159265358979323846 / k), 1e-15);
      EXPECT_EQ(directions.row(j), -directions.row((j + k / 2) % k)) << "exactly opposite";
    }
  }
}

TEST(ContactJacobian, StacksNormalsThenEachContactsDirections) {
  const MatrixXd jacobian = contact_jacobian(point_mass({{0.0, 1.0}, {1.0, 0.0}}, 0.5));
  EXPECT_EQ(jacobian, (MatrixXd(6, 2) << 0, 1, 1, 0, 1, 0, -1, 0, 0, -1, 0, 1).finished());
}

TEST(Delassus, IsTheInverseMassSeenFromTheContacts) {
  const MatrixXd delassus = delassus_matrix(point_mass({{0.0, 1.0}}, 0.5, 2.0));
  EXPECT_TRUE(delassus.isApprox(
      (MatrixXd(3, 3) << 0.5, 0, 0, 0, 0.5, -0.5, 0, -0.5, 0.5).finished(), 1e-15));
}

TEST(Psi, OfADiscOnTheFloorIsASquareRoot) {
  // M^-1 J' has columns (0, 1, 0) and +-(1, 0, 2): sigma_max = sqrt(2 * 5).
  const ImpactProblem disc = validated(test::reference_problem("ball_fall"));
  EXPECT_NEAR(psi(disc), 2.0 * std::sqrt(10.0) + 1.0, 1e-14);
  // M^(-1/2) J': +-(1, 0, sqrt 2), sigma_max = sqrt(2 * 3).
  EXPECT_NEAR(psi(disc, Norm::kinetic), 2.0 * std::sqrt(6.0) + 1.0, 1e-14);
}

TEST(ImpactProblem, IsRefusedByItsFunctionsWhereSizesDisagree) {
  const auto refuses = [](auto change) {
    ImpactProblem problem = point_mass({{0.0, 1.0}}, 0.5, 2.0);
    change(problem);
    EXPECT_THROW(psi(problem), InputError);
    EXPECT_THROW(stopping_impulse(problem), InputError);
    EXPECT_THROW(delassus_matrix(problem), InputError);
    EXPECT_THROW(contact_jacobian(problem), InputError);
    EXPECT_THROW(friction_cone_support(problem), InputError);
  };
  refuses([](ImpactProblem& problem) { problem.tangent_jacobian.resize(0, 0); });
  refuses([](ImpactProblem& problem) { problem.normal_jacobian.resize(1, 3); });
  refuses([](ImpactProblem& problem) { problem.friction.resize(2); });
  refuses([](ImpactProblem& problem) { problem.friction_directions = 3; });
  const ImpactProblem problem = point_mass({{0.0, 1.0}}, 0.5, 2.0);
  EXPECT_THROW(kinetic_energy(problem, Eigen::VectorXd::Zero(1)), InputError);
  EXPECT_THROW(colliding(problem, Eigen::VectorXd::Zero(3), 0.0), InputError);
  EXPECT_THROW(colliding(ImpactProblem{}, Eigen::VectorXd(), 0.0), InputError);
  const Eigen::Vector2d none(0.0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(colliding(problem, none, 0.0), InputError);
  EXPECT_THROW(colliding(problem, Eigen::Vector2d::Zero(), none(1)), InputError);
  ImpactProblem wrong = problem;
  wrong.normal_jacobian.resize(0, 2);
  EXPECT_THROW(colliding(wrong, wrong.pre_impact_velocity, 0.0), InputError);
  wrong = problem;
  wrong.friction_directions = -4;
  EXPECT_THROW(friction_direction_matrix(wrong), InputError);
  wrong = problem;
  wrong.tangent_jacobian.resize(0, 2);
  EXPECT_THROW(friction_direction_matrix(wrong), InputError);
  const OuterBound bound = outer_bound(problem, {});
  EXPECT_THROW(excess(bound, Eigen::VectorXd::Zero(3)), InputError);
}

TEST(KineticEnergy, IsHalfMassTimesSpeedSquared) {
  EXPECT_DOUBLE_EQ(kinetic_energy(point_mass({{0.0, 1.0}}, 0.5, 3.0), Vector2d(1.0, -2.0)), 7.5);
}

/// A heavy block lies on a light one that hits the floor: each contact stops by the light one's
/// momentum, again and again, until the heavy one's is gone.
TEST(StoppingImpulse, IsThatOfBodiesThatPressOneAnotherOn) {
  ImpactProblem problem;
  problem.normal_jacobian = Eigen::Matrix2d{{1, 0}, {-1, 1}};
  problem.tangent_jacobian = Eigen::Matrix2d::Zero();
  problem.friction = Vector2d::Zero();
  problem.pre_impact_velocity = Vector2d(-1.0, -1.0);
  for (const double heavy : {1.0, 10.0, 1e3, 1e6, 1e9}) {
    problem.mass_matrix = Vector2d(1.0, heavy).asDiagonal();
    const double together = 1.0 + heavy;
    EXPECT_NEAR(stopping_impulse(problem), together, 0.01 * together) << heavy;
  }
  problem.normal_jacobian.row(1) << 1.0, 1.0;  // a contact that is helped
  EXPECT_DOUBLE_EQ(stopping_impulse(problem), 2.0 / (1.0 + 1e-9));
}

TEST(StoppingImpulse, IsTheLargestOfApproachingContacts) {
  ImpactProblem problem = point_mass({{0.0, 1.0}, {1.0, 0.0}}, 0.5, 2.0);
  EXPECT_DOUBLE_EQ(stopping_impulse(problem), 2.0);  // 2 kg at 1 m/s; the wall is left at 0.3 m/s
  problem.pre_impact_velocity = Vector2d(-3.0, -1.0);
  EXPECT_DOUBLE_EQ(stopping_impulse(problem), 6.0);
  problem.pre_impact_velocity = Vector2d(1.0, 0.0);
  EXPECT_EQ(stopping_impulse(problem), 0.0);
}

/// A rod's end slides while it hits the floor, and friction presses it down: by Coulomb's law it
/// needs 1 / (2 - friction) N·s, and from friction 2 on, where it jams, as much as stops its slip.
TEST(DefaultImpulseStep, IsWhatFrictionDemands) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Matrix3d::Identity();
  problem.normal_jacobian = Eigen::RowVector3d(0.0, 1.0, 1.0);
  problem.tangent_jacobian = Eigen::RowVector3d(1.0, 0.0, 1.0);
  problem.pre_impact_velocity = Eigen::Vector3d(1000.0, -1.0, 0.0);
  for (const auto& [friction, needed] :
       {std::pair(0.0, 0.5), {0.5, 1.0 / 1.5}, {1.5, 2.0}, {1.95, 20.0}, {3.0, 334.0}}) {
    problem.friction = VectorXd::Constant(1, friction);
    EXPECT_DOUBLE_EQ(stopping_impulse(problem), 0.5);
    EXPECT_NEAR(default_impulse_step(problem), needed, 1e-9) << friction;
  }
  problem.pre_impact_velocity = Eigen::Vector3d(-1000.0, -1.0, 0.0);  // friction lifts it
  EXPECT_NEAR(default_impulse_step(problem), 0.5, 1e-9);
}

/// Two feet under 1 kg that is easy to turn: each alone stops for next to nothing.
TEST(DefaultImpulseStep, IsWhatContactsNeedTogether) {
  ImpactProblem problem;
  for (const auto& [inertia, expected] : {std::pair(1.0, 0.9615), {1e-4, 0.5}, {1e-8, 0.5}}) {
    problem.mass_matrix = Eigen::Vector3d(1.0, 1.0, inertia).asDiagonal();
    problem.normal_jacobian = Eigen::Matrix<double, 2, 3>{{0.0, 1.0, -0.2}, {0.0, 1.0, 0.2}};
    problem.tangent_jacobian = Eigen::Matrix<double, 2, 3>{{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    problem.friction = Eigen::Vector2d(0.0, 0.0);
    problem.pre_impact_velocity = Eigen::Vector3d(0.0, -1.0, 0.0);
    EXPECT_NEAR(default_impulse_step(problem), expected, 1e-3) << inertia;
  }
  EXPECT_NEAR(stopping_impulse(problem), 0.5, 1e-3);
}

/// A thin body whose contact B separates, and can jam all the same (Painlevé): of the solutions of
/// a step with a cap for B, one has a normal impulse of 0.205 N·s.
TEST(DefaultImpulseStep, CountsEverySolutionWhereTrajectoriesTakeEach) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Vector3d(1.0, 1.0, 1e-3).asDiagonal();
  problem.normal_jacobian = Eigen::Matrix<double, 2, 3>{{1.0, 0.0, 0.385}, {0.0, 1.0, 0.417}};
  problem.tangent_jacobian = Eigen::Matrix<double, 2, 3>{{0.0, -1.0, 0.195}, {1.0, 0.0, -0.345}};
  problem.friction = Eigen::Vector2d(0.5, 2.0);
  problem.pre_impact_velocity = Eigen::Vector3d(-1.35, 1.12, -1.37);
  SamplingOptions options;
  options.epsilon = 0.01;
  EXPECT_NEAR(resolved(options, problem).impulse_step, 1.25 * 0.2054, 1e-4);
  const ImpactProblem two = test::side_by_side(problem, problem);
  EXPECT_NEAR(resolved(options, two).impulse_step, 1.25 * 0.2054, 1e-4) << "of a search";
  options.set_valued().solutions = Solutions::first;
  EXPECT_NEAR(resolved(options, problem).impulse_step, 0.0126, 1e-4);
}

TEST(Colliding, MeansApproachingFasterThanTheTolerance) {
  const ImpactProblem problem = point_mass({{0.0, 1.0}}, 0.5);
  EXPECT_TRUE(colliding(problem, Vector2d(0.0, -1.1e-8), 1e-8));
  EXPECT_FALSE(colliding(problem, Vector2d(0.0, -1e-8), 1e-8));
  EXPECT_FALSE(colliding(problem, Vector2d(0.0, 1.0), 1e-8));
}

TEST(FrictionConeSupport, PointsAlongTheNormalOfOneContact) {
  // Rays (+-0.25, 0.5): r must have 0.5 r_y - 0.25 |r_x| >= 1.
  const auto support = friction_cone_support(point_mass({{0.0, 1.0}}, 0.5, 2.0));
  ASSERT_TRUE(support);
  EXPECT_TRUE(support->isApprox(Vector2d(0.0, 2.0), 1e-12));
}

TEST(FrictionConeSupport, LiesOnTheAxisOfAFrictionlessGroove) {
  // Normals (+-0.6, 0.8): the shortest r is (0, 1 / 0.8).
  const auto support = friction_cone_support(point_mass({{0.6, 0.8}, {-0.6, 0.8}}, 0.0));
  ASSERT_TRUE(support);
  EXPECT_TRUE(support->isApprox(Vector2d(0.0, 1.25), 1e-12));
}

TEST(FrictionConeSupport, LiftsABlockOnTwoCorners) {
  // Left-right symmetry leaves (0, r_y, 0), and M = 1 kg makes r_y = 1.
  const auto support = friction_cone_support(systems().front().build({}));
  ASSERT_TRUE(support);
  EXPECT_TRUE(support->isApprox(Eigen::Vector3d(0.0, 1.0, 0.0), 1e-12));
}

/// Whether a cone is pointed is no matter of masses.
TEST(FrictionCone, IsPointedWhateverTheMasses) {
  ImpactProblem problem;
  problem.normal_jacobian = Eigen::Matrix2d{{1, 0}, {-1, 1}};
  problem.tangent_jacobian = Eigen::Matrix2d::Zero();
  problem.friction = Eigen::Vector2d::Zero();
  problem.pre_impact_velocity = Eigen::Vector2d(-1.0, -1.0);
  for (const double ratio : {1.0, 1e4, 1e8, 1e12}) {
    problem.mass_matrix = Eigen::Vector2d(1.0 / std::sqrt(ratio), std::sqrt(ratio)).asDiagonal();
    const auto support = friction_cone_support(problem);
    ASSERT_TRUE(support.has_value()) << ratio;
    const Eigen::Vector2d speeds =
        problem.normal_jacobian * problem.mass_matrix.inverse() * *support;
    EXPECT_GE(speeds.minCoeff(), 1.0 - 1e-6) << ratio;
    problem.normal_jacobian(1, 1) = 0.0;  // two normals against one another
    EXPECT_FALSE(friction_cone_support(problem)) << ratio;
    problem.normal_jacobian(1, 1) = 1.0;
  }
}

TEST(FrictionConeSupport, DoesNotExistBetweenOppositeWalls) {
  EXPECT_FALSE(friction_cone_support(point_mass({{1.0, 0.0}, {-1.0, 0.0}}, 0.0)));
  EXPECT_FALSE(friction_cone_support(point_mass({{1.0, 0.0}, {-1.0, 0.0}}, 0.5)));
  // Nearly opposite walls jam as soon as friction bridges the wedge: tan of half the angle is 0.75.
  EXPECT_TRUE(friction_cone_support(point_mass({{0.8, 0.6}, {-0.8, 0.6}}, 0.7)));
  EXPECT_FALSE(friction_cone_support(point_mass({{0.8, 0.6}, {-0.8, 0.6}}, 0.8)));
}

TEST(FrictionConeSupport, MeetsEveryConditionAtItsShortest) {
  ImpactProblem problem = point_mass({{0.6, 0.8}, {-0.8, 0.6}}, 0.1);
  const auto support = friction_cone_support(problem);
  ASSERT_TRUE(support);
  // Shortest: every r a little shorter in any direction breaks a condition.
  const auto least = [&](const VectorXd& r) {
    const VectorXd product = contact_jacobian(problem) * r;
    return std::min({product(0) + 0.1 * product(2), product(0) + 0.1 * product(3),
                     product(1) + 0.1 * product(4), product(1) + 0.1 * product(5)});
  };
  EXPECT_GE(least(*support), 1.0 - 1e-12);
  for (int degree = 0; degree < 360; ++degree) {
    const double angle = degree * 3.14159265358979323846 / 180.0;
    const VectorXd moved = *support + 1e-3 * Vector2d(std::cos(angle), std::sin(angle));
    const bool shorter = moved.norm() < support->norm() * (1.0 - 1e-9);
    EXPECT_TRUE(!shorter || least(moved) < 1.0) << degree;
  }
}

TEST(FrictionConeSupport, HoldsWhereFrictionIsHuge) {
  const auto support = friction_cone_support(point_mass({{0.0, 1.0}}, 1e8));
  ASSERT_TRUE(support);
  EXPECT_TRUE(support->isApprox(Vector2d(0.0, 1.0), 1e-9));
}

TEST(Validate, NamesContactsByLetters) {
  const ImpactProblem problem = point_mass({{0.0, 1.0}, {1.0, 0.0}}, 0.5);
  EXPECT_EQ(problem.contact_names, (std::vector<std::string>{"A", "B"}));
}

TEST(Validate, AcceptsASeparatedVelocity) {
  ImpactProblem problem = point_mass({{0.0, 1.0}}, 0.5);
  problem.pre_impact_velocity = Vector2d(0.0, 1.0);
  EXPECT_NO_THROW(validated(problem));
}

TEST(Validate, EvensOutTheLastDigitsOfTheMassMatrix) {
  ImpactProblem problem = point_mass({{0.0, 1.0}}, 0.5);
  problem.mass_matrix(0, 1) = 0.25;
  problem.mass_matrix(1, 0) = 0.25 + 1e-13;
  const ImpactProblem even = validated(problem);
  EXPECT_EQ(even.mass_matrix(0, 1), even.mass_matrix(1, 0));
}

}  // namespace
}  // namespace carom
