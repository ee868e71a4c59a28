#ifdef CAROM_HAS_MUJOCO
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "carom/carom.hpp"
#include "host/problem/mujoco/contacts.hpp"
#include "tests/support/mujoco_models.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/roll_options.hpp"

namespace carom {
namespace {

using Eigen::VectorXd;
using mujoco::Model;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Mujoco = test::MujocoModels;
using test::vector;

/// A leg whose knee hangs from a hip, both on vertical slides, above the floor by the knee's
/// length: the foot (0.1 m) touches where hip + knee = -0.4. Masses 3 and 1 kg.
constexpr const char* leg = R"(
<body pos="0 0 1"><joint name="hip" type="slide" axis="0 0 1"/><geom size="0.1" mass="3"/>
  <body pos="0 0 -0.5"><joint name="knee" type="slide" axis="0 0 1" range="-0.2 0.2" limited="true"/>
    <geom name="foot" size="0.1" mass="1"/></body></body>)";

/// The velocities that the outcomes of a leg have, all of them the same.
VectorXd outcome_of(const ImpactProblem& problem) {
  SamplingOptions options;
  options.trajectories = 200;
  const SampleSet found = sample(problem, options);
  const VectorXd first = found.velocity_rows().row(0);
  test::expect_near(found.velocity_rows().rowwise() - first.transpose(),
                    Eigen::MatrixXd::Zero(200, first.size()), 1e-7);
  return first;
}

TEST_F(Mujoco, ReachedLimitsAreContactsWithoutFriction) {
  const auto problem_at = [&](double knee, MujocoOptions options = {}) {
    options.model = model(leg);
    options.qpos = vector({-0.4 - knee, knee});
    options.qvel = vector({-1.0, 0.0});
    return impact_problem_from_mujoco(options);
  };
  // The foot stops; the hip goes on, and drives a knee that is free.
  const ImpactProblem free = problem_at(0.0);
  EXPECT_THAT(free.contact_names, ElementsAre("foot/floor"));
  test::expect_near(outcome_of(free), vector({-1.0, 1.0}), 1e-7);
  // A knee at its upper end moves no further: hip and foot stop together.
  const ImpactProblem stopped = problem_at(0.2);
  EXPECT_THAT(stopped.contact_names, ElementsAre("foot/floor", "knee upper limit"));
  test::expect_near(stopped.normal_jacobian.row(1), Eigen::RowVector2d(0.0, -1.0), 0.0);
  EXPECT_EQ(stopped.friction(1), 0.0);
  EXPECT_TRUE(stopped.speed_units.empty());  // both in m/s
  EXPECT_TRUE(stopped.tangent_jacobian.row(1).isZero(0.0));
  EXPECT_TRUE(stopped.doubts.empty());
  test::expect_near(outcome_of(stopped), vector({0.0, 0.0}), 1e-7);
  // At the lower end the knee moves away from its limit.
  test::expect_near(outcome_of(problem_at(-0.2)), vector({-1.0, 1.0}), 1e-7);
  // Within `distance`.
  EXPECT_EQ(problem_at(0.1991).contacts(), 2);
  EXPECT_EQ(problem_at(0.1989).contacts(), 1);
  EXPECT_EQ(problem_at(0.19, {.distance = 0.02}).contacts(), 2);
  // Without limits nothing stops the knee, which is told.
  const ImpactProblem through = problem_at(0.2, {.limits = false});
  EXPECT_EQ(through.contacts(), 1);
  ASSERT_EQ(through.doubts.size(), 1U);
  EXPECT_EQ(through.doubts[0].code, "joint_limits");
  EXPECT_THAT(through.doubts[0].text, HasSubstr(": knee upper limit;"));
  EXPECT_TRUE(problem_at(0.0, {.limits = false}).doubts.empty());
}

TEST_F(Mujoco, LimitsOfAnglesHaveTheirUnit) {
  const auto units_of = [&](const char* joint) {
    MujocoOptions options;
    options.model = model(std::string("<body pos=\"0 0 1\"><joint name=\"arm\" ") + joint +
                          " limited=\"true\"/>"
                          "<geom size=\"0.1\" pos=\"0.3 0 0\" mass=\"1\"/></body>");
    options.qvel = vector({1.0});
    return impact_problem_from_mujoco(options).speed_units;
  };
  EXPECT_THAT(units_of("type=\"hinge\" axis=\"0 1 0\" range=\"-60 0\""), ElementsAre("rad/s"));
  EXPECT_TRUE(units_of("type=\"slide\" axis=\"1 0 0\" range=\"-1 0\"").empty());
}

TEST_F(Mujoco, FlagsThatDisableLimitsHold) {
  for (const char* flag : {"limit", "constraint"}) {
    const std::string file =
        model(leg, std::string("<option><flag ") + flag + "=\"disable\"/></option>");
    mujoco::with_model(file, [&](Model& read) {
      read.set_state({.model = file, .qpos = vector({-0.6, 0.2})});
      EXPECT_TRUE(mujoco::limits_within(read, 10.0).empty()) << flag;
    });
  }
}

/// A body whose hinge, slide, ball and two tendons are limited.
constexpr const char* limited = R"(
<site name="top" pos="0 0 2"/>
<body name="arm" pos="0 0 1"><joint name="hinge" type="hinge" axis="0 1 0" range="-1 1"/>
  <geom size="0.1" pos="0.3 0 0"/>
  <body pos="0.5 0 0"><joint name="slide" type="slide" axis="1 0 0" range="-0.5 0.5" margin="0.01"/>
    <geom size="0.1"/>
    <body pos="0.5 0 0"><joint name="ball" type="ball" range="0 2"/><geom size="0.1" pos="0 0 0.2"/>
      <site name="tip" pos="0.1 0.2 0.3"/></body></body></body>)";
