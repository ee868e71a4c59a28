#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "carom/carom.hpp"
#include "carom/roll.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/roll_options.hpp"
#include "tests/support/rolled_worlds.hpp"

namespace carom {
namespace {

using test::block;
using test::heap;
using test::roll_options;
using testing::HasSubstr;

TEST(Roll, TellsWhatAFallWasAsked) {
  const Scenario scenario = block("drop_height = 0.01");
  RollOptions asked = roll_options(10, 0.1, 1e-3);
  asked.ask = {"y < 1.005 m at 0.05 s", "y > 1.005 m by 0.01 s", "impacts > 0",
               "end_time < 1 s",        "y<1.005m at 0.05s",     "|y|>1.005m by 1e-2s"};
  const Rollouts found = roll(scenario, asked);
  const RollSummary summary = summarise(*scenario.world, asked, found);
  for (const RollAnswer& answer : summary.answers) EXPECT_EQ(answer.yes, 10u) << answer.question;
  EXPECT_THAT(found.time, testing::Contains(0.01));
}

TEST(Roll, FailedRolloutsAnswerWhatWasDecidedBefore) {
  const Scenario scenario = block("drop_height = 0.01");  // lands after 0.045 s
  RollOptions asked = roll_options(10, 0.1, 1e-3);
  asked.ask = {"y < 1.005 m by 0.1 s", "y > 1.009 m at 0.01 s", "impacts > 0",  // all
               "y < 1.005 m at 0.1 s", "impacts < 1000",                        // what did not fail
               "y > 2 m by 0.02 s",    "impacts < 1",                           // none
               "y > 2 m by 0.1 s",     "end_time > 9 s"};                       // none so far
  Rollouts found = roll(scenario, asked);
  found.status[3] = RolloutStatus::energy_grew;
  found.status[7] = RolloutStatus::impact_dropped;
  const RollSummary summary = summarise(*scenario.world, asked, found);
  for (std::size_t i = 0; i < asked.ask.size(); ++i) {
    const RollAnswer& answer = summary.answers[i];
    EXPECT_EQ(answer.rollouts, 10u);
    EXPECT_EQ(answer.yes, i < 3 ? 10u : i < 5 ? 8u : 0u) << answer.question;
    EXPECT_EQ(answer.open, i < 3 || i == 5 || i == 6 ? 0u : 2u) << answer.question;
    EXPECT_EQ(answer.interval.low, wilson_interval(answer.yes, 10, 0.95).low);
    EXPECT_EQ(answer.interval.high, wilson_interval(answer.yes + answer.open, 10, 0.95).high);
  }
}

/// What a step that failed did is no answer.
TEST(Roll, TheStepThatFailedDoesNotAnswer) {
  const Scenario scenario = block("drop_height = 0.01");
  RollOptions asked = roll_options(1, 0.1, 1e-3);
  asked.ask = {"y > 5 m by 0.1 s"};
  Rollouts found = roll(scenario, asked);
  const auto moves = [&](std::size_t k) {
    return !std::equal(&found.least[3 * k], &found.least[3 * k] + 3, &found.greatest[3 * k]);
  };
  std::size_t last = static_cast<std::size_t>(found.times) - 1;
  while (!moves(last)) --last;
  found.greatest[3 * last + 1] = 10.0;
  found.status[0] = RolloutStatus::energy_grew;
  const RollAnswer answer = summarise(*scenario.world, asked, found).answers[0];
  EXPECT_EQ(answer.yes, 0u);
  EXPECT_EQ(answer.open, 1u);
  found.greatest[3 * (last - 1) + 1] = 10.0;
  EXPECT_EQ(summarise(*scenario.world, asked, found).answers[0].yes, 1u);
}

/// A bounce that is over before the step's end: it lands after 0.045 s.
TEST(Roll, ExtremesHoldTheMomentsOfImpacts) {
  Scenario scenario = block("drop_height = 0.01");
  std::get<PlanarWorld>(*scenario.world).restitution = 1.0;
  RollOptions asked = roll_options(20, 0.06, 0.03);
  asked.times = {0.03, 0.06};
  asked.ask = {"y < 1.0000001 m by 0.06 s", "y < 1.0000001 m at 0.06 s"};
  const Rollouts found = carom::roll(*scenario.world, {}, asked);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found.least[6 * i + 4], 1.0, 1e-8);  // of y, in the second interval
    EXPECT_GT(found.position[6 * i + 4], 1.001);
  }
  const RollSummary summary = summarise(*scenario.world, asked, found);
  EXPECT_EQ(summary.answers[0].yes, 20u);
  EXPECT_EQ(summary.answers[1].yes, 0u);
}

