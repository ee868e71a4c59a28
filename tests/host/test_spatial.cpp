#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "carom/carom.hpp"
#include "carom/roll.hpp"
#include "carom/rollout_stepper.hpp"
#include "host/roll/impact_in_time.hpp"
#include "host/roll/roll_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "tests/support/roll_options.hpp"
#include "tests/support/same_bits.hpp"
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
using testing::HasSubstr;

TEST(Spatial, AFlatDropHasTheImpactOfTheBrickOnItsCorners) {
  const ImpactProblem expected =
      read_scenario(CAROM_SOURCE_DIR "/scenarios/brick_corners.toml").problem;
  SpatialBody body = brick();
  body.position = {0.3, -0.2, 0.03};
  body.velocity = {0.2, 0.1, -1.0};
  const ImpactProblem found =
      first_impact(SpatialWorld{.bodies = {body}, .floors = {{}}, .friction = 0.5});
  ASSERT_EQ(found.contacts(), 4);
  EXPECT_TRUE(found.mass_matrix.isApprox(expected.mass_matrix, 1e-14));
  EXPECT_TRUE(found.normal_jacobian.isApprox(expected.normal_jacobian, 1e-14));
  EXPECT_TRUE(found.tangent_jacobian.isApprox(expected.tangent_jacobian, 1e-14));
  EXPECT_TRUE(found.pre_impact_velocity.isApprox(expected.pre_impact_velocity, 1e-14));
  EXPECT_EQ(found.friction, expected.friction);
  EXPECT_EQ(found.friction_directions, expected.friction_directions);
}

/// The block of the planar tests that pivots about its left corner at 1 rad/s, x-z being its plane.
PlanarWorld planar_block() {
  PlanarBody body{.name = "block",
                  .corners = {{-0.5, -1.0}, {0.5, -1.0}, {0.5, 1.0}, {-0.5, 1.0}},
                  .position = {0.0, 1.0, 0.0},
                  .velocity = {-1.0, 0.5, 1.0}};
  return {.bodies = {body}, .floors = {{}}, .friction = 1.0};
}

SpatialWorld in_space(SpatialBody body) {
  body.position = {0.0, 0.0, 1.0};
  body.velocity = {-1.0, 0.0, 0.5};
  body.angular_velocity = {0.0, -1.0, 0.0};
  return {.bodies = {body}, .floors = {{}}, .friction = 1.0};
}

/// The angle of a body that turned about -y.
double planar_angle(const BodyState& state) {
  return 2.0 * std::atan2(-state.turn.y(), state.turn.w());
}

TEST(Spatial, ALongBrickTipsAboutItsEdgeAsThePlanarBlockDoes) {
  const RollOptions asked = roll_options(1, 0.9, 1e-3);
  const Rollouts expected = roll(planar_block(), {}, asked);
  const Rollouts found =
      roll(in_space({.name = "block", .size = Vector3d(1.0, 4.0, 2.0)}), {}, asked);
  for (int k = 0; k < found.times; ++k) {
    const BodyState now = state_of(found, k);
    const double* q = &expected.position[3 * static_cast<std::size_t>(k)];
    EXPECT_NEAR(now.position.x(), q[0], 2e-6) << k;
    EXPECT_NEAR(now.position.y(), 0.0, 1e-12) << k;
    EXPECT_NEAR(now.position.z(), q[1], 2e-6) << k;
    EXPECT_NEAR(planar_angle(now), q[2], 2e-6) << k;
  }
}

TEST(Spatial, TwoPointsInAPlaneRockAsThePlanarBlockDoes) {
  SpatialBody body{.name = "block", .points = {{-0.5, 0.0, -1.0}, {0.5, 0.0, -1.0}}};
  body.inertia = Vector3d(1.0, 5.0 / 12.0, 1.0).asDiagonal();
  const RollOptions asked = roll_options(1, 2.5, 1e-3);
  const Rollouts expected = roll(planar_block(), {}, asked);
  const Rollouts found = roll(in_space(body), {}, asked);
  EXPECT_EQ(found.impacts, expected.impacts);
  for (std::size_t e = 0; e < 5; ++e) {
    EXPECT_NEAR(found.event_time[e], expected.event_time[e], 2e-5) << e;
    EXPECT_NEAR(found.event_energy[e], expected.event_energy[e], 1e-6) << e;
    EXPECT_EQ(found.event_contacts[e], 3u);
    EXPECT_EQ(found.event_modes[e], expected.event_modes[e]);
  }
  EXPECT_NEAR(found.first_velocity[4], -expected.first_velocity[2], 1e-6);
}