constexpr const char* tendons = R"(
<tendon><fixed name="sum" limited="true" range="-3 3"><joint joint="hinge" coef="2"/>
  <joint joint="slide" coef="-1"/></fixed>
<spatial name="rope" limited="true" range="0.1 3" margin="0.02"><site site="top"/><site site="tip"/>
  </spatial></tendon>)";

/// Gaps of all limits after moving from a state for a time.
std::vector<double> gaps_after(Model& model, const std::string& file, VectorXd qpos,
                               const VectorXd& qvel, double time) {
  void* const handle = dlopen(mujoco::library().file.c_str(), RTLD_NOW);
  const auto integrate =
      reinterpret_cast<decltype(&::mj_integratePos)>(dlsym(handle, "mj_integratePos"));
  integrate(&model.model(), qpos.data(), qvel.data(), time);
  model.set_state({.model = file, .qpos = qpos, .qvel = qvel});
  std::vector<double> gaps;
  for (const mujoco::ReachedLimit& limit : mujoco::limits_within(model, 10.0)) {
    gaps.push_back(limit.gap);
  }
  return gaps;
}

TEST_F(Mujoco, RowsOfLimitsAreTheDerivativesOfTheirGaps) {
  for (const char* jacobian : {"dense", "sparse"}) {
    const std::string file =
        model(limited, std::string(tendons) + "<option jacobian=\"" + jacobian + "\"/>");
    mujoco::with_model(file, [&](Model& read) {
      const VectorXd qpos = vector({0.4, -0.2, 0.7, 0.1, -0.5, 0.5});
      const VectorXd qvel = vector({0.3, -0.7, 1.1, 0.9, -0.4});
      const std::vector<double> gaps = gaps_after(read, file, qpos, qvel, 0.0);
      const std::vector<mujoco::ReachedLimit> limits = mujoco::limits_within(read, 10.0);
      std::vector<std::string> names;
      std::vector<double> rates;
      for (const mujoco::ReachedLimit& limit : limits) {
        names.push_back(mujoco::limit_name(read, limit));
        rates.push_back(mujoco::limit_row(read, limit).dot(qvel));
      }
      EXPECT_THAT(names, ElementsAre("hinge lower limit", "hinge upper limit", "slide lower limit",
                                     "slide upper limit", "ball upper limit", "sum lower limit",
                                     "sum upper limit", "rope lower limit", "rope upper limit"));
      // By hand: the hinge has turned by 0.4 of 1; the slide's margin is 0.01.
      EXPECT_NEAR(gaps[1], 0.6, 1e-12);
      EXPECT_NEAR(gaps[2], 0.3 - 0.01, 1e-12);
      EXPECT_NEAR(gaps[4], 2.0 - 2.0 * std::acos(0.7), 1e-12);
      EXPECT_NEAR(gaps[6], 3.0 - (2.0 * 0.4 + 0.2), 1e-12);
      constexpr double h = 1e-5;  // s
      const std::vector<double> before = gaps_after(read, file, qpos, qvel, -h);
      const std::vector<double> after = gaps_after(read, file, qpos, qvel, h);
      for (std::size_t i = 0; i < limits.size(); ++i) {
        EXPECT_NEAR(rates[i], (after[i] - before[i]) / (2.0 * h), 1e-8) << names[i];
        EXPECT_GT(std::abs(rates[i]), 1e-3) << names[i];
      }
    });
  }
}

