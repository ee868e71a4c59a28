#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "carom/error.hpp"
#include "tests/support/compliant_systems.hpp"

namespace carom {
namespace {

using nlohmann::json;
using test::bouncer;
using test::farthest;
using test::last_state;
using test::order_test;
using test::plate_of;
using test::roll_from;
using testing::HasSubstr;

constexpr Crossing accurate[] = {Crossing::fast, Crossing::safe};

RollOptions with_crossing(double duration, double step, Crossing crossing = Crossing::fast) {
  RollOptions options;
  options.duration = duration;
  options.step = step;
  options.crossing = crossing;
  options.events = 600;
  return options;
}

double largest(const std::vector<double>& numbers) {
  return farthest(numbers, std::vector<double>(numbers.size()));
}

std::vector<double> flat(const json& rows) {
  std::vector<double> all;
  for (const auto& row : rows) {
    for (const double number : row) all.push_back(number);
  }
  return all;
}

TEST(Compliant, PlatesHaveEventsAndEndsOfAnIndependentProgram) {
  for (const char* file : {"plate_002", "plate_010", "plate_100"}) {
    const json data = test::read_json(std::string("compliant/") + file + ".json");
    for (const json& run : data["runs"]) {
      for (const Crossing crossing : accurate) {
        const Rollouts found =
            roll_from(plate_of(data), run["x0"], with_crossing(run["T"], 2e-3, crossing));
        EXPECT_EQ(found.status[0], RolloutStatus::done);
        EXPECT_EQ(found.impacts[0], run["events"]) << file;
        EXPECT_LT(farthest(last_state(found), run["x_final"]), 5e-8) << file;
        std::size_t e = 0;
        for (const json& event : run["first_events"]) {
          EXPECT_NEAR(found.event_time[e], event["t"], 1e-8);
          ++e;
        }
      }
    }
  }
}

TEST(Compliant, EventsAreKeptWithTheirContact) {
  const json data = test::read_json("compliant/plate_010.json");
  const json& run = data["runs"][2];
  const Rollouts found = roll_from(plate_of(data), run["x0"], with_crossing(run["T"], 1e-3));
  std::size_t e = 0;
  for (const json& event : run["first_events"]) {
    const std::uint64_t contact = event["guard"];
    EXPECT_EQ(found.event_contacts[e], std::uint64_t{1} << contact) << e;
    EXPECT_EQ(found.event_modes[e], event["bit"] == 1 ? std::uint64_t{1} << (2 * contact) : 0);
    ++e;
  }
  EXPECT_EQ(e, 40u);
}

TEST(Compliant, StepsAcrossEventsAreOfFifthOrder) {
  const json data = test::read_json("compliant/order_test.json");
  const auto rms = [&](double step, Crossing crossing) {
    double sum = 0.0;
    for (int i = 0; i < 24; ++i) {
      std::vector<double> start = data["x0"];
      for (std::size_t k = 0; k < 3; ++k) start[k] += 0.04 * std::sin(17.0 * i + 5.0 * double(k));
      const auto end = [&](double by, Crossing how) {
        return last_state(roll_from(order_test(data), start, with_crossing(0.5, by, how)));
      };
      const double error = farthest(end(step, crossing), end(1e-4, Crossing::safe));
      sum += error * error;
    }
    return std::sqrt(sum / 24.0);
  };
  const auto slope = [&](Crossing crossing) {
    return std::log(rms(0.02, crossing) / rms(0.0025, crossing)) / std::log(8.0);
  };
  EXPECT_GT(slope(Crossing::fast), 4.5);
  EXPECT_GT(slope(Crossing::safe), 4.5);
  EXPECT_NEAR(slope(Crossing::projection), 2.0, 0.3);
}

TEST(Compliant, DerivativesAreThoseOfTheSaltationMatrices) {
  const auto check = [](const CompliantSystem& system, const json& run) {
    for (const Crossing crossing : accurate) {
      RollOptions options = with_crossing(run["T"], 5e-4, crossing);
      options.derivative = true;
      const Rollouts found = roll_from(system, run["x0"], options);
      const std::vector<double> wanted = flat(run["derivative"]);
      EXPECT_LT(farthest(found.derivative, wanted), 1e-6 * std::max(1.0, largest(wanted)));
    }
  };
  const json order = test::read_json("compliant/order_test.json");
  check(order_test(order), order);
  check(bouncer(1000.0, 1.0, -1.0), test::read_json("compliant/hopper.json")["run"]);
  for (const char* file : {"plate_002", "plate_010"}) {
    const json plate = test::read_json(std::string("compliant/") + file + ".json");
    int count = 0;
    for (const json& run : plate["runs"]) {
      if (!run.contains("derivative")) continue;
      check(plate_of(plate), run);
      ++count;
    }
    EXPECT_GT(count, 0);
  }
}

TEST(Compliant, ManyContactsAtOnceHaveOneDerivative) {
  const json data = test::read_json("compliant/plate_002.json");
  const json& fall = data["symmetric_fall"];
  RollOptions options = with_crossing(fall["T"], 1e-3);
  options.derivative = true;
  const Rollouts found =
      roll_from(plate_of(data), std::vector<double>{0.0, 2.5, 0.0, 0.0, 0.0, 0.0}, options);
  EXPECT_EQ(found.status[0], RolloutStatus::done);
  const json& quotient = fall["quotients"].back();
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(found.derivative[6 * i + 2], quotient["right"][i], 1e-5);
    EXPECT_NEAR(found.derivative[6 * i + 2], quotient["left"][i], 1e-5);
  }
}

TEST(Compliant, GuardsMetAtOneInstantWhoseOrderCountsHaveDerivativesFromOneSide) {
  const json data = test::read_json("compliant/order_test.json");
  const CompliantSystem system = order_test(data);
  const auto& table = std::get<PiecewiseAffine>(system.motion);
  // 1 ms before the corner at 0, by Taylor's series backwards.
  constexpr double before = 1e-3;
  Eigen::VectorXd term = table.vectors[0] * -before;
  Eigen::VectorXd at = term;
  for (int k = 2; k < 8; ++k) at += term = table.matrices[0] * term * (-before / k);
  const std::vector<double> start(at.begin(), at.end());
  RollOptions options = with_crossing(2.0 * before, 1e-4);
  options.derivative = true;
  const Rollouts found = roll_from(system, start, options);
  EXPECT_EQ(found.status[0], RolloutStatus::corner);
  EXPECT_EQ(found.impacts[0], 3u);
  constexpr double h = 1e-7;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> moved = start;
    moved[k] += h;
    const std::vector<double> end = last_state(roll_from(system, moved, options));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.derivative[3 * i + k], (end[i] - found.position[i]) / h, 2e-5);
    }
  }
}

