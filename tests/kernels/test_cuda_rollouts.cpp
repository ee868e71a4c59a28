// Rollouts on a CUDA device, or the emulated one, have the bits of the CPU. Skipped where there is
// none.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

#include "carom/carom.hpp"
#include "carom/roll.hpp"
#include "carom/rollout_stepper.hpp"
#include "host/roll/impact_in_time.hpp"
#include "host/roll/rigid_mechanism.hpp"
#include "host/roll/roll_plan.hpp"
#include "kernels/launch/launch_rollouts.hpp"
#include "kernels/step/capacity.hpp"
#include "tests/support/on_device.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;

using CudaRolloutsTest = test::OnDevice;

/// Every status of `rollouts` is a final one, and all columns are those of `expected`.
void expect_same_rollouts(const Rollouts& rollouts, const Rollouts& expected) {
  for_each_rollout_column(
      [](const RolloutColumnInfo& info, const auto& one, const auto& other) {
        EXPECT_TRUE(test::same_bits(one, other)) << info.name;
      },
      rollouts, expected);
}

/// A stated scenario on both backends; returns what the CPU finds.
Rollouts expect_parity(const std::string& text) {
  SCOPED_TRACE(text);
  const Scenario scenario = parse_scenario(text);
  const RigidWorld world = world_of(scenario);
  SamplingOptions sampling = sampling_in_time(scenario);
  sampling.backend = Backend::cpu;
  const Rollouts expected = roll(world, sampling, *scenario.roll, {}, 5);
  sampling.backend = Backend::cuda;
  expect_same_rollouts(roll(world, sampling, *scenario.roll, {}, 5), expected);
  return expected;
}

/// A box of unit size that falls flat, onto more points than hold it: their LCPs have more than one
/// solution.
std::string flat_fall(const std::string& points) {
  return R"(
    system = "planar"
    [[body]]
    name = "box"
    mass = 1.0
    inertia = 0.2
    points = )" +
         points + R"(
    position = [0.0, 0.6, 0.0]
    velocity = [0.4, 0.0, 0.0]
    [[floor]]
    friction = 0.5
    [roll]
    rollouts = 40
    duration = 0.5
    step = 5e-3
  )";
}

constexpr const char* two_points = "[[-0.5, -0.5], [0.5, -0.5]]";
constexpr const char* six_points =
    "[[-0.5, -0.5], [-0.3, -0.5], [-0.1, -0.5], [0.1, -0.5], [0.3, -0.5], [0.5, -0.5]]";

TEST_F(CudaRolloutsTest, HaveTheBitsOfTheCpu) {
  expect_parity(flat_fall(two_points));  // a program for each size
  expect_parity(
      "system = \"rocking_block\"\n[parameters]\ndrop_height = 0.1\n"
      "[roll]\nrollouts = 60\nduration = 0.4\nstep = 4e-3");
  expect_parity(flat_fall(six_points));
}

TEST_F(CudaRolloutsTest, DrawTheirStartsAndCovers) {
  expect_parity(
      "system = \"rocking_block\"\n[parameters]\ndrop_height = 0.1\n"
      "[sampling]\nsolutions = \"cover\"\ncaps = \"corners\"\n"
      "[start.position]\nangle = {min = -0.1, max = 0.1}\n"
      "[roll]\nrollouts = 60\nduration = 0.4\nstep = 4e-3\nevents = 3");
}

TEST_F(CudaRolloutsTest, TakeAllSolutions) {
  for (const double friction : {0.2, 3.0}) {  // proven to have one; several
    expect_parity(fmt::format(
        "system = \"rocking_block\"\n[parameters]\ndrop_height = 0.1\nfriction = {}\n"
        "[sampling]\nsolutions = \"all\"\n[roll]\nrollouts = 40\nduration = 0.4\nstep = 4e-3",
        friction));
  }
}

TEST_F(CudaRolloutsTest, FollowHinges) {
  expect_parity("system = \"compass_gait\"\n[roll]\nrollouts = 30\nduration = 0.2\nstep = 2e-3");
}