/// A rope that ties three masses on slides: where it becomes taut, all three have one impact.
TEST_F(Mujoco, ARopeThatBecomesTautPullsAllThatItTies) {
  std::string bodies, joints;
  for (const char* name : {"a", "b", "c"}) {
    bodies += std::string("<body pos=\"0 0 3\"><joint name=\"") + name +
              "\" type=\"slide\" axis=\"1 0 0\"/><geom size=\"0.1\" mass=\"1\" contype=\"0\" "
              "conaffinity=\"0\"/></body>";
    joints += std::string("<joint joint=\"") + name + "\" coef=\"1\"/>";
  }
  const std::string file =
      model(bodies, "<tendon><fixed name=\"rope\" limited=\"true\" range=\"-1 0\">" + joints +
                        "</fixed></tendon>");
  const ImpactProblem problem =
      impact_problem_from_mujoco({.model = file, .qvel = vector({3.0, 0.0, 0.0})});
  EXPECT_THAT(problem.contact_names, ElementsAre("rope upper limit"));
  test::expect_near(outcome_of(problem), vector({2.0, -1.0, -1.0}), 1e-7);
  mujoco::with_model(file, [&](Model& read) {
    const MujocoOptions options{.model = file, .qvel = vector({3.0, 0.0, 0.0})};
    read.set_state(options);
    std::vector<mujoco::Contact> contacts;
    mujoco::select_contacts(read, options, contacts);
    EXPECT_THAT(mujoco::moved_trees(read, contacts), ElementsAre(0, 2, 0, 1));
  });
}

TEST_F(Mujoco, StatesWhereLimitsAloneAreReachedSaySo) {
  const MujocoOptions hanging{
      .model = model(leg), .qpos = vector({0.0, 0.2}), .qvel = vector({-1.0, 0.0})};
  EXPECT_THAT(refusal(hanging), HasSubstr("no geoms come as close as distance = 0.001 m and no "
                                          "limit is approached (must have one at least)"));
  MujocoOptions hit = hanging;
  hit.qvel = vector({0.0, 1.0});  // the knee hits its stop in the air
  test::expect_near(outcome_of(impact_problem_from_mujoco(hit)), vector({0.25, 0.0}), 1e-7);
}

