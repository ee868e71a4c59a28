// Derivatives of worlds in time: against difference quotients of the same flow, and states against
// those of rollouts, whose time stepping has nothing in common with it but the mechanism.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "carom/carom.hpp"
#include "host/coupling/differences.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using test::farthest;
using testing::HasSubstr;

PlanarBody box(double width, double height, const Eigen::Vector3d& position,
               const Eigen::Vector3d& velocity = Eigen::Vector3d::Zero()) {
  const double x = width / 2.0, y = height / 2.0;
  return {.name = "box",
          .corners = {{-x, -y}, {x, -y}, {x, y}, {-x, y}},
          .mass = 2.0,
          .position = position,
          .velocity = velocity};
}

PlanarWorld on_floor(std::vector<PlanarBody> bodies) {
  return {.bodies = std::move(bodies), .floors = {{.name = "floor"}}, .friction = 0.0};
}

/// Turns about its floor corner until the other one lands, which lifts the first.
PlanarWorld tilted() { return on_floor({box(0.2, 0.4, {0.0, 0.35, 0.15}, {0.3, 0.0, -0.5})}); }

/// A trunk on a leg of two links, whose foot lands, is flung up again, lands and stays.
PlanarWorld figure() {
  PlanarBody trunk = box(0.1, 0.6, {0.0, 1.2, 0.09});
  trunk.name = "trunk";
  trunk.mass = 10.0;
  PlanarBody thigh{.name = "thigh", .points = {{}}, .mass = 3.0, .inertia = 0.1};
  thigh.points->clear();
  thigh.hinge = {.on = "trunk", .at = {0.0, -0.3}, .own = {0.0, 0.2}};
  thigh.position(2) = 0.35;
  thigh.velocity(2) = 1.0;
  PlanarBody shank{.name = "shank", .points = {{{0.0, -0.2}}}, .mass = 2.0, .inertia = 0.05};
  shank.hinge = {.on = "thigh", .at = {0.0, -0.2}, .own = {0.0, 0.2}};
  shank.position(2) = -0.17;
  return on_floor({trunk, thigh, shank});
}

StartedMotion until(const PlanarWorld& world, double end) {
  return started_motion(world, {.duration = end});
}

OutcomeDerivative derivative_of(const PlanarWorld& world, double end) {
  return derivative(until(world, end));
}

/// The derivative along two directions against quotients of eight states each.
void expect_quotients(const PlanarWorld& world, double end, std::size_t impacts) {
  const StartedMotion motion = until(world, end);
  const OutcomeDerivative found = derivative(motion);
  ASSERT_TRUE(found.derivative.has_value());
  EXPECT_EQ(found.right.impacts.size(), impacts);
  const Eigen::Index size = motion.start.size();
  for (const double turn : {1.0, 2.5}) {
    const Eigen::VectorXd direction =
        Eigen::VectorXd::LinSpaced(size, turn, turn * 7.0).array().sin();
    const Eigen::VectorXd quotient = slope_of(
        [&](double h) {
          StartedMotion moved = motion;
          moved.start += h * direction;
          return derivative(moved).right.state;
        },
        0x1p-5);
    EXPECT_LE(farthest(*found.derivative * direction, quotient),
              1e-7 * (1.0 + quotient.cwiseAbs().maxCoeff()));
  }
}

/// The end of a rollout whose impacts are inelastic and at once. Contacts that approach slower than
/// half of rest_speed have none.
Eigen::VectorXd rolled(const PlanarWorld& world, double end, double step,
                       double rest_speed = RollOptions{}.rest_speed) {
  SamplingOptions sampling;
  sampling.law = law::Simultaneous{};
  const Rollouts found = roll(
      world, sampling,
      {.rollouts = 1, .duration = end, .step = step, .times = {end}, .rest_speed = rest_speed});
  Eigen::VectorXd state(2 * world.coordinates());
  for (std::size_t i = 0; i < found.position.size(); ++i) {
    state(static_cast<Eigen::Index>(i)) = found.position[i];
    state(static_cast<Eigen::Index>(i + found.position.size())) = found.velocity[i];
  }
  return state;
}

/// The error of the rollout falls with its step, to little.
void expect_rolled(const PlanarWorld& world, double end, double least,
                   double rest_speed = RollOptions{}.rest_speed) {
  const Eigen::VectorXd state = derivative_of(world, end).right.state;
  const double coarse = farthest(state, rolled(world, end, 1e-3, rest_speed));
  const double fine = farthest(state, rolled(world, end, 1e-4, rest_speed));
  EXPECT_LE(fine, least);
  EXPECT_LE(fine, 0.2 * coarse + 1e-9);
}

std::string refusal(const PlanarWorld& world, double end) {
  return test::refusal([&] { derivative_of(world, end); });
}

