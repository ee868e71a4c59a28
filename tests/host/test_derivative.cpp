#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/derivative.hpp"
#include "carom/error.hpp"
#include "carom/example_motion.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using nlohmann::json;
using test::farthest;
using test::matrix_of;
using test::vector_of;
using testing::HasSubstr;

const json& motions() {
  static const json all = test::read_json("decoupling/motions.json");
  return all;
}

OutcomeDerivative derivative_of(const ExampleMotion& example) {
  return derivative(example.motion, example.start, example.end, example.direction);
}

/// Each order's saltation against the reference's.
double worst_saltation(const ImpactInMotion& impact, const json& words) {
  double worst = 0.0;
  EXPECT_EQ(impact.orders.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const ImpactOrder& order = impact.orders[i];
    EXPECT_EQ(order.contacts, words[i].at("order").get<std::vector<int>>());
    EXPECT_EQ(order.closed, words[i].at("active_after").get<std::vector<int>>());
    worst = std::max({worst, farthest(order.saltation, matrix_of(words[i].at("saltation"))),
                      farthest(order.velocity, vector_of(words[i].at("velocity_after")))});
  }
  return worst;
}

/// Body over two limbs on springs and dampers, over the floor (the reference's own example).
Motion vertical_limbs(const json& parameters, const Eigen::MatrixXd& mass) {
  const Eigen::VectorXd k = vector_of(parameters.at("k")), c = vector_of(parameters.at("c"));
  const Eigen::VectorXd length = vector_of(parameters.at("L"));
  Motion motion{.mass = [mass](const Eigen::VectorXd&) { return mass; },
                .gaps = [](const Eigen::VectorXd& q) { return Eigen::VectorXd(q.tail(2)); },
                .gap_jacobian =
                    [](const Eigen::VectorXd&) {
                      Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2, 3);
                      rows(0, 1) = rows(1, 2) = 1.0;
                      return rows;
                    },
                .force =
                    [=](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
                      Eigen::VectorXd force = -9.81 * mass * Eigen::VectorXd::Ones(3);
                      for (int i = 0; i < 2; ++i) {
                        const double push =
                            k(i) * (length(i) - (q(0) - q(1 + i))) - c(i) * (v(0) - v(1 + i));
                        force(0) += push;
                        force(1 + i) -= push;
                      }
                      return force;
                    }};
  if (parameters.contains("gamma")) motion.restitution = vector_of(parameters.at("gamma"));
  return motion;
}

TEST(Derivative, OfTheSoftBipedIsOne) {
  const OutcomeDerivative found = derivative_of(example_motion("soft_biped"));
  const json& data = motions().at("soft_biped");
  EXPECT_TRUE(found.continuous);
  ASSERT_TRUE(found.differentiable);
  EXPECT_NEAR(found.right.slope(13), data.at("words")[0].at("slope").get<double>(), 1e-8);
  EXPECT_EQ(found.left.slope(13), found.right.slope(13));
  ASSERT_EQ(found.right.impacts.size(), 1u);
  EXPECT_NEAR(found.right.impacts[0].time, 1.0, 1e-12);
  EXPECT_NEAR(found.right.impacts[0].slowest, 1.0, 1e-12);
  EXPECT_LE(worst_saltation(found.right.impacts[0], data.at("words")), 1e-8);
}

TEST(Derivative, OfTheFlywheelBipedDiffersFromSideToSide) {
  const OutcomeDerivative found = derivative_of(example_motion("flywheel_biped"));
  const json& data = motions().at("flywheel_biped");
  EXPECT_TRUE(found.continuous);
  EXPECT_FALSE(found.differentiable);
  EXPECT_FALSE(found.derivative.has_value());
  EXPECT_LE(worst_saltation(found.right.impacts.at(0), data.at("words")), 1e-8);
  EXPECT_NEAR(found.right.slope(13), -0.6752885897, 1e-8);
  EXPECT_NEAR(found.left.slope(13), -1.7881886843, 1e-8);
}

