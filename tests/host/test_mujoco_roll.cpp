// MuJoCo models in time: what roll() does.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "carom/carom.hpp"
#include "carom/roll_io.hpp"
#include "tests/support/mujoco_models.hpp"
#include "tests/support/roll_options.hpp"

namespace carom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Mujoco = test::MujocoModels;

constexpr double gravity = 9.81;

/// 0.1 m of radius, 1 kg, `height` above the floor.
std::string ball_at(double height) {
  return "<body name=\"ball\" pos=\"0 0 " + std::to_string(height + 0.1) +
         "\"><freejoint name=\"ball\"/><geom name=\"ball\" size=\"0.1\" mass=\"1\"/></body>";
}

TEST_F(Mujoco, ABallFallsAndStops) {
  const MujocoMotion motion{{.model = model(ball_at(0.05))}};
  RollOptions wanted = test::roll_options(1, 0.3, 1e-3);
  wanted.times = {0.05};
  const Rollouts found = roll(motion, {}, wanted);
  EXPECT_EQ(found.coordinates, 7);
  EXPECT_EQ(found.velocities, 6);
  ASSERT_EQ(found.time, (std::vector<double>{0.05, 0.3}));
  // MuJoCo's Euler method: n (n + 1) / 2 of g step².
  EXPECT_NEAR(found.position[2], 0.15 - gravity * 1e-6 * 50 * 51 / 2, 1e-12);
  EXPECT_NEAR(found.velocity[2], -gravity * 0.05, 1e-12);
  EXPECT_NEAR(found.first_time[0], std::sqrt(2.0 * 0.049 / gravity), 2e-3);  // within 1 mm
  EXPECT_NEAR(found.first_velocity[2], 0.0, 1e-9);                           // plastic
  EXPECT_EQ(found.event_contacts[0], 1u);
  EXPECT_EQ(found.event_modes[0], 1u);  // sticks
  EXPECT_NEAR(found.event_energy[0], 0.0, 1e-12);
  EXPECT_EQ(found.event_time[found.impacts[0]], -1.0);
  EXPECT_NEAR(found.position[7 + 2], 0.1, 2e-3);  // rests on the floor, softly
  EXPECT_EQ(found.status[0], RolloutStatus::moving);
}

/// A model's own time step is what its forces were made for: a servo that is stiff for its load.
TEST_F(Mujoco, ModelsMoveInTheirOwnStepsWhereNoneIsStated) {
  const std::string file = model(R"(
<body pos="0 0 0.5"><joint name="arm" type="hinge" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0.05 0 0" size="0.005" mass="0.05"/></body>)" +
                                     ball_at(0.05),
                                 R"(<option timestep="0.0002"/>
<actuator><position joint="arm" kp="600"/></actuator>)");
  const MujocoMotion motion{{.model = file, .qvel = Eigen::VectorXd::Constant(7, 0.0)}};
  RollOptions open;
  open.rollouts = 1;
  open.duration = 0.2;
  EXPECT_EQ(resolved(open, motion).step, 2e-4);
  RollOptions stated = open;
  stated.step = 2e-4;
  const Rollouts found = roll(motion, {}, open);
  EXPECT_EQ(found.position, roll(motion, {}, stated).position);
  // The impact of the ball, which does not touch the arm.
  EXPECT_NEAR(first_impact(motion).pre_impact_velocity(0), found.first_velocity[0], 1e-9);
  const Scenario scenario =
      parse_scenario("system = \"mujoco\"\n[mujoco]\nmodel = '" + file +
                     "'\n[roll]\nrollouts = 1\nduration = 0.2\nstep = 1e-4\n");
  EXPECT_TRUE(is_whole(roll(scenario, *scenario.roll).status[0]));  // whatever the step is
  EXPECT_EQ(roll_options_in_time(scenario).step, 1e-4);
}

