#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "carom/carom.hpp"
#include "carom/roll.hpp"
#include "tests/support/roll_options.hpp"
#include "tests/support/rolled_worlds.hpp"

namespace carom {
namespace {

using nlohmann::json;
using test::block;
using test::heap;
using test::roll_options;

json reference(const std::string& name) {
  std::ifstream stream(std::string(CAROM_TEST_DATA) + "/time/" + name + ".json");
  return json::parse(stream);
}

/// The block of Halm & Posa's Figure 8, which pivots about its left corner at 1 rad/s.
PlanarWorld zeno_block() {
  auto world = std::get<PlanarWorld>(*block("drop_speed = 1").world);
  world.bodies[0].velocity = {-1.0, 0.5, 1.0};
  return world;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double standard_error(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / (n - 1.0) / n);
}

/// Half a rocking cycle of the paper's block from the rate omega: elliptic integrals of the spec's
/// closed form, here by the mid-point rule in a variable without a singular end.
double half_cycle(double omega) {
  constexpr double p2 = 6.580748057781880;
  constexpr double alpha = 1.1071487177940904;
  const double apex = std::asin(std::sin(alpha) + omega * omega / (2.0 * p2)) - alpha;
  constexpr int parts = 20'000;
  double sum = 0.0;
  for (int i = 0; i < parts; ++i) {
    const double u = (i + 0.5) / parts;  // theta = apex (1 - u^2)
    const double theta = apex * (1.0 - u * u);
    // omega^2 - 2 p2 (sin(theta + alpha) - sin alpha), from the apex, without cancellation
    const double half_sum = alpha + 0.5 * (theta + apex);
    const double difference = 2.0 * std::cos(half_sum) * std::sin(0.5 * (apex - theta));
    sum += 2.0 * apex * u / std::sqrt(2.0 * p2 * difference);
  }
  return 2.0 * sum / parts;
}

TEST(Roll, FallsFreelyToRounding) {
  Scenario scenario = block("drop_height = 2");
  std::get<PlanarWorld>(*scenario.world).bodies[0].velocity = {0.5, 1.0, 2.0};
  RollOptions asked = roll_options(1, 0.5, 0.01);
  asked.times = {0.125, 0.5};
  const Rollouts found = carom::roll(*scenario.world, {}, asked);
  for (int k = 0; k < 2; ++k) {
    const double t = asked.times[static_cast<std::size_t>(k)];
    EXPECT_NEAR(found.position[3 * k], 0.5 * t, 1e-14);
    EXPECT_NEAR(found.position[3 * k + 1], 3.0 + t - 0.5 * 9.81 * t * t, 1e-13);
    EXPECT_NEAR(found.position[3 * k + 2], 2.0 * t, 1e-14);
    EXPECT_NEAR(found.velocity[3 * k + 1], 1.0 - 9.81 * t, 1e-13);
  }
}

TEST(Roll, FindsTheMomentOfAnImpact) {
  const Scenario scenario = block("drop_height = 0.01");
  const Rollouts found = roll(scenario, roll_options(1, 0.1, 1e-3));
  EXPECT_NEAR(found.first_time[0], std::sqrt(2.0 * 0.01 / 9.81), 1e-8);  // window / speed
}

TEST(Roll, PivotsAndLandsToSecondOrder) {
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const double step = i == 0 ? 2e-3 : 1e-3;
    const Rollouts found = carom::roll(zeno_block(), {}, roll_options(1, 1.2, step));
    errors[i] = std::fabs(found.first_time[0] - 0.9873278073159657);
    EXPECT_NEAR(std::fabs(found.first_velocity[2]), 0.7, 4e-6);  // Housner's ratio
  }
  EXPECT_LT(errors[1], 3e-6);
  EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.5);
}

