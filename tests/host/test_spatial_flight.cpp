// Bodies in space that turn freely.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/roll.hpp"
#include "tests/support/roll_options.hpp"
#include "tests/support/spatial_bodies.hpp"

namespace carom {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using test::afloat;
using test::BodyState;
using test::brick;
using test::inertia_at;
using test::roll_options;
using test::state_of;

TEST(Spatial, FreeFlightKeepsEnergyAndAngularMomentumToSecondOrder) {
  SpatialWorld world = afloat(brick());
  world.bodies[0].angular_velocity = {0.3, 9.0, 0.4};  // about the axis in the middle: it flips
  world = validated(world);
  double energy_error[2];
  double momentum_error[2];
  for (int i = 0; i < 2; ++i) {
    const Rollouts found = roll(world, {}, roll_options(1, 1.5, i == 0 ? 4e-3 : 2e-3));
    ASSERT_EQ(found.status[0], RolloutStatus::moving);
    const BodyState first = state_of(found, 0);
    const Vector3d momentum = inertia_at(world, first) * first.rate;
    energy_error[i] = momentum_error[i] = 0.0;
    double flip = 1.0;
    for (int k = 0; k < found.times; ++k) {
      const BodyState now = state_of(found, k);
      const Vector3d its = inertia_at(world, now) * now.rate;
      energy_error[i] =
          std::max(energy_error[i], std::fabs(its.dot(now.rate) / momentum.dot(first.rate) - 1.0));
      momentum_error[i] = std::max(momentum_error[i], (its - momentum).norm() / momentum.norm());
      EXPECT_NEAR(now.turn.norm(), 1.0, 1e-14);
      flip = std::min(flip, (now.turn * Vector3d::UnitY()).y());
    }
    EXPECT_LT(flip, -0.7);  // as the intermediate axis does
  }
  EXPECT_LT(momentum_error[1], 1e-3);
  EXPECT_LT(energy_error[1], 1e-3);
  EXPECT_GT(momentum_error[0] / momentum_error[1], 3.5);
  EXPECT_GT(energy_error[0] / energy_error[1], 3.5);
}

TEST(Spatial, ASymmetricTopPrecessesAsItsClosedFormSays) {
  SpatialBody top{.name = "top", .points = {Vector3d(0.0, 0.0, -0.1)}};
  constexpr double across = 0.02;
  constexpr double along = 0.03;
  top.inertia = Vector3d(across, across, along).asDiagonal();
  top.angular_velocity = {1.0, 0.0, 6.0};
  const SpatialWorld world = validated(afloat(top));
  const Vector3d momentum(across * 1.0, 0.0, along * 6.0);
  double error[2];
  for (int i = 0; i < 2; ++i) {
    constexpr double end = 0.7;
    const Rollouts found = roll(world, {}, roll_options(1, end, i == 0 ? 2e-3 : 1e-3, {end}));
    const Quaterniond precession(
        Eigen::AngleAxisd(momentum.norm() / across * end, momentum.normalized()));
    const Quaterniond spin(
        Eigen::AngleAxisd(6.0 * (1.0 - along / across) * end, Vector3d::UnitZ()));
    error[i] = state_of(found, 0).turn.angularDistance(precession * spin);
  }
  EXPECT_LT(error[1], 1e-4);
  EXPECT_NEAR(error[0] / error[1], 4.0, 0.4);
}

TEST(Spatial, ABallSpinsExactly) {
  SpatialWorld world = afloat({.name = "ball", .radius = 0.1});
  world.bodies[0].angular_velocity = {0.0, 0.0, 40.0};
  const Rollouts found = roll(world, {}, roll_options(1, 2.0, 0.01, {2.0}));
  EXPECT_NEAR(state_of(found, 0).turn.w(), std::cos(40.0), 1e-12);
  EXPECT_NEAR(state_of(found, 0).turn.z(), std::sin(40.0), 1e-12);
}

/// However long a step is, it has parts in which a body turns by little.
TEST(Spatial, AFastSpinKeepsItsEnergy) {
  SpatialWorld world = afloat(brick());
  world.bodies[0].angular_velocity = {30.0, 300.0, 20.0};
  world = validated(world);
  for (const double step : {1e-2, 1e-3}) {
    const Rollouts found = roll(world, {}, roll_options(1, 1.0, step));
    EXPECT_EQ(found.status[0], RolloutStatus::moving);
    const auto energy = [&](int k) {
      const BodyState now = state_of(found, k);
      return 0.5 * now.rate.dot(inertia_at(world, now) * now.rate);
    };
    EXPECT_NEAR(energy(found.times - 1) / energy(0), 1.0, 1e-3);
  }
}

/// A plate that spins at 270 rad/s for half a second before it lands on a corner.
TEST(Spatial, TheFirstImpactAfterAFastSpinIsThatOfShortSteps) {
  const SpatialBody plate{.name = "plate",
                          .size = Vector3d(0.06, 0.04, 0.02),
                          .mass = 0.05,
                          .position = {0.0, 0.0, 1.5},
                          .angular_velocity = {90.0, 60.0, 250.0}};
  const SpatialWorld world{.bodies = {plate}, .floors = {{.name = "floor"}}, .friction = 0.3};
  Vector3d rate[2];
  for (int i = 0; i < 2; ++i) {
    const Rollouts found = roll(world, {}, roll_options(1, 0.549, i == 0 ? 1e-3 : 1e-5, {0.549}));
    rate[i] = state_of(found, 0).rate;
  }
  EXPECT_LT((rate[0] - rate[1]).norm(), 0.01 * rate[1].norm());
}

}  // namespace
}  // namespace carom