/// MuJoCo's forces stop what is within its margin, so impacts must come before.
TEST_F(Mujoco, ABallWithAMarginHasItsImpactThere) {
  std::string ball = ball_at(0.05);
  ball.insert(ball.find("size="), "margin=\"0.02\" ");
  const MujocoMotion motion{{.model = model(ball)}};
  const Rollouts found = roll(motion, {}, test::roll_options(1, 0.3, 1e-3));
  EXPECT_NEAR(found.first_time[0], std::sqrt(2.0 * 0.029 / gravity), 2e-3);
  EXPECT_NEAR(found.first_velocity[2], 0.0, 1e-9);
  EXPECT_NEAR(found.position[found.position.size() - 5], 0.12, 2e-3);
}

TEST_F(Mujoco, RolloutsWithoutAnImpactAreTold) {
  const MujocoMotion motion{{.model = model(ball_at(0.05))}};
  const auto codes = [&](double duration) {
    std::vector<std::string> list;
    for (const Note& note : roll(motion, {}, test::roll_options(2, duration, 1e-3)).notes) {
      list.push_back(note.code);
    }
    return list;
  };
  EXPECT_THAT(codes(0.05), ElementsAre("no_impacts"));
  EXPECT_THAT(codes(0.3), ElementsAre("same_rollouts", "cover_solutions"));
}

/// MuJoCo's contacts give way: with long steps by centimetres, which a note tells.
TEST_F(Mujoco, DeepGeomsAreTold) {
  const MujocoMotion motion{{.model = model(ball_at(0.3))}};
  const auto told = [&](double step) {
    const std::vector<Note> notes = roll(motion, {}, test::roll_options(3, 0.6, step)).notes;
    const auto note = std::ranges::find(notes, "penetration", &Note::code);
    return note == notes.end() ? std::string() : note->text;
  };
  EXPECT_EQ(told(0.001), "");
  EXPECT_THAT(told(0.05), HasSubstr("3 of 3 rollouts, \"floor/ball\""));
}

/// A ball on a slide that is as low as its limit lets it be.
TEST_F(Mujoco, JointsAtLimitsAreTold) {
  const auto told = [&](double lowest) {
    const std::string body =
        "<body name=\"post\" pos=\"0 0 1\"><joint name=\"slide\" type=\"slide\" axis=\"0 0 1\" "
        "limited=\"true\" range=\"" +
        std::to_string(lowest) +
        " 1\"/>"
        "<geom name=\"weight\" size=\"0.1\" mass=\"1\"/></body>" +
        ball_at(0.05);
    const std::vector<Note> notes = roll(MujocoMotion{{.model = model(body), .limits = false}}, {},
                                         test::roll_options(2, 0.4, 1e-3))
                                        .notes;
    const auto note = std::ranges::find(notes, "joint_limits", &Note::code);
    return note == notes.end() ? std::string() : note->text;
  };
  EXPECT_THAT(told(-0.2), HasSubstr("in 2 of 2 rollouts, \"slide lower limit\" at"));
  EXPECT_EQ(told(-5.0), "");
}

/// A cylinder's side on the edge of a box, for which MuJoCo's normals are wrong.
TEST_F(Mujoco, DoubtfulNormalsOfTheFirstImpactAreTold) {
  const std::string file = model(R"(
<geom name="step" type="box" size="0.2 0.2 0.2" pos="0 0 1"/>
<body name="can" pos="0.26285848588144356 -0.10516497006500752 1.0272510449325236"
      euler="2.9491753 0.0710557 0.3710386"><freejoint name="can"/>
  <geom name="can" type="cylinder" size="0.05 0.2" mass="1"/></body>)");
  const Scenario scenario = parse_scenario("system = \"mujoco\"\n[mujoco]\nmodel = '" + file +
                                           "'\nqvel = [-1, 0, 0, 0, 0, 0]\n[roll]\n");
  const Rollouts found = roll(scenario, test::roll_options(2, 0.01, 1e-4));
  const std::vector<Note> notes = notes_on_rollouts(scenario, found);
  const auto note = std::ranges::find(notes, "doubtful_normals", &Note::code);
  ASSERT_NE(note, notes.end());
  EXPECT_THAT(note->text, HasSubstr("can/step ("));
}