TEST(Roll, DoesNotDependOnHowLongContactsAreHeld) {
  RollOptions asked = roll_options(1, 1.2, 1e-3);
  asked.hold = 1e-9;
  const Rollouts short_held = carom::roll(zeno_block(), {}, asked);
  asked.hold = 1e-5;
  const Rollouts long_held = carom::roll(zeno_block(), {}, asked);
  EXPECT_EQ(short_held.first_time, long_held.first_time);
}

TEST(Roll, RocksUntilItRests) {
  const json zeno = reference("zeno_block");
  const double limit = zeno["t_star"];
  const Rollouts found = carom::roll(zeno_block(), {}, roll_options(1, 3.0, 1e-4));
  EXPECT_EQ(found.status[0], RolloutStatus::at_rest);
  // Until 1 mm/s: the rest of the sum of half-cycles is 2 w / (p^2 cos alpha) / (1 - r) at 1e-3.
  EXPECT_NEAR(found.end_time[0], limit, 2e-3);
  for (int e = 0; e < 8; ++e) {
    EXPECT_NEAR(found.event_time[e], double{zeno["half_cycles"][e]["t_impact"]}, 1e-5) << e;
    EXPECT_EQ(found.event_contacts[e], 3u) << e;                 // both lower corners
    EXPECT_EQ(found.event_modes[e], e % 2 == 0 ? 4u : 1u) << e;  // in turn, one sticks, one lifts
  }
}

TEST(Roll, TiltedDropLandsAsTheClosedFormSays) {
  const json tilted = reference("deterministic")["tilted"][1];
  const Scenario scenario = block("drop_height = 0.01\ntilt_deg = 0.5");
  const Rollouts found = roll(scenario, roll_options(1, 0.6, 1e-4));
  EXPECT_NEAR(found.event_time[0], double{tilted["t_first"]}, 1e-8);
  EXPECT_NEAR(found.first_velocity[2], double{tilted["omega_after_first"]}, 1e-8);
  EXPECT_NEAR(found.event_time[1], double{tilted["t_second"]}, 1e-7);
  EXPECT_NEAR(found.end_time[0], double{tilted["t_rest"]}, 2.5e-3);
  EXPECT_GE(found.impacts[0], 15u);
}

TEST(Roll, OneCornerAfterTheOtherLiftsAndRestsAsTheClosedFormSays) {
  const json flat = reference("deterministic")["flat"][0];
  const Scenario scenario = block("drop_height = 0.01");
  SamplingOptions sampling = sampling_in_time(scenario);
  sampling.law = law::Sequential{};
  const Rollouts found = carom::roll(*scenario.world, sampling, roll_options(2, 0.4, 1e-4));
  EXPECT_NEAR(std::fabs(found.first_velocity[2]), double{flat["omega_after"]}, 1e-8);  // window
  for (int e = 0; e < 8; ++e) {
    EXPECT_NEAR(found.event_time[e], double{flat["impact_times"][e]}, 2e-6) << e;
  }
  EXPECT_NEAR(found.end_time[0], double{flat["t_rest"]}, 2.5e-3);
}

TEST(Roll, FlatDropsAgreeWithAnIndependentProgram) {
  const json expected = reference("rollout_block");
  const Scenario scenario = block("drop_height = 0.01");
  SamplingOptions sampling = sampling_in_time(scenario);
  sampling.impulse_step = 0.3;
  sampling.max_steps = 10;
  const Rollouts found = carom::roll(*scenario.world, sampling, roll_options(8192, 0.4, 2e-4));
  std::vector<double> at_once, lift, after;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found.status[i], RolloutStatus::at_rest);
    const double rate = std::fabs(found.first_velocity[3 * i + 2]);
    at_once.push_back(rate < 1e-6 ? 1.0 : 0.0);
    if (rate >= 1e-6) lift.push_back(rate);  // the corners are 1 m apart
    after.push_back(found.end_time[i] - found.first_time[i]);
  }
  const auto expect_agreement = [](const std::vector<double>& sample, const json& its) {
    const double spread = std::hypot(standard_error(sample), double{its["se"]});
    EXPECT_NEAR(mean_of(sample), double{its["mean"]}, 4.0 * spread);
  };
  expect_agreement(at_once, expected["rest_at_once"]);
  expect_agreement(lift, expected["lift_speed_given_rocking"]);
  expect_agreement(after, expected["time_to_rest_after_impact"]);
}

