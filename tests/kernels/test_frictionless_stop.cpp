#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/base/lanes.hpp"
#include "kernels/problem/frictionless_stop.hpp"
#include "tests/kernels/impulses_by_sets.hpp"

namespace carom {
namespace {

using test::largest_by_sets;
using test::Real;
using test::RealMatrix;
using test::RealVector;

struct Found {
  double impulse;
  Eigen::VectorXd after;  ///< speeds
};

Found stop(const Eigen::MatrixXd& delassus, const Eigen::VectorXd& speed, int rank) {
  Found found{.impulse = 0.0, .after = speed};
  const int m = static_cast<int>(speed.size());
  std::vector<double> factor(static_cast<std::size_t>(rank * m));
  FrictionlessStop<8> stops;
  found.impulse =
      stops.largest_impulse({m, 1, delassus.data(), m, found.after.data(), factor.data(), m, rank});
  return found;
}

/// Masses span eight decades, so that contacts in turn would take thousands of rounds.
TEST(FrictionlessStop, EndsTheApproachOfIndependentContacts) {
  std::mt19937_64 random(3);
  std::normal_distribution<> normal;
  std::uniform_real_distribution<> decade(-8.0, 0.0);
  int colliding = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int m = 2 + trial % 5;
    const Eigen::Index nv = m + trial % 3;
    RealMatrix jacobian(m, nv);
    RealVector mass(nv), velocity(nv);
    for (Real& entry : jacobian.reshaped()) entry = normal(random);
    for (Real& entry : mass) entry = std::pow(10.0, decade(random));
    for (Real& entry : velocity) entry = normal(random);
    const RealMatrix delassus = jacobian * mass.cwiseInverse().asDiagonal() * jacobian.transpose();
    const RealVector speed = jacobian * velocity;
    const Real wanted = speed.minCoeff() < 0 ? largest_by_sets(delassus, speed) : NAN;
    if (std::isnan(wanted)) continue;
    ++colliding;
    const Found found = stop(delassus.cast<double>(), speed.cast<double>(), static_cast<int>(nv));
    EXPECT_GE(found.impulse, (1 - 1e-6L) * wanted) << trial;
    const Eigen::VectorXd before = speed.cast<double>();
    EXPECT_GE(found.after.minCoeff(), -1e-6 * before.cwiseAbs().maxCoeff()) << trial;
  }
  EXPECT_GT(colliding, 1000);
}

/// Four feet of a stool that is easy to turn, which three of them would stop.
TEST(FrictionlessStop, EndsTheApproachOfRedundantContacts) {
  Eigen::MatrixXd jacobian(4, 3);
  jacobian << 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1;
  const Eigen::Vector3d inertia(1.0, 1e-7, 1e-7);
  const Eigen::MatrixXd delassus =
      jacobian * inertia.cwiseInverse().asDiagonal() * jacobian.transpose();
  for (const Eigen::Vector3d& velocity :
       {Eigen::Vector3d(-1, 0, 0), Eigen::Vector3d(-1, 0.3, 0), Eigen::Vector3d(-1, 0.3, -0.4)}) {
    const Found found = stop(delassus, jacobian * velocity, 3);
    EXPECT_GE(found.impulse, 0.2499);
    EXPECT_LE(found.impulse, 0.7501);
    EXPECT_GE(found.after.minCoeff(), -1e-6);
  }
}

/// A heavy body on a light one, beside contacts that soon have stopped.
TEST(FrictionlessStop, EndsTheApproachOfASlowGroupBesideAQuickOne) {
  Eigen::Matrix4d delassus = Eigen::Matrix4d::Zero();
  delassus.topLeftCorner<2, 2>() << 1.0, -0.3, -0.3, 1.0;
  const double light = 1e-4, heavy = 100.0;
  delassus.bottomRightCorner<2, 2>() << 1 / light, -1 / light, -1 / light, 1 / light + 1 / heavy;
  const Found found = stop(delassus, Eigen::Vector4d(-1.0, -1.0, -1.0, 0.0), 4);
  EXPECT_NEAR(found.impulse, light + heavy, 1e-6 * heavy);
  EXPECT_GE(found.after.minCoeff(), -1e-9);
}

}  // namespace
}  // namespace carom