TEST(Roll, OptionsThatAreLeftOpenHaveAValueOnceResolved) {
  const Scenario scenario = block("drop_height = 0.01");
  RollOptions open;
  EXPECT_FALSE(open.step.has_value());
  open = resolved(open, *scenario.world);
  EXPECT_EQ(open.step, 1e-3);
  EXPECT_EQ(open.impact_speed, 0.5e-3);
  EXPECT_FALSE(open.step.is_stated());
  RollOptions stated;
  stated.step = 0.01;
  EXPECT_EQ(resolved(stated, *scenario.world).step, 0.01);
}

/// TOML reads `d1.x` without quotes as x of a table d1.
TEST(Roll, StartsMayNameCoordinatesWithoutQuotes) {
  const auto starts_of = [](const char* start) {
    const Scenario scenario = parse_scenario(std::string(R"(
system = "planar"
[world]
friction = 0.5
[[body]]
name = "d1"
mass = 1.0
radius = 0.1
position = [0.0, 1.0, 0.0]
[[body]]
name = "a"
mass = 1.0
radius = 0.1
position = [1.0, 1.0, 0.0]
[[floor]]
)") + start);
    std::vector<std::string> names;
    for (const StartRange& range : scenario.roll->start) names.push_back(range.coordinate);
    return names;
  };
  const std::vector<std::string> wanted = {"a.angle", "d1.x", "d1.y"};
  EXPECT_EQ(starts_of("[start.position]\nd1.y = 1.1\nd1.x = {min = 0, max = 0.1}\na.angle = 0.1\n"),
            wanted);
  EXPECT_EQ(starts_of("[start.position]\n'd1.x' = 0.1\n'a.angle' = 0.1\nd1.y = 1.1\n"), wanted);
  EXPECT_THAT(test::refusal([&] { starts_of("[start.position]\nd1.q = 0.1\n"); }),
              HasSubstr("start has d1.q (must be one of d1.x,"));
  EXPECT_THAT(test::refusal([&] { starts_of("[start.position]\nd1.x = {mn = 0, max = 1}\n"); }),
              HasSubstr("unknown key \"mn\" in d1.x"));
  EXPECT_THAT(test::refusal([&] { starts_of("[start.position]\nd1.x = 1\n'd1.x' = 2\n"); }),
              HasSubstr("d1.x is stated twice"));
}

TEST(Roll, TubesHoldAllStatesWithinEpsilon) {
  const Scenario scenario = block("drop_height = 0.01");
  RollOptions asked = roll_options(400, 0.2, 1e-3);
  asked.times = {0.0, 0.05, 0.1};
  asked.tube_time = 0.1;
  asked.tube_epsilon = 0.005;
  const Rollouts found = roll(scenario, asked);
  const Tube tube = *summarise(*scenario.world, asked, found).tube;
  ASSERT_EQ(tube.nets.size(), 4u);
  EXPECT_EQ(tube.nets[0].members.size(), 1u);  // all start alike
  EXPECT_GT(tube.nets[1].members.size(), 3u);
  const double mass[] = {1.0, 1.0, 5.0 / 12.0};
  const auto distance = [&](std::size_t a, std::size_t b, std::size_t k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t one = (a * 4 + k) * 3 + i;
      const std::size_t other = (b * 4 + k) * 3 + i;
      const double dq = (found.position[one] - found.position[other]) / 0.1;
      const double dv = found.velocity[one] - found.velocity[other];
      sum += mass[i] * (dq * dq + dv * dv);
    }
    return std::sqrt(sum);
  };
  for (std::size_t k = 0; k < 4; ++k) {
    std::uint64_t missed = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      double nearest = INFINITY;
      for (const std::uint64_t member : tube.nets[k].members) {
        nearest = std::min(nearest, distance(i, member, k));
      }
      if (i % 2 == 0) {
        EXPECT_LE(nearest, 0.005 + 1e-12) << i;
      }
      missed += i % 2 == 1 && nearest > 0.005 ? 1 : 0;
    }
    EXPECT_EQ(tube.nets[k].tested, 200u);
    EXPECT_EQ(tube.nets[k].missed, missed);
    EXPECT_EQ(tube.nets[k].miss_bound, clopper_pearson_upper(missed, 200, 0.95));
  }
}