TEST(Roll, EveryFlatDropRestsAfterItsHalfCycles) {
  const Scenario scenario = block("drop_height = 0.01");
  const Rollouts found = roll(scenario, roll_options(64, 0.4, 5e-5));
  for (std::size_t i = 0; i < found.size(); ++i) {
    double rate = std::fabs(found.first_velocity[3 * i + 2]);
    if (rate < 1e-3) continue;
    double rest = found.first_time[i];
    for (; rate > 1e-3; rate *= 0.7) rest += half_cycle(rate);
    EXPECT_NEAR(found.end_time[i], rest, 5e-4) << i;
  }
}

TEST(Roll, TallBlocksFallAsOftenAsInAnIndependentProgram) {
  const json expected = reference("topple_block");
  Scenario scenario = block("width = 0.2\ndrop_height = 1.5");
  SamplingOptions sampling = sampling_in_time(scenario);
  sampling.impulse_step = 3.0;
  sampling.max_steps = 200;
  RollOptions asked = roll_options(8192, 3.0, 2e-3);
  asked.ask = {"|angle| > 45 deg by 3 s"};
  const Rollouts found = carom::roll(*scenario.world, sampling, asked);
  const RollSummary summary = summarise(*scenario.world, asked, found);
  EXPECT_EQ(summary.whole(), found.size());
  const double share = expected["falls"]["mean"];
  const double error = std::sqrt(share * (1.0 - share) / 8192.0);
  EXPECT_NEAR(static_cast<double>(summary.answers[0].yes) / 8192.0, share, 4.0 * error);
}

TEST(Roll, SimultaneousLawNeverTopplesAFlatBlock) {
  Scenario scenario = block("width = 0.2\ndrop_height = 1.5");
  SamplingOptions sampling = sampling_in_time(scenario);
  sampling.law = law::Simultaneous{};
  const Rollouts found = carom::roll(*scenario.world, sampling, roll_options(4, 1.0, 1e-3));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found.first_velocity[3 * i + 2], 0.0, 1e-9);
    EXPECT_EQ(found.status[i], RolloutStatus::at_rest);
  }
}

/// The rocking block's corners land at once in several ways, but one after the other in one way.
/// Where friction jams the disc, its contacts cannot slip as their axes turn.
TEST(Roll, ADiscThatSpinsIntoAGrooveJams) {
  PlanarWorld world;
  world.bodies = {{.name = "disc", .radius = 0.1, .mass = 1.0, .position = {0.0, 0.2, 0.0}}};
  world.floors = {{.name = "a", .normal = {1.0, 1.0}}, {.name = "b", .normal = {-1.0, 1.0}}};
  world.friction = 1.0;
  RollOptions asked = roll_options(1000, 1.0, 1e-3);
  asked.start = {{"x", false, -0.05, 0.05}, {"angle", true, -30.0, 30.0}};
  const Rollouts found = roll(world, {}, asked);
  for (const RolloutStatus status : found.status) EXPECT_EQ(status, RolloutStatus::at_rest);
}

/// Two discs fill the width between two walls: what presses them together has no bound.
TEST(Roll, DiscsThatFillABoxRest) {
  PlanarWorld world;
  for (const Eigen::Vector3d& position :
       {Eigen::Vector3d(-0.1, 0.1, 0.0), {0.1, 0.1, 0.0}, {0.0, 0.573, 0.0}}) {
    world.bodies.push_back({.name = "", .radius = 0.1, .mass = 1.0, .position = position});
  }
  world.floors = {{.name = "ground"},
                  {.name = "left", .point = {-0.2, 0.0}, .normal = {1.0, 0.0}},
                  {.name = "right", .point = {0.2, 0.0}, .normal = {-1.0, 0.0}}};
  world.friction = 1.0;
  const Rollouts found = roll(world, {}, roll_options(100, 1.0, 1e-3));
  for (const RolloutStatus status : found.status) EXPECT_TRUE(is_whole(status));
}