SpatialWorld tossed() {
  SpatialBody body = brick();
  body.position = {0.0, 0.0, 0.12};
  body.orientation = Eigen::AngleAxisd(0.6, Vector3d(1.0, 1.2, 0.4).normalized());
  body.velocity = {0.4, 0.1, 0.0};
  body.angular_velocity = {2.0, 1.0, 3.0};
  return {.bodies = {body}, .floors = {{}}, .friction = 0.5};
}

double lowest_corner(const SpatialWorld& world, const BodyState& state) {
  double lowest = INFINITY;
  for (const Vector3d& corner : world.bodies[0].touching_points()) {
    lowest = std::min(lowest, (state.position + state.turn * corner).z());
  }
  return lowest;
}

TEST(Spatial, ATossedBrickComesToRestWithoutGainingEnergyOrPenetrating) {
  const SpatialWorld world = validated(tossed());
  const Rollouts found = roll(world, {}, roll_options(20, 1.5, 1e-3));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found.status[i], RolloutStatus::at_rest) << i;
    double before = INFINITY;
    for (int k = 0; k < found.times; ++k) {
      const BodyState now = state_of(found, k, i);
      const double energy = 1.2 * now.velocity.squaredNorm() +
                            0.5 * now.rate.dot(inertia_at(world, now) * now.rate) +
                            2.4 * 9.81 * now.position.z();
      EXPECT_LT(energy, before + 1e-4) << i << " at " << found.time[static_cast<std::size_t>(k)];
      before = energy;
      EXPECT_GT(lowest_corner(world, now), -1e-5);
    }
    const BodyState last = state_of(found, found.times - 1, i);
    EXPECT_LT(last.velocity.norm() + last.rate.norm(), 1e-8);
    double nearest = INFINITY;  // it lies on one of its faces
    for (const double half : {0.1, 0.05, 0.03}) {
      nearest = std::min(nearest, std::fabs(last.position.z() - half));
    }
    EXPECT_LT(nearest, 1e-6);
  }
}

TEST(Spatial, ABallBouncesAndRolls) {
  SpatialWorld world{.bodies = {{.name = "ball", .radius = 0.1, .mass = 0.5}},
                     .floors = {{.name = "floor"}},
                     .friction = 0.2,
                     .restitution = 0.5};
  world.bodies[0].position.z() = 1.1;
  const double fall = std::sqrt(2.0 / 9.81);
  Rollouts found = roll(world, {}, roll_options(1, 1.0, 1e-3, {1.5 * fall}));
  EXPECT_NEAR(found.event_time[0], fall, 1e-8);
  EXPECT_NEAR(state_of(found, 0).position.z(), 0.1 + 0.25, 1e-6);  // e^2 of its height
  // Along x, the ball slides until it rolls at 5/7 of its speed.
  world.restitution.reset();
  world.bodies[0].position.z() = 0.1;
  world.bodies[0].velocity = {1.0, 0.0, 0.0};
  const double slides = 2.0 / (7.0 * 0.2 * 9.81);
  found = roll(world, {}, roll_options(1, 1.0, 1e-3, {0.5 * slides, 1.0}));
  EXPECT_NEAR(state_of(found, 0).velocity.x(), 1.0 - 0.2 * 9.81 * 0.5 * slides, 1e-6);
  const BodyState last = state_of(found, 1);
  EXPECT_NEAR(last.velocity.x(), 5.0 / 7.0, 1e-6);
  EXPECT_NEAR(last.rate.y(), 50.0 / 7.0, 1e-5);
  EXPECT_NEAR(last.position.z(), 0.1, 1e-8);
  EXPECT_NEAR(last.velocity.y(), 0.0, 1e-12);
}