TEST(PlanarMotion, DiscsThatBounceHaveTheDerivativeOfTheClosedForm) {
  PlanarWorld world = on_floor({{.name = "disc", .radius = 0.05, .position = {0.0, 0.45, 0.0}}});
  const double landing = std::sqrt(2.0 * 0.4 / 9.81), end = 0.5;
  for (const double restitution : {0.0, 0.5}) {
    world.restitution = restitution;
    const OutcomeDerivative found = derivative_of(world, end);
    ASSERT_TRUE(found.derivative.has_value());
    EXPECT_NEAR(found.right.impacts.at(0).time, landing, 1e-10);
    // From dropped by h: up with e g t, so y = r + e g t (T - t) - g (T - t)^2 / 2, t = (2 h /
    // g)^(1/2).
    const double later = landing * 9.81, e = restitution;
    const double slope =
        e == 0.0 ? 0.0 : 9.81 * (e * (end - 2.0 * landing) + (end - landing)) / later;
    EXPECT_NEAR((*found.derivative)(1, 1), slope, 1e-8);
    EXPECT_NEAR((*found.derivative)(0, 0), 1.0, 1e-10);
    expect_quotients(world, end, 1);
  }
}

TEST(PlanarMotion, BoxesThatLandOnOneCornerAndThenOnTheOtherAgreeWithQuotients) {
  expect_quotients(tilted(), 0.175, 1);
  expect_quotients(tilted(), 0.25, 2);
  expect_rolled(tilted(), 0.25, 1e-6);
  // A wide one ends on both.
  const PlanarWorld wide = on_floor({box(0.4, 0.2, {0.0, 0.4, 0.14}, {0.3, 0.0, 0.2})});
  expect_quotients(wide, 0.4, 2);
  EXPECT_EQ(derivative_of(wide, 0.4).right.impacts.at(1).orders.at(0).closed.size(), 2u);
  expect_rolled(wide, 0.4, 1e-6);
}

TEST(PlanarMotion, BodiesThatSpinFreelyDoNotDipThroughTheFloor) {
  // Without forces that change, one step would take the whole flight.
  const PlanarWorld world = on_floor({box(0.1, 0.6, {0.0, 0.35, 0.15}, {0.3, 1.5, 25.0})});
  const OutcomeDerivative found = derivative_of(world, 0.4);
  ASSERT_EQ(found.right.impacts.size(), 1u);
  EXPECT_LE(farthest(found.right.state, rolled(world, 0.4, 1e-3)), 1e-6);
}

TEST(PlanarMotion, HingesThatLandStayAndLiftAgreeWithQuotients) {
  expect_quotients(figure(), 0.15, 0);
  expect_quotients(figure(), 0.25, 1);
  expect_rolled(figure(), 0.25, 1e-6);
  expect_quotients(figure(), 0.4, 2);
  constexpr double rest_speed = 1e-7;  // the second landing is followed by slow ones
  expect_rolled(figure(), 0.4, 1e-6, rest_speed);
}

TEST(PlanarMotion, BodiesThatLandOnOneAnotherAgreeWithQuotients) {
  PlanarWorld world = on_floor({box(0.6, 0.4, {0.0, 0.2, 0.0})});
  world.bodies.push_back(
      {.name = "ball", .radius = 0.1, .position = {0.27, 0.55, 0.0}, .velocity = {0.5, -1.0, 0.0}});
  // The ball rolls off over the box's corner, at rest on the floor.
  EXPECT_THAT(refusal(world, 0.4), HasSubstr("near the end of an edge"));
  world.bodies[1].velocity(0) = -0.5;
  world.bodies[0].position(2) = 0.1;
  world.bodies[0].position(1) = 0.3;
  world.bodies[1].position(1) = 0.75;
  expect_quotients(world, 0.16, 4);
  expect_rolled(world, 0.16, 1e-6);
}

TEST(PlanarMotion, FlatBoxesHaveTheSidesThatTheirCouplingSays) {
  const PlanarWorld wide = on_floor({box(0.4, 0.2, {0.0, 0.4, 0.0})});
  EXPECT_EQ(coupling(first_impact(wide)).verdict, Coupling::Verdict::obtuse);
  const OutcomeDerivative one = derivative_of(wide, 0.3);
  EXPECT_TRUE(one.continuous);
  EXPECT_EQ(one.right.impacts.at(0).orders.size(), 2u);

  const PlanarWorld tall = on_floor({box(0.2, 0.4, {0.0, 0.5, 0.0})});
  EXPECT_EQ(coupling(first_impact(tall)).verdict, Coupling::Verdict::coupled);
  const StartedMotion motion = until(tall, 0.3);
  const OutcomeDerivative found = derivative(motion);
  EXPECT_FALSE(found.continuous);
  EXPECT_FALSE(found.derivative.has_value());
  for (const double side : {1.0, -1.0}) {
    const SidedOutcome& outcome = side > 0.0 ? found.right : found.left;
    const auto moved = [&](double h) {
      StartedMotion its = motion;
      its.start += side * h * motion.direction;
      return derivative(its).right.state;
    };
    constexpr double h = 1e-4;
    const Eigen::VectorXd slope =
        side * (4.0 * moved(h) - moved(2.0 * h) - 3.0 * outcome.state) / (2.0 * h);
    EXPECT_LE(farthest(outcome.slope, slope), 1e-5) << slope.transpose();
  }
}

