// Contacts that stay closed while bodies turn: they have no impacts at steps of 0.1 to 10 ms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "carom/roll.hpp"
#include "tests/support/roll_options.hpp"

namespace carom {
namespace {

using test::roll_options;

constexpr double steps[] = {1e-2, 5e-3, 2e-3, 1e-3, 1e-4};
constexpr double gravity = 9.81;

/// A ladder of 2 m, without friction, slides down a wall from rest.
struct Ladder {
  static constexpr double mass = 3.0;
  static constexpr double inertia = 1.0;
  double slope = 70.0 * M_PI / 180.0;
  PlanarWorld world{.bodies = {{.name = "ladder",
                                .points = {{{-1.0, 0.0}, {1.0, 0.0}}},
                                .mass = mass,
                                .inertia = inertia,
                                .position = {std::cos(slope), std::sin(slope), -slope}}},
                    .floors = {{.name = "floor"}, {.name = "wall", .normal = {1.0, 0.0}}},
                    .friction = 0.0};

  /// Of its upper end, which lands. The ladder leaves the wall at two thirds of its height, by the
  /// energy of both motions.
  double landing_speed() const {
    const double top = std::sin(slope);
    const double left = 2.0 / 3.0 * top;
    const double turning = std::sqrt(2.0 * mass * gravity * (top - left) / (mass + inertia));
    const double forward = turning * left;
    return 2.0 * std::sqrt(mass * (2.0 * gravity * top - forward * forward) / (mass + inertia));
  }
};

TEST(KeptContacts, OfALadderLetItLandOnce) {
  const Ladder ladder;
  for (const double step : steps) {
    const Rollouts slid = roll(ladder.world, {}, roll_options(1, 1.5, step));
    EXPECT_EQ(slid.impacts[0], 1u) << step;
    EXPECT_NEAR(slid.first_time[0], 0.838357, step);  // by a method of eighth order
  }
}

TEST(KeptContacts, AreNoFirstImpact) {
  const Ladder ladder;
  const ImpactProblem landing = first_impact(ladder.world);
  EXPECT_THAT(landing.contact_names, testing::ElementsAre("ladder 1 floor", "ladder 2 floor"));
  const double speed = landing.normal_jacobian.row(0) * landing.pre_impact_velocity;
  EXPECT_NEAR(speed, -ladder.landing_speed(), 1e-3);
  ASSERT_FALSE(landing.doubts.empty());
  EXPECT_EQ(landing.doubts.back().code, "first_impact");
  EXPECT_THAT(landing.doubts.back().text, testing::HasSubstr("0.83835"));
}

/// A rod in space, one end of which slides on the floor while the rod falls.
TEST(KeptContacts, OfARodInSpaceHaveNoImpacts) {
  const double slope = M_PI / 3.0;
  SpatialWorld world{
      .bodies = {{.name = "rod",
                  .mass = 1.0,
                  .inertia =
                      Eigen::Vector3d(1e-3, 1.0 / 12.0, 1.0 / 12.0).asDiagonal().toDenseMatrix()}},
      .floors = {{.name = "ground"}},
      .friction = 0.0};
  SpatialBody& rod = world.bodies[0];
  rod.points = {Eigen::Vector3d(-0.5, 0.0, 0.0), Eigen::Vector3d(0.5, 0.0, 0.0)};
  rod.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(slope, Eigen::Vector3d::UnitY()));
  rod.position = {0.0, 0.0, 0.5 * std::sin(slope)};
  rod.angular_velocity = {0.0, 0.0, 3.0};
  for (const double step : steps) {
    const Rollouts slid = roll(world, {}, roll_options(1, 0.25, step));
    EXPECT_EQ(slid.impacts[0], 0u) << step;
    const double* const last = &slid.position[7 * (slid.time.size() - 1)];
    const Eigen::Quaterniond orientation(last[3], last[4], last[5], last[6]);
    const double end = last[2] + (orientation * rod.points.back()).z();
    EXPECT_LE(end, 1e-6) << step;
    EXPECT_GE(end, -1e-6 - 40.0 * step * step * step) << step;
  }
}

/// A box that rests within the window rests there.
TEST(KeptContacts, WithinTheWindowStayWhereTheyAre) {
  const PlanarWorld world{
      .bodies = {{.name = "box",
                  .corners = {{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}},
                  .mass = 1.0,
                  .position = {0.0, 0.109, 0.0}}},
      .floors = {{.name = "ground"}},
      .friction = 0.5};
  RollOptions asked = roll_options(1, 0.5, 1e-3);
  asked.window = 0.01;
  const Rollouts lay = roll(world, {}, asked);
  EXPECT_EQ(lay.status[0], RolloutStatus::at_rest);
  EXPECT_NEAR(lay.position[3 * (lay.time.size() - 1) + 1], 0.109, 1e-9);
}

/// A block that slides over the end of a table does not lose its corner by an error.
TEST(KeptContacts, EndWhereASideEnds) {
  const auto box = [](const char* name, double half, double height, double mass, double x,
                      double y) {
    return PlanarBody{
        .name = name,
        .corners = {{-half, -height}, {half, -height}, {half, height}, {-half, height}},
        .mass = mass,
        .position = {x, y, 0.0}};
  };
  PlanarWorld world{
      .bodies = {box("table", 0.5, 0.2, 50.0, 0.0, 0.2), box("block", 0.15, 0.05, 1.0, 0.34, 0.45)},
      .floors = {{.name = "ground"}},
      .friction = 0.0};
  world.bodies[1].velocity.x() = 0.2;
  for (const double step : steps) {
    const Rollouts slid = roll(world, {}, roll_options(1, 0.2, step));
    EXPECT_EQ(slid.impacts[0], 0u) << step;
  }
}

}  // namespace
}  // namespace carom