TEST(Compliant, AGrazeIsFoundInsideAStep) {
  const json data = test::read_json("compliant/graze.json");
  for (const json& run : data["runs"]) {
    for (const Crossing crossing : accurate) {
      const Rollouts found =
          roll_from(bouncer(1000.0, -1.0, 1.0), run["x0"], with_crossing(run["T"], 8e-3, crossing));
      EXPECT_EQ(found.impacts[0], run["events"]) << run["delta"];
      EXPECT_LT(farthest(last_state(found), run["x_final"]), 2e-7) << run["delta"];
    }
  }
}

TEST(Compliant, AGrazeHasAStatusAndNoDerivative) {
  RollOptions options = with_crossing(0.9, 8e-3);
  options.derivative = true;
  options.graze_speed = 1e-3;
  const Rollouts found =
      roll_from(bouncer(1000.0, -1.0, 1.0),
                std::vector<double>{0.0, std::sqrt(2.0 * 9.81 * (1.0 + 1e-8))}, options);
  EXPECT_EQ(found.status[0], RolloutStatus::graze);
  EXPECT_EQ(found.grazes[0], 2u);
  EXPECT_TRUE(std::isnan(found.derivative[0]));
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes[0].code, "grazes");
}

TEST(Compliant, AnEventAMomentBeforeTheEndIsNoGraze) {
  Springs walls{.mass_matrix = Eigen::MatrixXd::Constant(1, 1, 2.0),
                .force = Eigen::VectorXd::Zero(1),
                .normal_jacobian = Eigen::Vector2d(-1.0, 1.0),
                .gap_offset = Eigen::Vector2d::Ones(),
                .contact_stiffness = Eigen::Vector2d(800.0, 200.0)};
  RollOptions options = with_crossing(1.0, 1e-3);
  options.times = {0.2, 0.4, 0.6000000000000001, 0.8, 1.0};
  options.derivative = true;
  const Rollouts found = roll_from({walls}, {0.0, 1.0}, options);
  EXPECT_EQ(found.status[0], RolloutStatus::done);
  EXPECT_EQ(found.impacts[0], 1u);
  EXPECT_EQ(found.grazes[0], 0u);
  EXPECT_LT(farthest(found.derivative, {1.0, 1.0, 0.0, 1.0}), 1e-12);
}

TEST(Compliant, ABouncerOnAStepLimitsItsEvents) {
  RollOptions options = with_crossing(20.0, 1e-3);
  options.event_limit = 5;
  const Rollouts found = roll_from(bouncer(1000.0, 1.0, -1.0), {2.0, 0.0}, options);
  EXPECT_EQ(found.status[0], RolloutStatus::event_limit);
  EXPECT_FALSE(is_whole(found.status[0]));
  EXPECT_EQ(found.notes[0].code, "rollouts_failed");
}