TEST(Derivative, OfTheRigidBipedDoesNotExistBecauseTheOutcomeJumps) {
  const OutcomeDerivative found = derivative_of(example_motion("rigid_biped"));
  const json& data = motions().at("rigid_biped");
  EXPECT_FALSE(found.continuous);
  EXPECT_LE(worst_saltation(found.right.impacts.at(0), data.at("words")), 1e-8);
  EXPECT_NEAR(found.right.state(5), -0.18543540, 1e-8);
  EXPECT_NEAR(found.left.state(5), 0.18543540, 1e-8);
  // The reference's outcomes at +-h: the slope of each side from two of its quotients.
  const json& quotients = data.at("difference_quotients");
  const auto outcome = [&](std::size_t i, const char* side) {
    return quotients[i].at(side).get<double>();
  };
  for (std::size_t i = 3; i < 5; ++i) {
    const double far = quotients[i - 1].at("h"), near = quotients[i].at("h");
    EXPECT_NEAR(found.right.slope(5),
                (outcome(i - 1, "outcome_right") - outcome(i, "outcome_right")) / (far - near),
                10.0 * far);
  }
}

TEST(Derivative, OfVerticalLimbsIsThatOfAnIndependentProgram) {
  for (const auto& [name, data] : motions().items()) {
    if (!name.starts_with("vertical_limbs") || !data.contains("flow_derivative")) continue;
    SCOPED_TRACE(name);
    const Eigen::VectorXd start = vector_of(data.at("x0"));
    const OutcomeDerivative found =
        derivative(vertical_limbs(data.at("parameters"), matrix_of(data.at("M"))), start,
                   data.at("T"), vector_of(data.at("directions")[0].at("direction")));
    EXPECT_TRUE(found.differentiable);
    ASSERT_TRUE(found.derivative.has_value());
    EXPECT_LE(farthest(*found.derivative, matrix_of(data.at("flow_derivative"))), 1e-10);
    EXPECT_LE(farthest(found.right.state, vector_of(data.at("x_final"))), 1e-9);
    if (data.contains("words")) {
      EXPECT_LE(worst_saltation(found.right.impacts.at(0), data.at("words")), 1e-8);
    }
  }
}

TEST(Derivative, OfCoupledLimbsHasTheSlopesOfItsTwoSides) {
  for (const auto& [name, data] : motions().items()) {
    if (!name.starts_with("vertical_limbs_coupled")) continue;
    SCOPED_TRACE(name);
    const Eigen::VectorXd start = vector_of(data.at("x0"));
    const json& direction = data.at("directions")[0];
    const OutcomeDerivative found =
        derivative(vertical_limbs(data.at("parameters"), matrix_of(data.at("M"))), start,
                   data.at("T"), vector_of(direction.at("direction")));
    const bool pulls = data.at("parameters").at("coupling") < 0.0;
    EXPECT_EQ(found.continuous, !pulls);
    if (data.contains("words")) {
      EXPECT_LE(worst_saltation(found.right.impacts.at(0), data.at("words")), 1e-7);
    }
    const json& quotients = direction.at("quotients");  // of h = 1e-4 ... 1e-7
    const auto moved = [&](std::size_t i, const char* side) {
      return Eigen::VectorXd(quotients[i].at("h").get<double>() * vector_of(quotients[i].at(side)));
    };
    const Eigen::VectorXd jump = moved(3, "right") + moved(3, "left");
    EXPECT_LE(farthest(found.right.state - found.left.state, jump), 3e-7) << jump.transpose();
    // The quotients grow as 1 / h; two of them have the slope of each side.
    const double far = 1e-4, near = 1e-5;
    const Eigen::VectorXd right = (moved(0, "right") - moved(1, "right")) / (far - near);
    const Eigen::VectorXd left = (moved(0, "left") - moved(1, "left")) / (far - near);
    EXPECT_LE(farthest(found.right.slope, right), 2e-3) << right.transpose();
    EXPECT_LE(farthest(found.left.slope, left), 2e-3) << left.transpose();
  }
}