TEST(Roll, TellsRolloutsThatAreTheSame) {
  const auto told = [](const PlanarWorld& world, std::uint64_t rollouts) {
    const std::vector<Note> notes = roll(world, {}, roll_options(rollouts, 1.0, 1e-3)).notes;
    const auto note = std::ranges::find(notes, "same_rollouts", &Note::code);
    return note == notes.end() ? std::string() : note->text.substr(0, note->text.find(';'));
  };
  const auto flat = std::get<PlanarWorld>(*block("drop_speed = 1").world);
  PlanarWorld tilted = flat;
  tilted.bodies[0].position += Eigen::Vector3d(0.0, 0.5, 0.1);
  EXPECT_EQ(told(flat, 20), "");
  EXPECT_EQ(told(tilted, 20),
            "all 20 rollouts are the same: with confidence 95 %, another course has a probability "
            "of at most 14 %");
  EXPECT_EQ(told(tilted, 1), "");
}

/// Three equal balls in a row, which restitution 1 gives 22 % more energy (docs/plus.md).
TEST(Roll, TellsEnergyThatLawPlusAdds) {
  const auto told = [](double middle) {
    const auto ball = [](const char* name, double x, double speed) {
      return PlanarBody{
          .name = name, .radius = 0.1, .position = {x, 0.0, 0.0}, .velocity = {speed, 0.0, 0.0}};
    };
    PlanarWorld world;
    world.gravity = {0.0, 0.0};
    world.restitution = 1.0;
    world.bodies = {ball("a", -0.2, 1.0), ball("b", 0.0, middle), ball("c", 0.2, 0.0)};
    SamplingOptions sampling;
    sampling.law = law::Plus{};
    const std::vector<Note> notes = roll(world, sampling, roll_options(3, 0.1, 1e-3)).notes;
    const auto note = std::ranges::find(notes, "energy_gain", &Note::code);
    return note == notes.end() ? std::string() : note->text;
  };
  EXPECT_EQ(told(0.005),
            "the energy grows in 3 of 3 rollouts, by 0.11 J at 0.005 s first: law plus bounds no "
            "energy");
  EXPECT_EQ(told(0.0), "");
}

/// When a stick of length 2 a and thickness 2 b, level at the height z, first touches the floor:
/// the first zero of the lower corner's height.
double landing_of(double a, double b, double z, double fall, double spin) {
  for (double t = 0.0;; t += 1e-8) {
    const double reach = a * std::fabs(std::sin(spin * t)) + b * std::fabs(std::cos(spin * t));
    if (z - fall * t - 0.5 * 9.81 * t * t <= reach) return t;
  }
}

/// Within a step of the usual length, each corner is at its lowest several times.
TEST(Roll, FindsTheLandingOfAStickThatSpinsFast) {
  for (const double spin : {900.0, 3000.0}) {
    const double expected = landing_of(0.15, 0.005, 0.25, 0.2, spin);
    PlanarWorld plane;
    plane.bodies = {{.name = "stick",
                     .corners = {{-0.15, -0.005}, {0.15, -0.005}, {0.15, 0.005}, {-0.15, 0.005}},
                     .position = {0.0, 0.25, 0.0},
                     .velocity = {0.0, -0.2, spin}}};
    plane.floors = {{.name = "floor"}};
    EXPECT_NEAR(roll(plane, {}, roll_options(1, 0.2, 1e-3)).first_time[0], expected, 1e-6);
    EXPECT_NEAR(first_impact(plane).pre_impact_velocity(1), -0.2 - 9.81 * expected, 1e-4);
    SpatialWorld space;
    // A cross whose moments of inertia are equal: its spin changes no velocity.
    const auto feet = {Eigen::Vector3d(0.15, 0.0, 0.005), Eigen::Vector3d(0.15, 0.0, -0.005),
                       Eigen::Vector3d(-0.15, 0.0, 0.005), Eigen::Vector3d(-0.15, 0.0, -0.005)};
    space.bodies = {{.name = "cross",
                     .points = feet,
                     .inertia = 0.01 * Eigen::Matrix3d::Identity(),
                     .position = {0.0, 0.0, 0.25},
                     .velocity = {0.0, 0.0, -0.2},
                     .angular_velocity = {0.0, spin, 0.0}}};
    space.floors = {{.name = "floor"}};
    EXPECT_NEAR(roll(space, {}, roll_options(1, 0.2, 1e-3)).first_time[0], expected, 1e-6);
  }
}