TEST(Compliant, APlateThatStandsUprightLeavesItsDomain) {
  CompliantSystem plate{SpringPlate{.positions = Eigen::Vector2d(-1.0, 1.0)}};
  const Rollouts found =
      roll_from(plate, {0.0, 3.0, 0.0, 0.0, 0.0, 100.0}, with_crossing(2.0, 1e-3));
  EXPECT_EQ(found.status[0], RolloutStatus::left_domain);
  EXPECT_LT(found.position[2], 1.5);
  EXPECT_GT(found.position[2], 1.48);
}

TEST(Compliant, WithoutDampingEnergyIsKept) {
  const Rollouts found =
      roll_from(bouncer(1000.0, 1.0, -1.0), {2.0, 0.0}, with_crossing(10.0, 1e-3));
  const double energy = 0.5 * found.velocity[0] * found.velocity[0] + 9.81 * found.position[0];
  EXPECT_GT(found.position[0], 1.0);
  EXPECT_NEAR(energy, 19.62, 1e-7);
}

TEST(Compliant, RolloutsArePureFunctionsOfTheirIndex) {
  const json data = test::read_json("compliant/plate_010.json");
  const CompliantSystem plate = plate_of(data);
  RollOptions options = with_crossing(1.0, 2e-3);
  options.derivative = true;
  options.rollouts = 40;
  options.start = {{"theta", false, -0.1, 0.1}, {"z", false, 2.0, 3.0}};
  const Rollouts all = roll(plate, {}, options);
  SamplingOptions one_thread;
  one_thread.threads = 1;
  options.rollouts = 15;
  std::swap(options.start[0], options.start[1]);  // the order of ranges is of no account
  const Rollouts later = roll(plate, one_thread, options, {}, 25);
  const auto tail = [](const auto& column, const auto& of) {
    return std::vector(column.end() - static_cast<std::ptrdiff_t>(of.size()), column.end());
  };
  EXPECT_EQ(tail(all.position, later.position), later.position);
  EXPECT_EQ(tail(all.derivative, later.derivative), later.derivative);
  EXPECT_NE(all.position[61], all.position[60 + 63 + 1]);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_GE(all.position[i * 63 + 1], 2.0);
    EXPECT_LE(all.position[i * 63 + 1], 3.0);
  }
}

/// The message of the error that a changed system has.
template <class Motion, class Change>
std::string refusal(Motion motion, const Change& change) {
  change(motion);
  try {
    validated(CompliantSystem{motion});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Compliant, SystemsThatBreakARuleAreRefused) {
  const Springs good = std::get<Springs>(bouncer(1.0, 1.0, 0.0).motion);
  EXPECT_EQ(refusal(good, [](Springs&) {}), "");
  EXPECT_EQ(refusal(good, [](Springs& its) { its.contact_stiffness[0] = -1.0; }),
            "contact_stiffness contains -1 (must be >= 0)");
  EXPECT_EQ(refusal(good, [](Springs& its) { its.contact_damping = -its.force; }), "");
  EXPECT_THAT(refusal(good, [](Springs& its) { its.contact_damping = its.force; }),
              HasSubstr("contact_damping contains -9.81"));
  EXPECT_THAT(refusal(good, [](Springs& its) { its.normal_jacobian.setZero(); }),
              HasSubstr("never opens"));
  EXPECT_THAT(refusal(good, [](Springs& its) { its.mass_matrix.setZero(); }),
              HasSubstr("positive definite"));
  EXPECT_THAT(refusal(good, [](Springs& its) { its.force.resize(2); }),
              HasSubstr("force is 2 numbers (must be 1 numbers)"));
  EXPECT_THAT(refusal(SpringPlate{}, [](SpringPlate&) {}), HasSubstr("positions has 0 numbers"));
  EXPECT_THAT(refusal(SpringPlate{.positions = Eigen::Vector2d(0.0, 1.0)},
                      [](SpringPlate& its) { its.stiffness = -4.0; }),
              HasSubstr("stiffness is -4 (must be >= 0)"));
}

TEST(Compliant, OptionsThatDoNotSuitAreRefused) {
  RollOptions options;
  options.contact = ContactKind::rigid;
  EXPECT_THROW(roll(bouncer(1.0, 1.0, 0.0), {}, options), InputError);
  options.contact = ContactKind::compliant;
  options.step = 0.0;
  EXPECT_THROW(roll(bouncer(1.0, 1.0, 0.0), {}, options), InputError);
  options.step = 1e-3;
  options.start = {{"q2", false, 0.0, 0.0}};
  EXPECT_THROW(roll(bouncer(1.0, 1.0, 0.0), {}, options), InputError);
}

}  // namespace
}  // namespace carom