TEST_F(Mujoco, TooManyContactsWithLimitsNameThem) {
  std::string chain, end;
  for (int i = 0; i < 20; ++i) {
    chain +=
        "<body pos=\"0 0 0.1\"><joint type=\"hinge\" axis=\"0 1 0\" range=\"0 1\"/>"
        "<geom size=\"0.01\" contype=\"0\" conaffinity=\"0\"/>";
    end += "</body>";
  }
  const std::string file =
      model("<body pos=\"0 0 0.1\"><freejoint/><geom name=\"base\" size=\"0.1\"/>" + chain + end +
            "</body>");
  VectorXd fall = VectorXd::Zero(26);
  fall(2) = -1.0;
  EXPECT_THAT(refusal({.model = file, .qvel = fall}), HasSubstr("limits = false leaves 1 of them"));
  const MujocoMotion motion{{.model = file, .qvel = fall}};
  EXPECT_THAT(test::refusal([&] { first_impact(motion); }), HasSubstr("limits = false may"));
  EXPECT_EQ(impact_problem_from_mujoco({.model = file, .qvel = fall, .limits = false}).contacts(),
            1);
}

TEST_F(Mujoco, ScenariosSayWhetherLimitsPushBack) {
  const std::string text = "system = \"mujoco\"\n[mujoco]\nmodel = '" + model(leg) +
                           "'\nqpos = [-0.6, 0.2]\nqvel = [-1, 0]\n";
  EXPECT_EQ(parse_scenario(text).problem.contacts(), 2);
  EXPECT_EQ(parse_scenario(text + "[problem]\nfriction = 0.5\n").problem.friction,
            vector({0.5, 0.0}));
  const Scenario without = parse_scenario(text + "limits = false\n");
  EXPECT_EQ(without.problem.contacts(), 1);
  EXPECT_THAT(to_toml(without), HasSubstr("limits = false"));
}

TEST_F(Mujoco, WhatFliesWithAJointAtItsLimitIsNotAtRest) {
  const MujocoMotion motion{{.model = model(leg), .qpos = vector({1.0, 0.2})}};
  const Rollouts found = roll(motion, {}, test::roll_options(1, 0.2, 1e-3));
  EXPECT_EQ(found.impacts[0], 0U);
  EXPECT_NEAR(found.end_time[0], 0.2, 2e-3);
}

/// No angle of a ball is beyond half a turn.
TEST_F(Mujoco, BallsThatMayTurnHalfWayRoundHaveNoLimit) {
  for (const char* range : {"0 3", "0 3.1416", "0 7"}) {
    const std::string file =
        model(std::string("<body pos=\"0 0 1\"><joint type=\"ball\" range=\"") + range +
              "\" limited=\"true\"/><geom size=\"0.1\"/></body>");
    mujoco::with_model(file, [&](Model& read) {
      EXPECT_EQ(mujoco::limits_of(read.model()).size(), range == std::string("0 3") ? 1U : 0U)
          << range;
    });
  }
}

/// In time, the stop of a knee is an impact, too: the leg lands, its hip sinks until the knee is at
/// its stop, and the foot still stands. MuJoCo's own limit is soft.
TEST_F(Mujoco, LimitsPushBackInTime) {
  const std::string file = model(leg);
  constexpr std::uint64_t foot = 2, upper_limit = 8;  // of the names below
  for (const bool limits : {true, false}) {
    const MujocoMotion motion{{.model = file, .qvel = vector({-1.0, 0.0}), .limits = limits}};
    const Rollouts found = roll(motion, {}, test::roll_options(1, 0.35, 1e-4));
    EXPECT_EQ(found.status[0], RolloutStatus::moving);
    const auto is_told = [](const Note& note) { return note.code == "joint_limits"; };
    EXPECT_EQ(std::ranges::any_of(found.notes, is_told), !limits);
    EXPECT_EQ(found.event_contacts[0], foot);
    EXPECT_EQ(std::ranges::count(found.event_contacts, foot | upper_limit) > 0, limits);
    // Later MuJoCo's soft limit carries the hip.
    const double passed = *std::ranges::max_element(found.greatest) - 0.2;
    EXPECT_NEAR(passed, limits ? 1e-3 : 0.03, limits ? 1e-3 : 5e-3);
  }
  const RolledSystem names = rolled_system(MujocoMotion{{.model = file}});
  EXPECT_THAT(names.contacts,
              ElementsAre("geom 1/floor", "foot/floor", "knee lower limit", "knee upper limit"));
}

}  // namespace
}  // namespace carom
#endif
