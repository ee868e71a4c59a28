// Friction that stops sliding contacts at once, without a collision (Painleve's paradox).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "carom/roll.hpp"
#include "tests/support/roll_options.hpp"

namespace carom {
namespace {

using test::roll_options;

constexpr double slope = 60.0 * M_PI / 180.0;
const double lever = 0.5 * std::sin(slope);

/// Moves of a tenth of a millisecond.
Rollouts move(const RigidWorld& world) {
  return roll(world, {}, roll_options(1, 1e-4, 1e-4, {1e-4}));
}

bool is_told(const Rollouts& found) {
  return std::ranges::count(found.notes, "tangential_impacts", &Note::code) == 1;
}

/// A rod of 1 m and 1 kg, one end of which slides along the ground while the rod turns.
PlanarWorld rod_world(double friction, double speed, double rate = 0.0) {
  return {.bodies = {{.name = "rod",
                      .points = {{{-0.5, 0.0}, {0.5, 0.0}}},
                      .mass = 1.0,
                      .inertia = 1.0 / 12.0,
                      .position = {0.0, lever, slope},
                      .velocity = {speed - lever * rate, 0.25 * rate, rate}}},
          .floors = {{.name = "ground"}},
          .friction = friction};
}

Rollouts slide(double friction, double speed, double rate = 0.0) {
  return move(rod_world(friction, speed, rate));
}

/// Where the rod leans in the direction in which its end slides, friction presses the end down the
/// more it slides: at 60 degrees that has no bound from friction 1.35 on. Then the end stops at
/// once, and the rod turns about it with the angular momentum about the end that it had.
TEST(TangentialImpacts, StopTheEndOfARod) {
  const Rollouts stopped = slide(2.0, -1.0);
  EXPECT_EQ(stopped.status[0], RolloutStatus::tangential_impact);
  EXPECT_TRUE(is_whole(stopped.status[0]));
  EXPECT_TRUE(is_told(stopped));
  EXPECT_EQ(stopped.impacts[0], 0u);
  const double rate = lever / (1.0 / 12.0 + 0.25);  // about the end, rad/s
  EXPECT_NEAR(stopped.velocity[0], -rate * lever, 2e-3);
  EXPECT_NEAR(stopped.velocity[2], rate, 2e-3);
  // The end comes to a stop in the axes of the middle of a step, a little before or after its end.
  for (const double spin : {-4.0, -1.0, -0.1, 0.1, 4.0}) {
    EXPECT_EQ(slide(2.0, -1.0, spin).status[0], RolloutStatus::tangential_impact) << spin;
  }
}

/// As it lies within what keeps a contact on.
TEST(TangentialImpacts, StopTheEndOfARodThatIsALittleAboveTheGround) {
  for (const double gap : {4e-7, 9e-7}) {
    PlanarWorld world = rod_world(2.0, -1.0);
    world.bodies[0].position.y() += gap;
    RollOptions asked = roll_options(1, 1e-4, 1e-4, {1e-4});
    asked.window = 1e-6;
    EXPECT_EQ(roll(world, {}, asked).status[0], RolloutStatus::tangential_impact) << gap;
  }
}

TEST(TangentialImpacts, AreNoneWhereForcesAreFound) {
  for (const auto& [friction, speed] :
       {std::pair(2.0, 1.0), {1.3, -1.0}, {1.3, 1.0}, {2.0, -0.005}}) {
    const Rollouts slid = slide(friction, speed);
    EXPECT_EQ(slid.status[0], RolloutStatus::moving) << friction << " " << speed;
    EXPECT_FALSE(is_told(slid));
  }
}

/// A point straight below the centre, which no friction presses down, lands slower than what is an
/// impact, and is stopped at once: that is a collision.
TEST(TangentialImpacts, AreNoSlowLandings) {
  const PlanarWorld world{.bodies = {{.name = "post",
                                      .points = {{{0.0, -0.5}}},
                                      .mass = 1.0,
                                      .inertia = 0.002,
                                      .position = {0.0, 0.500001, 0.0},
                                      .velocity = {0.25, -0.008, 0.0}}},
                          .floors = {{.name = "ground"}},
                          .friction = 0.5};
  RollOptions asked = roll_options(1, 5e-3, 1e-3);
  asked.impact_speed = 1e-2;
  const Rollouts landed = roll(world, {}, asked);
  EXPECT_EQ(landed.status[0], RolloutStatus::moving);
  EXPECT_EQ(landed.impacts[0], 0u);
}

/// A heavy block on light discs, which its weight turns as fast as it goes in far less than a step.
TEST(TangentialImpacts, AreNoFastForces) {
  const auto disc = [](const char* name, double x) {
    return PlanarBody{.name = name, .radius = 0.1, .mass = 0.1, .position = {x, 0.1, 0.0}};
  };
  const PlanarWorld world{.bodies = {{.name = "block",
                                      .corners = {{-1, -0.1}, {1, -0.1}, {1, 0.1}, {-1, 0.1}},
                                      .mass = 1000.0,
                                      .position = {0.0, 0.3, 0.0},
                                      .velocity = {0.3, 0.0, 0.0}},
                                     disc("left", -0.7),
                                     disc("right", 0.7)},
                          .floors = {{.name = "ground"}},
                          .friction = 0.3};
  for (const double step : {1e-2, 1e-3}) {
    const Rollouts rolled = roll(world, {}, roll_options(1, 0.1, step));
    EXPECT_EQ(rolled.status[0], RolloutStatus::moving) << step;
    EXPECT_NEAR(rolled.velocity[rolled.velocity.size() - 9], 0.3, 1e-3) << step;
  }
}

/// A box comes to a stop by the forces of friction.
TEST(TangentialImpacts, AreNoneWhereSlidesEndByThemselves) {
  PlanarWorld world{.bodies = {{.name = "box",
                                .corners = {{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}},
                                .mass = 1.0,
                                .position = {0.0, 0.1, 0.0},
                                .velocity = {0.5, 0.0, 0.0}}},
                    .floors = {{.name = "ground"}},
                    .friction = 0.9};
  const Rollouts slid = roll(world, {}, roll_options(1, 0.2, 1e-3));
  EXPECT_EQ(slid.status[0], RolloutStatus::at_rest);
  EXPECT_NEAR(slid.position[3 * (slid.time.size() - 1)], 0.125 / (0.9 * 9.81), 1e-4);
}

/// The same rod in space, turned about the vertical by an angle that is not along any of the
/// pyramid's edges.
TEST(TangentialImpacts, StopTheEndOfARodInSpace) {
  for (const double friction : {2.5, 0.5}) {
    SpatialWorld world{.bodies = {{.name = "rod",
                                   .mass = 1.0,
                                   .inertia = Eigen::Vector3d(1e-3, 1.0 / 12.0, 1.0 / 12.0)
                                                  .asDiagonal()
                                                  .toDenseMatrix()}},
                       .floors = {{.name = "ground"}},
                       .friction = friction};
    SpatialBody& rod = world.bodies[0];
    rod.points = {Eigen::Vector3d(-0.5, 0.0, 0.0), Eigen::Vector3d(0.5, 0.0, 0.0)};
    const Eigen::AngleAxisd heading(0.3, Eigen::Vector3d::UnitZ());
    rod.orientation =
        Eigen::Quaterniond(heading * Eigen::AngleAxisd(-slope, Eigen::Vector3d::UnitY()));
    rod.position = {0.0, 0.0, lever};
    rod.velocity = -(heading * Eigen::Vector3d::UnitX());
    const Rollouts found = move(world);
    const bool jams = friction > 1.0;
    EXPECT_EQ(found.status[0], jams ? RolloutStatus::tangential_impact : RolloutStatus::moving);
    EXPECT_EQ(is_told(found), jams);
    const Eigen::Map<const Eigen::Vector3d> velocity(found.velocity.data());
    const Eigen::Map<const Eigen::Vector3d> rate(found.velocity.data() + 3);
    const Eigen::Vector3d end =
        velocity + rate.cross(rod.orientation * Eigen::Vector3d(-0.5, 0.0, 0.0));
    EXPECT_NEAR(end.norm(), jams ? 0.0 : 1.0, 5e-3);
  }
}

}  // namespace
}  // namespace carom