/// Its rate says that the point rises while its gap shrinks.
TEST(Derivative, RefusesARateThatIsNotThatOfTheGap) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(1, 1);
  const Eigen::VectorXd weight = Eigen::VectorXd::Constant(1, -9.81);
  double right_above = 0.9;  // m
  const Motion motion{
      .mass = [&](const Eigen::VectorXd&) { return one; },
      .gaps = [](const Eigen::VectorXd& q) { return q; },
      .gap_jacobian = [&](const Eigen::VectorXd& q) { return q(0) > right_above ? one : -one; },
      .force = [&](const Eigen::VectorXd&, const Eigen::VectorXd&) { return weight; }};
  const Eigen::Vector2d start(1.0, -0.1), direction(1.0, 0.0);
  EXPECT_THAT(test::refusal([&] { derivative(motion, start, 1.0, direction); }),
              HasSubstr("at 1 s without having closed (gap_jacobian must be the derivative of"));
  right_above = 1.1;
  EXPECT_THAT(test::refusal([&] { derivative(motion, start, 1.0, direction); }),
              HasSubstr("gap_jacobian[0][0] is -1 at the start (must be 1, the derivative"));
}

TEST(Derivative, NamesContactsThatTheDirectionDoesNotKeepClosed) {
  const Motion sliding{
      .mass = [](const Eigen::VectorXd&) { return Eigen::MatrixXd(Eigen::Matrix2d::Identity()); },
      .gaps = [](const Eigen::VectorXd& q) { return Eigen::VectorXd(q.tail(1)); },
      .gap_jacobian =
          [](const Eigen::VectorXd&) { return Eigen::MatrixXd(Eigen::RowVector2d(0.0, 1.0)); },
      .force = [](const Eigen::VectorXd&,
                  const Eigen::VectorXd&) { return Eigen::VectorXd(Eigen::Vector2d(0.0, -9.81)); }};
  const Eigen::Vector4d start(0.0, 0.0, 1.0, 0.0);
  const auto not_kept = [&](double up, double rising) {
    return derivative(sliding, start, 1.0, Eigen::Vector4d(1.0, up, 1.0, rising)).not_kept;
  };
  EXPECT_TRUE(not_kept(0.0, 0.0).empty());
  for (const double some : {0.1, -0.1}) {
    EXPECT_EQ(not_kept(some, 0.0), std::vector<int>{0});
    EXPECT_EQ(not_kept(0.0, some), std::vector<int>{0});
  }
}

/// A ball that rolls inside a ring: moved along it, only a velocity that turns as well stays on it.
TEST(Derivative, NamesContactsThatADirectionTurns) {
  const Motion inside{
      .mass = [](const Eigen::VectorXd&) { return Eigen::MatrixXd(Eigen::Matrix2d::Identity()); },
      .gaps =
          [](const Eigen::VectorXd& q) {
            return Eigen::VectorXd(Eigen::VectorXd::Constant(1, 1.0 - q.norm()));
          },
      .gap_jacobian =
          [](const Eigen::VectorXd& q) { return Eigen::MatrixXd(-q.transpose() / q.norm()); },
      .force = [](const Eigen::VectorXd&,
                  const Eigen::VectorXd&) { return Eigen::VectorXd(Eigen::Vector2d::Zero()); }};
  const Eigen::Vector4d start(0.0, -1.0, 2.0, 0.0);
  const auto not_kept = [&](double turning) {
    return derivative(inside, start, 0.1, Eigen::Vector4d(1.0, 0.0, 0.0, turning)).not_kept;
  };
  EXPECT_EQ(not_kept(0.0), std::vector<int>{0});
  EXPECT_TRUE(not_kept(2.0).empty());  // as far as the velocity turns, by 1 rad
}