TEST(Spatial, HasTheSameBitsOnAnyNumberOfThreadsAndInstructionSets) {
  const SpatialWorld world = tossed();
  SamplingOptions sampling;
  RollOptions asked = roll_options(12, 0.3, 2e-3);
  sampling.threads = 1;
  const Rollouts all = roll(world, sampling, asked);
  sampling.threads = 3;
  asked.rollouts = 5;
  const Rollouts later = roll(world, sampling, asked, {}, 7);
  EXPECT_TRUE(test::same_bits(
      later.position, {all.position.end() - static_cast<std::ptrdiff_t>(later.position.size()),
                       all.position.end()}));
  const RigidMechanism mechanism(world);
  RollMemory memory;
  memory.position = mechanism.start().position;
  memory.velocity = mechanism.start().velocity;
  const ImpactInTime law(sampling, {});
  const RolloutPlan plan = make_plan(mechanism, resolved(asked, world), times_of(asked), memory);
  for (const ItemRunner* const runner : item_runners()) {
    Rollouts row;
    static_cast<RolloutShape&>(row) = plan.shape;
    row.resize(1);
    mechanism.with_view([&](const auto& view) {
      runner->rollouts(view)(view, plan, law.law(), 0, 1, view_of(row));
    });
    EXPECT_TRUE(test::same_bits(
        row.position, {all.position.begin(),
                       all.position.begin() + static_cast<std::ptrdiff_t>(row.position.size())}));
  }
}

TEST(Spatial, TubesMeasureTurnsInFixedAxes) {
  SpatialBody body = brick();
  body.orientation = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitZ());
  RollOptions asked = roll_options(2, 0.01, 1e-3, {0.0});
  asked.tube_time = 1.0;
  // Two starts that differ by a turn about the fixed x axis, which is the body's -y axis.
  asked.start = {{"turn_x", false, 0.0, 0.2}};
  const SpatialWorld world = validated(afloat(body));
  const Rollouts found = roll(world, {}, asked);
  const auto turn = [&](std::size_t i) {
    const Eigen::AngleAxisd its(state_of(found, 0, i).turn * body.orientation.conjugate());
    EXPECT_GT(std::fabs(its.axis().x()), 1.0 - 1e-9);
    return its.angle();
  };
  const double apart = std::fabs(turn(0) - turn(1)) * std::sqrt(0.00872);
  asked.tube_epsilon = 1.0001 * apart;
  EXPECT_EQ(summarise(world, asked, found).tube->nets[0].missed, 0u);
  asked.tube_epsilon = 0.9999 * apart;
  EXPECT_EQ(summarise(world, asked, found).tube->nets[0].missed, 1u);
}

TEST(Spatial, StepsAsItRolls) {
  const SpatialWorld world = tossed();
  RollOptions asked = roll_options(1, 0.4, 1e-3, {0.2});
  const Rollouts found = roll(world, {}, asked);
  RolloutStepper stepper(world, {}, asked, 1);
  EXPECT_THAT(stepper.system().velocities,
              testing::ElementsAre("x", "y", "z", "turn_x", "turn_y", "turn_z"));
  stepper.step(0.2);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(stepper.position()[i], found.position[i]) << i;
  stepper.place(0, std::vector<double>{0, 0, 1, 1, 0, 0, 0}, std::vector<double>(6, 0.0));
  stepper.step(0.1, std::vector<double>{0, 0, 2.4 * 9.81, 0.0272, 0, 0});  // weight, and a torque
  EXPECT_NEAR(stepper.position()[2], 1.0, 1e-12);
  EXPECT_NEAR(stepper.velocity()[3], 1.0, 1e-12);
}

TEST(Spatial, AStepperContinuesWhatAnotherSaved) {
  const SpatialWorld world = tossed();
  const RollOptions asked = roll_options(1, 2.0, 1e-3);
  RolloutStepper stepper(world, {}, asked, 5);
  RolloutStepper other(world, {}, asked, 5);
  while (stepper.impacts()[0] == 0) stepper.step(0.05);
  stepper.step(0.05);
  other.restore(stepper.save());
  for (int i = 0; i < 4; ++i) {
    for (RolloutStepper* each : {&stepper, &other}) {
      each->step(0.05);
      if (i == 1) each->restart(2);
    }
    EXPECT_TRUE(std::ranges::equal(stepper.position(), other.position())) << i;
    EXPECT_TRUE(std::ranges::equal(stepper.impacts(), other.impacts())) << i;
  }
  EXPECT_THAT([&] { RolloutStepper(world, {}, asked, 4).restore(stepper.save()); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("number of copies")));
}

TEST(Spatial, CopiesArePlacedWhereTheyWere) {
  SpatialWorld world = tossed();
  const RollOptions asked = roll_options(1, 2.0, 1e-3);
  RolloutStepper stepper(world, {}, asked, 1);
  for (int i = 0; i < 40; ++i) {  // flies, tumbles and rests
    stepper.step(0.05);
    const std::vector<double> position(stepper.position().begin(), stepper.position().end());
    const std::vector<double> velocity(stepper.velocity().begin(), stepper.velocity().end());
    EXPECT_NO_THROW(stepper.place(0, position, velocity)) << i;
  }
}