/// On a ball that slides askew to the pyramid's sides, their number shows.
TEST_F(Mujoco, ScenariosFrictionDirectionsHoldInTime) {
  std::string ball = ball_at(0.05);
  ball.insert(ball.find("size="), "friction=\"0.05\" priority=\"1\" ");
  const std::string file = model(ball);
  const auto rolled = [&](const std::string& directions, const std::string& speed) {
    const Scenario scenario = parse_scenario(
        "system = \"mujoco\"\n[mujoco]\nmodel = '" + file + "'\nqvel = [1, 0.4, " + speed +
        ", 0, 0, 0]\n[problem]\n" + directions + "[roll]\nrollouts = 2\nduration = 0.3\n");
    Rollouts found = roll(scenario, *scenario.roll);
    found.notes = notes_on_rollouts(scenario, found);
    return found;
  };
  const auto has_pyramid = [](const Rollouts& found) {
    return std::ranges::any_of(found.notes,
                               [](const Note& note) { return note.code == "friction_pyramid"; });
  };
  const Rollouts four = rolled("", "0");
  const Rollouts many = rolled("friction_directions = 16\n", "0");
  EXPECT_TRUE(has_pyramid(four));
  EXPECT_FALSE(has_pyramid(many));
  const auto slip = [](const Rollouts& found) {
    return std::atan2(found.first_velocity[1], found.first_velocity[0]);
  };
  const double before = std::atan2(0.4, 1.0);
  EXPECT_GT(std::abs(slip(four) - before), 2.0 * std::abs(slip(many) - before));
  // Far upwards there is no first impact, whose check would refuse them.
  EXPECT_THAT([&] { rolled("friction_directions = 5\n", "1e4"); },
              testing::ThrowsMessage<InputError>(
                  testing::HasSubstr("friction_directions is 5 (must be even and >= 4 in space)")));
}

/// 12 contacts in space, more than an LCP holds.
TEST_F(Mujoco, BoxesThatLandAtOnceHaveImpactsOfTheirOwn) {
  std::string boxes;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "box" + std::to_string(i);
    boxes += "<body name=\"" + name + "\" pos=\"" + std::to_string(i) +
             " 0 0.15\"><freejoint/><geom name=\"" + name +
             "\" type=\"box\" size=\"0.2 0.1 0.1\" mass=\"1\"/></body>";
  }
  const MujocoMotion motion{{.model = model(boxes)}};
  const Rollouts found = roll(motion, {}, test::roll_options(20, 0.2, 1e-3));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found.status[i], RolloutStatus::moving);
    EXPECT_GE(found.impacts[i], 3u);
    const double* const time = &found.event_time[i * static_cast<std::size_t>(found.events)];
    EXPECT_EQ(time[0], time[2]);
    const std::uint64_t* const pairs =
        &found.event_contacts[i * static_cast<std::size_t>(found.events)];
    EXPECT_NE(pairs[0], pairs[1]);
    EXPECT_EQ(pairs[0] & pairs[1], 0u);
  }
}

TEST_F(Mujoco, AFirstImpactIsTheTrajectoryOfItsProblem) {
  const MujocoMotion motion{{.model = test::shipped_model("quadruped"), .keyframe = "land"}};
  SamplingOptions sampling;
  sampling.law = law::SetValued{CapsDistribution{}, Solutions::first};
  sampling.impulse_step = 2.0;
  sampling.epsilon = 0.2;
  sampling.max_steps = 1000;
  sampling.trajectories = 20;
  const Rollouts found = roll(motion, sampling, test::roll_options(20, 2e-3, 1e-3));
  const SampleSet wanted = sample(first_impact(motion), sampling);
  EXPECT_EQ(found.first_velocity, wanted.velocity);
  EXPECT_THAT(found.first_time, testing::Each(0.0));
  EXPECT_EQ(found.event_contacts[0], 0b1111u);  // the floor with each foot: its first four pairs
}