TEST(PlanarMotion, StartIsTheMiddleOfItsRanges) {
  RollOptions options{.duration = 0.3};
  options.start = {{.coordinate = "angle", .least = 0.1, .greatest = 0.2},
                   {.coordinate = "x", .of_velocity = true, .least = -1.0, .greatest = -1.0}};
  const StartedMotion motion = started_motion(tilted(), options);
  EXPECT_NEAR(motion.start(2), 0.15, 1e-15);
  EXPECT_EQ(motion.start(3), -1.0);
  EXPECT_NEAR(motion.direction(2), 0.05, 1e-15);
  EXPECT_NEAR(motion.direction.norm(), 0.05, 1e-15);
}

TEST(PlanarMotion, IsRefusedWhereThereIsNoDerivative) {
  PlanarWorld ceiling = on_floor({{.name = "disc", .radius = 0.1, .position = {0.0, 1.0, 0.0}}});
  ceiling.floors.push_back({.name = "ceiling", .point = {0.0, 1.6}, .normal = {0.0, -1.0}});
  ceiling.bodies[0].velocity(1) = std::sqrt(2.0 * 9.81 * 0.5);
  EXPECT_THAT(refusal(ceiling, 0.5), HasSubstr("grazes"));
  ceiling.bodies[0].velocity(1) += 0.1;
  EXPECT_EQ(refusal(ceiling, 0.5), "");
  PlanarWorld rough = tilted();
  rough.friction = 0.5;
  EXPECT_THAT(refusal(rough, 0.5), HasSubstr("friction is 0.5"));
  EXPECT_THAT(refusal(tilted(), -1.0), HasSubstr("end is -1"));
  // At rest in a corner, a box has three contacts and three coordinates; a fourth is one too many.
  PlanarWorld corner = on_floor({box(0.4, 0.2, {0.0, 0.1, 0.0})});
  corner.floors.push_back({.name = "wall", .point = {-0.2, 0.0}, .normal = {1.0, 0.0}});
  EXPECT_THAT(refusal(corner, 0.5), HasSubstr("redundant"));
}

/// What happens before an end does not depend on it: a refusal names the same instant for any later
/// end, and impacts before it are the same.
TEST(PlanarMotion, ImpactsDoNotDependOnTheEnd) {
  const StartedMotion moved = started_motion(tilted(), {.duration = 0.4});
  const std::vector<ImpactInMotion> first = derivative(moved).right.impacts;
  ASSERT_FALSE(first.empty());
  for (const double end : {0.6, 1.0, 3.0, 10.0}) {
    const OutcomeDerivative found = derivative(moved.motion, moved.start, end, moved.direction);
    ASSERT_GE(found.right.impacts.size(), first.size()) << end;
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_NEAR(found.right.impacts[i].time, first[i].time, 1e-12) << end;
      EXPECT_EQ(found.right.impacts[i].contacts, first[i].contacts) << end;
    }
  }
  Scenario boxes = load_scenario(CAROM_SOURCE_DIR "/scenarios/falling_boxes.toml");
  PlanarWorld world = std::get<PlanarWorld>(*boxes.world);
  world.friction = 0.0;
  for (PlanarFloor& floor : world.floors) floor.friction = 0.0;
  const std::string wanted = refusal(world, 0.9);
  EXPECT_THAT(wanted, HasSubstr("near the end of an edge at 0.84"));
  for (const double end : {1.0, 2.0, 1000.0, 1e9}) EXPECT_EQ(refusal(world, end), wanted) << end;
}

TEST_F(CommandLine, DerivativeGoesThroughTheMotionOfAScenario) {
  const std::string text = R"(
system = "planar"
world.friction = 0
[[body]]
name = "box"
size = [0.2, 0.4]
mass = 1.0
position = [0.0, 0.35]
angle_deg = 8.0
[[floor]]
name = "floor"
)";
  const std::string impact = write("box.toml", text);
  EXPECT_THAT(run({"derivative", impact}).out, HasSubstr("Derivative of the impact of box"));
  const auto found = run_json({"derivative", impact, "--set", "end=0.3"});
  EXPECT_EQ(found.at("end"), 0.3);
  EXPECT_EQ(found.at("coordinates").size(), 3u);
  EXPECT_EQ(found.at("derivative").size(), 6u);
  const std::string motion = write("motion.toml", text + "[roll]\nduration = 0.3\n");
  EXPECT_EQ(run_json({"derivative", motion}).at("right"), found.at("right"));
  EXPECT_THAT(run({"derivative", motion}).out, HasSubstr("State at the end by state at the start"));
  const ProgramRun wrong = run({"derivative", motion, "--set", "angle=0.3"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--set is of angle (must be of end"));
  const ProgramRun rough = run({"derivative", "rocking_block", "--set", "end=1"});
  EXPECT_EQ(rough.exit_code, 2);
  EXPECT_THAT(rough.err, HasSubstr("friction is 1"));
  const ProgramRun matrices =
      run({"derivative", CAROM_SOURCE_DIR "/scenarios/newton_cradle.toml", "--set", "end=1"});
  EXPECT_EQ(matrices.exit_code, 2);
  EXPECT_THAT(matrices.err, HasSubstr("must be of bodies in the plane"));
}

}  // namespace
}  // namespace carom