/// Law plus lets a plate that lands flat gain energy (docs/plus.md), which is no error of a step.
TEST(Spatial, EnergyFromTheLawOfAnImpactEndsNoMotion) {
  const SpatialBody plate{
      .name = "plate",
      .size = Vector3d(0.014282521121121154, 0.0546603407588948, 0.04333880750517889),
      .mass = 0.012673078897595039,
      .position = {0.0, 0.0, 0.02328041535403152},
      .velocity = {-0.16448884573197914, -0.042544212847322384, -1.1391586648805083}};
  SpatialWorld world{.bodies = {plate}, .floors = {{.name = "floor"}}, .friction = 0.2};
  world.restitution = 1.0;
  SamplingOptions plus;
  plus.law = law::Plus{};
  const Rollouts found = roll(world, plus, roll_options(2, 0.2, 1e-3));
  ASSERT_GT(found.impacts[0], 0u);
  const double before = 0.5 * plate.mass * plate.velocity.squaredNorm();
  EXPECT_GT(found.event_energy[0], 1.01 * before);
  for (const RolloutStatus status : found.status) EXPECT_EQ(status, RolloutStatus::moving);
}

/// The many impacts of its last steps leave corners a little below the floor, from which no speed
/// may come.
TEST(Spatial, ABrickThatBouncesGainsNoEnergyAsItComesToRest) {
  SpatialWorld world = tossed();
  world.restitution = 0.8;
  const Rollouts found = roll(world, {}, roll_options(200, 1.5, 1e-3));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(found.status[i] == RolloutStatus::at_rest ||
                found.status[i] == RolloutStatus::moving)
        << i;
  }
}

/// Also where one corner bounces lower than the window's width, and comes back within the same
/// step.
TEST(Spatial, ABrickThatBouncesMissesNoLanding) {
  SpatialWorld world = tossed();
  world.restitution = 0.5;
  world = validated(world);
  RollOptions every_step = roll_options(200, 0.6, 1e-3);
  for (int i = 1; i <= 600; ++i) every_step.times.push_back(1e-3 * i);
  const Rollouts found = roll(world, {.seed = 2}, every_step);
  double lowest = INFINITY;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (int k = 0; k < found.times; ++k) {
      lowest = std::min(lowest, lowest_corner(world, state_of(found, k, i)));
    }
  }
  EXPECT_GT(lowest, -1e-6);
}

TEST(Spatial, BadStartsAndQuestionsAreNamed) {
  const auto refuse = [](RollOptions asked, const char* rule) {
    try {
      roll(tossed(), {}, asked);
      ADD_FAILURE() << rule;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(rule));
    }
  };
  RollOptions asked = roll_options(1, 0.1, 1e-3);
  asked.start = {{"qw", false, 0.0, 1.0}};
  refuse(asked, "qw");
  asked.start = {{"z", false, 0.0, 0.01}};
  refuse(asked, "must have a gap");
  asked.start.clear();
  asked.ask = {"angle > 3 deg at 0.1 s"};
  refuse(asked, "angle");
  asked.ask = {"qw < 0.9 at 0.1 s"};
  refuse(asked, "q and -q are one orientation; |qw|");
  asked.ask = {"|qw| < 0.9 at 0.1 s"};
  EXPECT_NO_THROW(roll(tossed(), {}, asked));
}

/// A brick that turns once about an edge comes to where it was, with the other sign.
TEST(Spatial, QuantilesAreOfOrientations) {
  SpatialWorld world = afloat(brick());
  world.bodies[0].angular_velocity = {0.0, 0.0, 2.0 * M_PI};
  const RollOptions asked = roll_options(2, 1.0, 1e-3, {0.5, 1.0});
  const Rollouts found = roll(world, {}, asked);
  EXPECT_NEAR(found.position[7 + 3], -1.0, 1e-9);
  const RollSummary summary = summarise(world, asked, found);
  const std::size_t levels = std::size(roll_levels);
  for (std::size_t level = 0; level < levels; ++level) {
    EXPECT_NEAR(summary.position[(7 + 3) * levels + level], 1.0, 1e-9);
  }
}

}  // namespace
}  // namespace carom