TEST_F(Mujoco, ABlockRestsAtOnceAsOftenAsAnIndependentProgramSays) {
  const MujocoMotion motion{{.model = test::shipped_model("rocking_block"), .keyframe = "land"}};
  SamplingOptions sampling;
  sampling.law = law::SetValued{CapsDistribution{}, Solutions::first};
  sampling.impulse_step = 0.3;
  sampling.max_steps = 10;
  constexpr std::uint64_t count = 4096;
  const Rollouts found = roll(motion, sampling, test::roll_options(count, 1e-3, 1e-3));
  std::uint64_t resting = 0;
  for (std::size_t i = 0; i < count; ++i) {
    resting += std::abs(found.first_velocity[3 * i + 2]) < 1e-6 ? 1 : 0;
  }
  // 0.3317 of 65,536 rollouts with exact pivoting, set-valued at the first impact.
  EXPECT_NEAR(static_cast<double>(resting) / count, 0.3317, 4 * 0.0074);
}

TEST_F(Mujoco, RolloutsDependOnTheirIndexAlone) {
  const MujocoMotion motion{{.model = test::shipped_model("quadruped"), .keyframe = "land"}};
  SamplingOptions sampling;
  const RollOptions all = test::roll_options(24, 0.05, 1e-3);
  const Rollouts whole = roll(motion, sampling, all);
  RollOptions rest = all;
  rest.rollouts = 14;
  sampling.threads = 1;
  const Rollouts last = roll(motion, sampling, rest, {}, 10);
  const auto tail = [](const auto& column, std::size_t size) {
    return std::vector(column.end() - static_cast<std::ptrdiff_t>(size), column.end());
  };
  EXPECT_EQ(last.position, tail(whole.position, last.position.size()));
  EXPECT_EQ(last.velocity, tail(whole.velocity, last.velocity.size()));
  EXPECT_EQ(last.event_modes, tail(whole.event_modes, last.event_modes.size()));
  sampling.seed = 2;
  EXPECT_NE(roll(motion, sampling, rest, {}, 10).position, last.position);
}

TEST_F(Mujoco, StartsAreDrawnByTheNamesOfVelocities) {
  const MujocoMotion motion{{.model = model(ball_at(0.5))}};
  RollOptions wanted = test::roll_options(50, 1e-3, 1e-3);
  wanted.times = {0.0};
  wanted.start = {{"ball.x", false, -1.0, 1.0},
                  {"ball.turn_y", false, 0.5, 0.5},
                  {"ball.turn_z", true, 1.0, 2.0}};
  const Rollouts found = roll(motion, {}, wanted);
  double least = 1.0;
  double greatest = -1.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double* const q = &found.position[14 * i];
    least = std::min(least, q[0]);
    greatest = std::max(greatest, q[0]);
    EXPECT_NEAR(q[3], std::cos(0.25), 1e-15);
    EXPECT_NEAR(q[5], std::sin(0.25), 1e-15);
    EXPECT_GE(found.velocity[12 * i + 5], 1.0);
    EXPECT_LE(found.velocity[12 * i + 5], 2.0);
    EXPECT_EQ(found.velocity[12 * i + 4], 0.0);
  }
  EXPECT_LT(least, -0.8);
  EXPECT_GT(greatest, 0.8);
}

