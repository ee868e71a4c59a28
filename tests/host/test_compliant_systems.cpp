// Bipeds on ground that gives way, bounds of motions, and steps that are too long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "carom/error.hpp"
#include "carom/example_motion.hpp"
#include "carom/scenario.hpp"
#include "tests/support/compliant_systems.hpp"

namespace carom {
namespace {

using test::bouncer;
using test::farthest;
using test::last_state;
using test::roll_from;
using testing::HasSubstr;

RollOptions with_derivative(double duration, double step) {
  RollOptions options;
  options.duration = duration;
  options.step = step;
  options.derivative = true;
  return options;
}

std::vector<double> start_of(const ExampleMotion& example) {
  return {example.start.begin(), example.start.end()};
}

/// The derivative of a biped's rotation rate at the end by the angle with which it starts.
double slope_of(const ExampleMotion& example, const Rollouts& found) {
  const Eigen::Index n = example.start.size();
  const Eigen::Map<const Eigen::RowVectorXd> row(found.derivative.data() + n * example.outcome, n);
  return row * example.direction;
}

TEST(CompliantBiped, OnStiffGroundHasTheDerivativeOfRigidGround) {
  const ExampleMotion example = example_motion("soft_biped");
  const double rigid = derivative(example.motion, example.start, example.end, example.direction)
                           .right.slope[example.outcome];
  EXPECT_NEAR(rigid, -1.231738637, 1e-8);
  const auto error = [&](double rate) {  // of the ground, 1/s
    const SpringBiped biped{.ground_stiffness = rate * rate, .ground_damping = 2.0 * rate};
    const Rollouts found =
        roll_from({biped}, start_of(example), with_derivative(example.end, 0.1 / rate));
    EXPECT_EQ(found.impacts[0], 2u);
    EXPECT_NEAR(found.end_time[0], 1.0, 1e-8);  // both feet fall 0.5 m at 1 m/s²
    return std::abs(slope_of(example, found) - rigid);
  };
  const double soft = error(1e3);
  const double stiff = error(4e3);
  EXPECT_LT(stiff, 2e-3);
  EXPECT_NEAR(soft / stiff, 16.0, 1.0);  // of second order in the time that the ground gives way
}

TEST(CompliantBiped, DerivativesAreThoseOfDifferenceQuotients) {
  const CompliantSystem biped{
      SpringBiped{.flywheel = 1.5, .ground_stiffness = 3e3, .ground_damping = 40.0}};
  const std::vector<double> start = {0.0, -0.22, 0.3, 1.0,  0.45, 0.52, 0.1,
                                     0.3, 0.2,   0.1, -0.2, 0.0,  0.1,  0.4};
  const RollOptions options = with_derivative(1.6, 1e-3);
  const Rollouts found = roll_from(biped, start, options);
  ASSERT_EQ(found.status[0], RolloutStatus::done);
  EXPECT_GE(found.impacts[0], 2u);
  constexpr double h = 1e-6;
  for (std::size_t c = 0; c < start.size(); ++c) {
    const auto moved = [&](double by) {
      std::vector<double> from = start;
      from[c] += by;
      return last_state(roll_from(biped, from, options));
    };
    const std::vector<double> after = moved(h);
    const std::vector<double> before = moved(-h);
    for (std::size_t i = 0; i < start.size(); ++i) {
      EXPECT_NEAR(found.derivative[start.size() * i + c], (after[i] - before[i]) / (2.0 * h), 2e-6)
          << i << " by " << c;
    }
  }
}

TEST(CompliantBiped, MovesItsCentreOfMassAsGravityAndGroundDo) {
  const CompliantSystem biped{
      SpringBiped{.body_mass = 3.0, .foot_mass = 0.5, .gravity = 2.0, .flywheel = 0.0}};
  // In flight, spinning: the centre falls freely and the angular momentum about it stays.
  const std::vector<double> start = {0.0, -0.2, 0.3, 5.0, 4.4, 4.6,  0.2,
                                     0.5, 0.0,  0.1, 0.0, 0.3, -0.1, 2.0};
  const std::vector<double> end = last_state(roll_from(biped, start, with_derivative(0.7, 1e-3)));
  const double mass[] = {3.0, 0.5, 0.5};
  const auto mean = [&](const std::vector<double>& x, std::size_t from) {
    return (mass[0] * x[from] + mass[1] * x[from + 1] + mass[2] * x[from + 2]) / 4.0;
  };
  const auto spin = [&](const std::vector<double>& x) {
    double sum = x[13];
    for (std::size_t i = 0; i < 3; ++i) {
      sum += mass[i] * ((x[i] - mean(x, 0)) * (x[10 + i] - mean(x, 10)) -
                        (x[3 + i] - mean(x, 3)) * (x[7 + i] - mean(x, 7)));
    }
    return sum;
  };
  EXPECT_NEAR(mean(end, 3), mean(start, 3) + 0.7 * mean(start, 10) - 0.7 * 0.7, 1e-10);
  EXPECT_NEAR(mean(end, 0), mean(start, 0) + 0.7 * mean(start, 7), 1e-10);
  EXPECT_NEAR(spin(end), spin(start), 1e-10);
  EXPECT_GT(std::abs(end[13] - start[13]), 1e-2);  // which the body's alone does not
}

TEST(Compliant, MotionsEndAtTheirBounds) {
  CompliantSystem ball = bouncer(1000.0, 1.0, -1.0);
  ball.lowest = Eigen::VectorXd::Constant(1, 0.5);
  const Rollouts inside = roll_from(ball, {1.5, 0.0}, with_derivative(2.0, 1e-3));
  EXPECT_EQ(inside.status[0], RolloutStatus::done);  // by energy, down to 0.892 m
  ball.lowest[0] = 0.9;
  const Rollouts outside = roll_from(ball, {1.5, 0.0}, with_derivative(2.0, 1e-3));
  EXPECT_EQ(outside.status[0], RolloutStatus::left_domain);
  EXPECT_GE(outside.position[0], 0.9);
  EXPECT_LT(outside.position[0], 0.904);  // a step of 3 m/s
  EXPECT_TRUE(std::isnan(outside.derivative[0]));
}

TEST(Compliant, BoundsThatBreakARuleAreRefused) {
  const auto refusal = [](const Eigen::VectorXd& lowest, const Eigen::VectorXd& highest) {
    CompliantSystem ball = bouncer(1000.0, 1.0, -1.0);
    ball.lowest = lowest;
    ball.highest = highest;
    try {
      validated(ball);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
  EXPECT_EQ(refusal(one(0.0), {}), "");
  EXPECT_EQ(refusal(one(0.0), one(0.0)), "highest is 0 (must be above lowest, 0) for q1");
  EXPECT_THAT(refusal(one(NAN), {}), HasSubstr("must be above lowest"));
  EXPECT_EQ(refusal(Eigen::Vector2d(0.0, 0.0), {}), "lowest is 2 numbers (must be 1 numbers)");
}

TEST(Compliant, BoundsAndBipedsAreWrittenAndReadBack) {
  const Scenario scenario = parse_scenario(
      "system = \"biped\"\n[problem]\nhip = 0.3\nhighest = [1, 1, 1, 2, 2, 2, inf]\n[roll]\n");
  const Scenario again = parse_scenario(to_toml(scenario));
  EXPECT_EQ(std::get<SpringBiped>(again.compliant->motion).hip, 0.3);
  EXPECT_EQ(again.compliant->highest, scenario.compliant->highest);
  EXPECT_EQ(again.compliant->lowest[3], -std::numeric_limits<double>::infinity());
  EXPECT_THROW(parse_scenario("system = \"biped\"\n[problem]\nleg = 0.0\n[roll]\n"), InputError);
  EXPECT_NO_THROW(parse_scenario("system = \"biped\"\n[roll]\n"));
}

TEST(Compliant, CoordinatesHaveTheUnitsThatTheirNamesTell) {
  CompliantSystem system = bouncer(100.0, 1.0, 0.0);
  auto& springs = std::get<Springs>(system.motion);
  springs.mass_matrix = Eigen::Matrix3d::Identity();
  springs.force.setZero(3);
  springs.normal_jacobian = Eigen::RowVector3d(1.0, 0.0, 0.0);
  system.coordinates = {"height", "pitch", "charge"};
  EXPECT_THAT(rolled_system(system).units, testing::ElementsAre("m", "rad", ""));
}

TEST(Compliant, StepsThatAreTooLongForASpringHaveANote) {
  // Fastest rates by hand, 1/s.
  const auto note_of = [](const CompliantSystem& system, const std::vector<double>& start,
                          double rate, double part, Crossing crossing = Crossing::fast) {
    RollOptions asked = with_derivative(1.0, part / rate);
    asked.crossing = crossing;
    const Rollouts found = roll_from(system, start, asked);
    return found.notes.empty() ? std::string() : found.notes[0].code;
  };
  const auto expect_threshold = [&](const CompliantSystem& system, const std::vector<double>& start,
                                    double rate) {
    EXPECT_EQ(note_of(system, start, rate, 0.99), "") << kind_name(system);
    EXPECT_EQ(note_of(system, start, rate, 1.01), "long_steps") << kind_name(system);
    EXPECT_EQ(note_of(system, start, rate, 0.099, Crossing::projection), "");
    EXPECT_EQ(note_of(system, start, rate, 0.101, Crossing::projection), "long_steps");
  };
  expect_threshold(bouncer(1000.0, 1.0, -1.0), {1.5, 0.0}, std::sqrt(1000.0));
  CompliantSystem damped = bouncer(100.0, 1.0, -1.0);
  std::get<Springs>(damped.motion).contact_damping = Eigen::VectorXd::Constant(1, 200.0);
  expect_threshold(damped, {0.999, 0.0}, 100.0 + std::sqrt(9900.0));  // overdamped
  // Two springs of 200 N/m at +-1 m: sqrt(400) along z, sqrt(400 / (4/3)) around.
  expect_threshold({SpringPlate{.positions = Eigen::Vector2d(-1.0, 1.0), .damping = 0.0}},
                   {0.0, 1.01, 0.0, 0.0, 0.0, 0.0}, 20.0);
  // Legs without stiffness: a foot of 2 kg on its spring.
  expect_threshold({SpringBiped{.foot_mass = 2.0,
                                .leg_stiffness = 0.0,
                                .ground_stiffness = 1800.0,
                                .ground_damping = 0.0}},
                   start_of(example_motion("soft_biped")), 30.0);
  const CompliantSystem table = test::order_test(test::read_json("compliant/order_test.json"));
  expect_threshold(table, {-0.4, -0.15, 0.3}, 10.0);  // x' = 10 x + 1
}

}  // namespace
}  // namespace carom