TEST_F(CudaRolloutsTest, TumbleInSpace) {
  expect_parity(R"(
    system = "spatial"
    [[body]]
    size = [0.2, 0.1, 0.06]
    mass = 1.0
    position = [0.0, 0.0, 0.12]
    rotation_deg = [20.0, 25.0, 10.0]
    angular_velocity = [2.0, 1.0, 3.0]
    [[body]]
    name = "ball"
    radius = 0.05
    mass = 1.0
    position = [0.0, 0.0, 0.06]
    velocity = [0.5, 0.2, 0.0]
    [[floor]]
    friction = 0.4
    [start.position]
    "body 1.turn_x" = {min = -0.1, max = 0.1}
    [problem]
    friction_directions = 6
    [roll]
    rollouts = 40
    duration = 0.3
    step = 3e-3
  )");
}

TEST_F(CudaRolloutsTest, EndAsTheCpusWhereTheyFail) {
  expect_parity(
      "system = \"rocking_block\"\n[parameters]\ndrop_height = 0.1\n"
      "[sampling]\nmax_steps = 1\nimpulse_step = 0.01\n"
      "[roll]\nrollouts = 40\nduration = 0.3\nstep = 4e-3");
}

constexpr const char* painleve = R"(
  system = "planar"
  [world]
  friction = 2.0
  [[body]]
  name = "rod"
  points = [[-0.5, 0.0], [0.5, 0.0]]
  mass = 1.0
  inertia = 0.08
  position = [-10.0, 0.4330127018922193]
  angle_deg = 60.0
  velocity = [-1.0, 0.0]
  [[floor]]
  name = "ground"
  [roll]
  rollouts = 40
  duration = 0.01
  step = 2e-3
)";

TEST_F(CudaRolloutsTest, FindTangentialImpacts) {
  const Rollouts found =
      expect_parity(std::string(painleve) + "[start.velocity]\nx = {min = -1.0, max = 1.0}\n");
  EXPECT_THAT(found.status, Contains(RolloutStatus::tangential_impact));
  EXPECT_THAT(found.status, Contains(RolloutStatus::moving));
}

/// After a tangential impact, more points land than a device holds: the CPU repeats the rollouts.
TEST_F(CudaRolloutsTest, LeaveToTheCpuWhatIsUndecidedAfterATangentialImpact) {
  std::string points;
  for (int i = 0; i < 14; ++i) points += fmt::format("[{}, -0.1], ", 0.1 * i - 0.65);
  const Rollouts found = expect_parity(fmt::format(
      "{}[[body]]\nname = \"comb\"\nmass = 1.0\ninertia = 0.1\nposition = [0.0, 0.1001]\n"
      "points = [{}]\n",
      painleve, points));
  EXPECT_THAT(found.status, Each(RolloutStatus::tangential_impact));
  EXPECT_GT(found.impacts[0], 0u);
}

/// 8 balls in each of two layers, which lie askew on one another: up to 22 contacts of one group.
TEST_F(CudaRolloutsTest, LeaveToTheCpuMoreContactsThanADeviceHolds) {
  std::string scene = "system = \"planar\"\n[world]\nfriction = 0.3\n[[floor]]\n";
  for (int i = 0; i < 15; ++i) {
    const double x = i < 8 ? 0.21 * i : 0.21 * (i - 8) + 0.105;
    const double y = i < 8 ? 0.1 : 0.1 + std::sqrt(0.04 - 0.105 * 0.105);
    scene += fmt::format(
        "[[body]]\nradius = 0.1\nmass = 1.0\nposition = [{}, {}]\nvelocity = [0, -0.5, 0]\n", x, y);
  }
  const Rollouts found =
      expect_parity(scene + "[roll]\nrollouts = 6\nduration = 0.02\nstep = 4e-3\n");
  EXPECT_GT(std::popcount(found.event_contacts[0]), LargestDeviceCapacity::contacts);
  EXPECT_THAT(found.status, testing::Each(testing::Ne(RolloutStatus::too_many)));
}