TEST_F(Mujoco, MotionsNameWhatTheyAreOf) {
  const RolledSystem system = rolled_system(
      MujocoMotion{{.model = test::shipped_model("standing_quadruped"), .keyframe = "drop"}});
  EXPECT_EQ(system.coordinates.size(), 19u);
  EXPECT_EQ(system.coordinates[2], "trunk.z");
  EXPECT_EQ(system.units[2], "m");
  EXPECT_EQ(system.coordinates[3], "trunk.qw");
  EXPECT_EQ(system.units[3], "");
  EXPECT_EQ(system.velocities[3], "trunk.turn_x");
  EXPECT_EQ(system.coordinates[7], "front_left_roll");
  EXPECT_EQ(system.velocities[6], "front_left_roll");
  EXPECT_EQ(system.mass_matrix.rows(), 18);
  ASSERT_EQ(system.quaternions.size(), 1u);
  EXPECT_EQ(system.quaternions[0].at, 3u);
  // The trunk and the feet with the floor, and the feet with one another.
  EXPECT_EQ(system.contacts.size(), 11u);
  for (const char* pair : {"trunk/floor", "rear_left_foot/floor"}) {
    EXPECT_THAT(system.contacts, testing::Contains(pair));
  }
}

TEST_F(Mujoco, AModelThatDivergesIsAFailure) {
  // A motor that pulls with ever greater force.
  const std::string file = model(
      R"(<body pos="0 0 0.3"><joint name="slide" type="slide" axis="1 0 0"/>
         <joint name="drop" type="slide" axis="0 0 1"/><geom size="0.1" mass="1e-3"/></body>)",
      R"(<actuator><general joint="slide" gainprm="1" biastype="affine" biasprm="1 1e12 0"/>
         </actuator>)");
  const Rollouts found = roll(MujocoMotion{{.model = file}}, {}, test::roll_options(2, 0.5, 1e-3));
  EXPECT_THAT(found.status, testing::Each(RolloutStatus::out_of_scale));
  EXPECT_TRUE(std::ranges::all_of(found.position, [](double x) { return std::isfinite(x); }));
  EXPECT_EQ(found.notes.at(0).code, "rollouts_failed");
}

/// Orientations are as far apart as they are turned, and a quaternion and its opposite are one.
TEST(Tube, MeasuresQuaternionsAsTurns) {
  const RolledSystem system{.coordinates = {"qw", "qx", "qy", "qz"},
                            .units = {"", "", "", ""},
                            .velocities = {"turn_x", "turn_y", "turn_z"},
                            .contacts = {},
                            .mass_matrix = 4.0 * Eigen::Matrix3d::Identity(),
                            .quaternions = {{.at = 0, .start = {0.0, 1.0, 0.0, 0.0}}}};
  Rollouts rollouts;
  static_cast<RolloutShape&>(rollouts) = {.times = 1, .coordinates = 4, .velocities = 3};
  rollouts.time = {1.0};
  rollouts.resize(6);
  const auto put = [&](std::size_t row, double turn, double sign) {
    rollouts.position[4 * row] = -sign * std::sin(turn / 2);
    rollouts.position[4 * row + 1] = sign * std::cos(turn / 2);
  };
  // Even rows make the net, odd ones test it: 0.2 rad is 0.2 * sqrt(4) / 0.5 s = 0.8.
  put(0, 0.0, 1.0);
  put(1, 0.0, -1.0);
  put(2, 0.2, 1.0);
  put(3, 0.11, -1.0);
  put(4, -0.2, -1.0);
  put(5, 0.5, 1.0);
  RollOptions options;
  options.tube_time = 0.5;
  const auto net_of = [&](double epsilon) {
    options.tube_epsilon = epsilon;
    return summarise(system, options, rollouts).tube->nets.at(0);
  };
  EXPECT_THAT(net_of(0.79).members, ElementsAre(0, 2, 4));
  EXPECT_THAT(net_of(0.81).members, ElementsAre(0));
  EXPECT_EQ(net_of(0.79).missed, 1u);  // 0.3 rad from the next
  EXPECT_EQ(net_of(0.45).missed, 1u);
  EXPECT_EQ(net_of(0.30).missed, 2u);  // 0.09 rad are 0.36
}

}  // namespace
}  // namespace carom