TEST(Roll, HasTheSameBitsOnAnyNumberOfThreadsAndInAnyOrder) {
  const Scenario scenario = block("drop_height = 0.01");
  SamplingOptions sampling = sampling_in_time(scenario);
  RollOptions asked = roll_options(40, 0.2, 1e-3);
  sampling.threads = 1;
  const Rollouts all = carom::roll(*scenario.world, sampling, asked);
  sampling.threads = 3;
  asked.rollouts = 15;
  const Rollouts later = carom::roll(*scenario.world, sampling, asked, {}, 25);
  for_each_rollout_column(
      [&](const RolloutColumnInfo& info, const auto& one, const auto& other) {
        const std::size_t width = info.numbers(all);
        ASSERT_EQ(other.size(), 15 * width) << info.name;
        for (std::size_t i = 0; i < other.size(); ++i) {
          EXPECT_EQ(one[25 * width + i], other[i]) << info.name;
        }
      },
      all, later);
}

TEST(PlanarWorlds, KeepNormalsThatHaveUnitLength) {
  std::mt19937 random(7);
  std::normal_distribution<double> any;
  for (int i = 0; i < 1000; ++i) {
    PlanarWorld world = heap();
    world.floors[1].normal = {any(random), any(random)};
    const PlanarWorld once = validated(world);
    EXPECT_NEAR(once.floors[1].normal.norm(), 1.0, 1e-15);
    EXPECT_EQ(validated(once).floors[1].normal, once.floors[1].normal);
  }
}

TEST(Roll, HeapsNeitherPenetrateNorGainEnergy) {
  const PlanarWorld world = validated(heap());
  RollOptions asked = roll_options(32, 2.0, 5e-4);
  const Rollouts found = carom::roll(world, {}, asked);
  const auto energy_at = [&](const double* q, const double* v) {
    double sum = 0.0;
    for (std::size_t b = 0; b < 3; ++b) {
      const PlanarBody& body = world.bodies[b];
      sum += 0.5 * body.mass * (v[3 * b] * v[3 * b] + v[3 * b + 1] * v[3 * b + 1]) +
             0.5 * *body.inertia * v[3 * b + 2] * v[3 * b + 2] + body.mass * 9.81 * q[3 * b + 1];
    }
    return sum;
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(is_whole(found.status[i])) << rollout_status_name(found.status[i]);
    double before = INFINITY;
    for (int k = 0; k < found.times; ++k) {
      const std::size_t at = (i * static_cast<std::size_t>(found.times) + k) * 9;
      const double* q = &found.position[at];
      const double energy = energy_at(q, &found.velocity[at]);
      EXPECT_LT(energy, before + 1e-3) << i << " at " << found.time[k];
      before = energy;
      PlanarWorld now = world;
      for (std::size_t b = 0; b < 3; ++b) {
        now.bodies[b].position = {q[3 * b], q[3 * b + 1], q[3 * b + 2]};
      }
      for (const PlanarTouch& touch : touches(now)) {
        EXPECT_GT(touch.gap, -2e-5) << i << " at " << found.time[k];
      }
    }
  }
}

}  // namespace
}  // namespace carom