/// Rollouts of a scenario as the device alone leaves them.
Rollouts on_device_alone(const std::string& text, std::uint64_t count) {
  const Scenario scenario = parse_scenario(text);
  const RigidWorld world = world_of(scenario);
  const RigidMechanism mechanism(world);
  const ImpactInTime law(sampling_in_time(scenario), mechanism.restitution());
  RollMemory memory;
  for (std::uint64_t i = 0; i < count; ++i) {
    const RigidState& start = mechanism.start();
    memory.position.insert(memory.position.end(), start.position.begin(), start.position.end());
    memory.velocity.insert(memory.velocity.end(), start.velocity.begin(), start.velocity.end());
  }
  const RolloutPlan plan = make_plan(mechanism, roll_options_in_time(scenario), {0.5}, memory);
  Rollouts rows;
  static_cast<RolloutShape&>(rows) = plan.shape;
  rows.resize(count);
  mechanism.with_view([&](const auto& view) {
    CudaRollouts(0, view, *law.plan()).launch(plan, count, view_of(rows));
  });
  return rows;
}

TEST_F(CudaRolloutsTest, LeaveToTheCpuWhatDoublePrecisionCannotDecide) {
  const std::string text = flat_fall(six_points) + "[law]\ncaps = \"corners:24\"\n";
  EXPECT_THAT(on_device_alone(text, 1024).status, testing::Contains(undecided_rollout));
}

/// Else the CPU's bits, which all others have, would say nothing of the device. A box that comes to
/// rest on both points is a near-tie.
TEST_F(CudaRolloutsTest, DecideTheOthersThemselves) {
  for (const std::string& text :
       {flat_fall(two_points),
        std::string("system = \"compass_gait\"\n[roll]\nduration = 0.2\nstep = 2e-3")}) {
    const Rollouts rows = on_device_alone(text, 64);
    EXPECT_LT(16 * std::ranges::count(rows.status, undecided_rollout), std::ssize(rows.status))
        << text;
  }
}

TEST_F(CudaRolloutsTest, StepAsTheCpus) {
  const Scenario scenario = parse_scenario(flat_fall(two_points));
  const RigidWorld world = world_of(scenario);
  constexpr std::uint64_t copies = 20;
  SamplingOptions sampling = sampling_in_time(scenario);
  sampling.backend = Backend::cpu;
  RolloutStepper expected(world, sampling, *scenario.roll, copies);
  sampling.backend = Backend::cuda;
  RolloutStepper stepper(world, sampling, *scenario.roll, copies);
  std::vector<double> force(copies * 3, 0.0);
  for (std::size_t i = 0; i < force.size(); i += 3) force[i] = 0.1 * static_cast<double>(i);
  for (int step = 0; step < 8; ++step) {
    expected.step(0.05, force);
    stepper.step(0.05, force);
    const auto same = [](auto one, auto other) { return std::ranges::equal(one, other); };
    ASSERT_TRUE(same(stepper.position(), expected.position())) << step;
    ASSERT_TRUE(same(stepper.velocity(), expected.velocity())) << step;
    ASSERT_TRUE(same(stepper.status(), expected.status())) << step;
    ASSERT_TRUE(same(stepper.impacts(), expected.impacts())) << step;
  }
}

TEST_F(CudaRolloutsTest, RefuseLawsWithoutAProgramForDevices) {
  const Scenario scenario =
      parse_scenario("system = \"rocking_block\"\n[law]\nname = \"sequential\"\n[roll]");
  SamplingOptions sampling = sampling_in_time(scenario);
  sampling.backend = Backend::cuda;
  try {
    roll(world_of(scenario), sampling, *scenario.roll);
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("backend is cuda"));
  }
  sampling.backend = Backend::automatic;
  RollOptions options;
  options.rollouts = 2;
  options.duration = 0.01;
  EXPECT_EQ(roll(world_of(scenario), sampling, options).size(), 2u);
}

}  // namespace
}  // namespace carom