TEST(Roll, StartsAreDrawnFromTheirRanges) {
  const Scenario scenario = parse_scenario(R"(
system = "rocking_block"
[parameters]
drop_height = 0.1
[start.position]
angle = {min = 0.0, max = 0.02}
[start.velocity]
x = {min = -1.0, max = 1.0}
y = -0.5
)");
  EXPECT_EQ(to_toml(parse_scenario(to_toml(scenario))), to_toml(scenario));
  RollOptions asked = *scenario.roll;
  asked.rollouts = 300;
  asked.duration = 0.01;
  asked.times = {0.0};
  const Rollouts found = roll(scenario, asked);
  double sum = 0.0;
  double least = INFINITY;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double angle = found.position[6 * i + 2];
    EXPECT_GT(angle, 0.0);
    EXPECT_LE(angle, 0.02);
    EXPECT_EQ(found.velocity[6 * i + 1], -0.5);
    sum += found.velocity[6 * i];
    least = std::min(least, found.velocity[6 * i]);
  }
  EXPECT_NEAR(sum / 300.0, 0.0, 4.0 / std::sqrt(3.0 * 300.0));
  EXPECT_LT(least, -0.9);
  asked.start[0].greatest = 1.5;  // a corner below the floor
  EXPECT_THAT(test::refusal([&] { roll(scenario, asked); }), HasSubstr("must have a gap"));
  asked.start[0].coordinate = "angel";
  EXPECT_THROW(roll(scenario, asked), InputError);
}

void expect_refusal(const RollOptions& asked, const char* rule) {
  EXPECT_THAT(test::refusal([&] { roll(block("drop_height = 0.01"), asked); }), HasSubstr(rule));
}

TEST(Roll, RefusesBadOptions) {
  expect_refusal(roll_options(0, 1.0, 1e-3), "rollouts is 0");
  expect_refusal(roll_options(1, -1.0, 1e-3), "duration is -1");
  expect_refusal(roll_options(1, 1.0, 0.0), "step is 0");
  RollOptions asked = roll_options(1, 1.0, 1e-3);
  asked.times = {0.5, 0.2};
  expect_refusal(asked, "times contain 0.2");
  asked.times = {-0.5};
  expect_refusal(asked, "times contain -0.5");
  asked.times = {};
  asked.ask = {"angel > 3 deg by 0.5 s"};
  expect_refusal(asked, "did you mean");
  asked.ask = {"angle > 3 deg"};
  expect_refusal(asked, "without \"by\" or \"at\"");
  asked.ask = {"angle > 3 deg by 2 s"};
  expect_refusal(asked, "whose time is not from 0 to the duration");
  asked.ask = {"angle > 3 deg by -2 s"};
  expect_refusal(asked, "whose time is negative");
  asked.ask = {"angle > 3 m by 0.5 s"};
  expect_refusal(asked, "whose angle is in deg or rad");
  asked.ask = {"|angle| > 0.3 by 0.5 s"};
  expect_refusal(asked, "whose value is an angle without its unit, deg or rad");
  asked.ask = {"|x| > 3 deg by 0.5 s"};
  expect_refusal(asked, "whose x is in m");
  asked.ask = {"x > 3 cm by 0.5 s"};
  expect_refusal(asked, "whose value is followed by cm, not by a unit (deg, rad, m, s)");
  asked.ask = {"x > 3 m by 500 ms"};
  expect_refusal(asked, "whose time is followed by ms, not by a unit (s)");
  asked.ask = {"impacts > 3 m"};
  expect_refusal(asked, "whose impacts have no unit");
}

TEST(Roll, RefusesBadWorlds) {
  const auto refused = [](const PlanarWorld& world, const char* rule) {
    EXPECT_THAT(test::refusal([&] { validated(world); }), HasSubstr(rule));
  };
  PlanarWorld world = heap();
  world.bodies[0].corners = {{0.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}};  // clockwise
  refused(world, "counter-clockwise");
  world = heap();
  world.bodies[2].radius = 0.0;
  refused(world, "radius");
  world = heap();
  world.bodies[1].name = "low";
  refused(world, "unique");
  world = heap();
  world.bodies.resize(1);
  world.floors.clear();
  refused(world, "nothing can touch");
  world = heap();
  world.floors[0].normal = {0.0, 0.0};
  refused(world, "normal");
}

}  // namespace
}  // namespace carom