TEST(Derivative, OfAnImpactIsThatOfItsOrders) {
  // A point between two walls with the cosine 1/2, as in test_coupling.
  const double s = std::sqrt(0.75);
  ImpactProblem corner = test::frictionless(Eigen::Matrix2d::Identity(),
                                            (Eigen::Matrix2d() << 1.0, 0.0, 0.5, s).finished(),
                                            Eigen::Vector2d(-1.0, -0.5 / s));
  const ImpactInMotion found = derivative(corner);
  EXPECT_FALSE(found.continuous);
  ASSERT_EQ(found.orders.size(), 2u);
  // A first: the projections off e1, then off the second normal, which lifts A.
  const Eigen::Vector2d second(0.5, s);
  const Eigen::Matrix2d expected = (Eigen::Matrix2d::Identity() - second * second.transpose()) *
                                   Eigen::Vector2d(0.0, 1.0).asDiagonal();
  EXPECT_LE(farthest(found.orders[0].saltation.bottomRightCorner(2, 2), expected), 1e-10);
  corner.normal_jacobian.row(1) << 0.0, 1.0;
  EXPECT_TRUE(derivative(corner).differentiable);
}

TEST(Derivative, IsRefusedWhereThereIsNone) {
  // Thrown up at 1 m/s under gravity of 1 m/s^2, a ball just reaches the ceiling at 0.5 m.
  Motion ball{
      .mass = [](const Eigen::VectorXd&) { return Eigen::MatrixXd::Identity(1, 1); },
      .gaps =
          [](const Eigen::VectorXd& q) {
            return Eigen::VectorXd(Eigen::VectorXd::Constant(1, 0.5 - q(0)));
          },
      .gap_jacobian = [](const Eigen::VectorXd&) { return Eigen::MatrixXd::Constant(1, 1, -1.0); },
      .force =
          [](const Eigen::VectorXd&, const Eigen::VectorXd&) {
            return Eigen::VectorXd(Eigen::VectorXd::Constant(1, -1.0));
          }};
  const Eigen::Vector2d direction(0.0, 1.0);
  const auto message = [&](const Eigen::Vector2d& start, double end) {
    try {
      derivative(ball, start, end, direction);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message({0.0, 1.0}, 1.7), HasSubstr("grazes"));
  EXPECT_EQ(message({0.0, 1.1}, 1.7), "no error");
  EXPECT_EQ(message({0.0, 0.9}, 1.7), "no error");
  EXPECT_THAT(message({0.0, 1.25}, 0.5), HasSubstr("is an impact"));
  EXPECT_THAT(message({0.6, 1.0}, 1.0), HasSubstr("gap"));
  EXPECT_THAT(message({0.0, 1.0}, 0.0), HasSubstr("end"));
  EXPECT_THROW(example_motion("soft_biped", {{"stiffness", -1.0}}), InputError);
  EXPECT_THROW(derivative(test::reference_problem("rocking_block")), InputError);  // friction
}

TEST_F(CommandLine, DerivativeShowsTheBipedsOfTheFigure) {
  EXPECT_NEAR(run_json({"derivative", "soft_biped"}).at("right").at("slope")[13].get<double>(),
              -1.2317386370, 1e-6);
  EXPECT_THAT(run({"derivative", "flywheel_biped"}).out, HasSubstr("they differ"));
  EXPECT_THAT(run({"derivative", "rigid_biped"}).out, HasSubstr("the outcome jumps"));
  EXPECT_EQ(run({"derivative", "soft_biped", "--set", "stiffness=-1"}).exit_code, 2);
  EXPECT_EQ(run({"derivative", "soft_biped", "--set", "end=1"}).exit_code, 2);
  EXPECT_EQ(run({"derivative", "rocking_block"}).exit_code, 2);
  // Balls that rest against one another and bounce are neither open nor closed.
  const ProgramRun cradle = run({"derivative", CAROM_SOURCE_DIR "/scenarios/newton_cradle.toml"});
  EXPECT_EQ(cradle.exit_code, 2);
  EXPECT_THAT(cradle.err, HasSubstr("rests and has restitution"));
}

}  // namespace
}  // namespace carom
