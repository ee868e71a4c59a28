#include <fmt/format.h>
#include <gmock/gmock.h>

#include "carom/carom.hpp"
#include "host/run/run_notes.hpp"
#include "tests/support/note_text.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

std::string told(const Scenario& scenario, const char* code) {
  return text_of(post_impact_set(scenario.problem, scenario.sampling).notes, code);
}

/// Contacts under a bar that falls flat.
ImpactProblem bar(int contacts) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Vector3d(1.0, 1.0, 0.1).asDiagonal();
  problem.normal_jacobian.resize(contacts, 3);
  problem.tangent_jacobian.resize(contacts, 3);
  for (int i = 0; i < contacts; ++i) {
    problem.normal_jacobian.row(i) << 0.0, 1.0, -0.5 + i / (contacts - 1.0);
    problem.tangent_jacobian.row(i) << 1.0, 0.0, 0.0;
  }
  problem.friction = Eigen::VectorXd::Constant(contacts, 0.5);
  problem.pre_impact_velocity = Eigen::Vector3d(0.0, -1.0, 0.0);
  return problem;
}

TEST(NotesOnSteps, SayThatCapsLetNoContactComeFirst) {
  Scenario scenario = matrices_scenario(bar(6));
  SamplingOptions& options = scenario.sampling;
  options.trajectories = 16;
  options.impulse_step = 0.1;
  options.epsilon = 0.1;
  options.set_valued().solutions = Solutions::first;
  // One of six uniform caps exceeds nine times the sum of the others once in 7 million draws.
  options.set_valued().caps = parse_caps("uniform");
  const std::string text = told(scenario, "caps_never_alone");
  EXPECT_THAT(text, HasSubstr("in none of 2048 first steps"));
  const std::string named = text.substr(text.find("caps = \"") + 8);
  options.set_valued().caps = parse_caps(named.substr(0, named.find('"')));
  EXPECT_EQ(told(scenario, "caps_never_alone"), "");
  // Where the run has these, the step may be too large: all contacts have their fill at once.
  options.impulse_step = 1e30;
  EXPECT_THAT(told(scenario, "caps_never_alone"), HasSubstr("a smaller impulse_step"));
  options.impulse_step = 0.1;
  // With two contacts, a ninth of the draws of uniform caps does.
  scenario.problem = validated(bar(2));
  options.set_valued().caps = parse_caps("uniform");
  EXPECT_EQ(told(scenario, "caps_never_alone"), "");
  // Equal caps do not, but where a single contact approaches the question does not arise.
  options.set_valued().caps = parse_caps("simplex");
  scenario.problem.pre_impact_velocity = Eigen::Vector3d(0.0, 0.0, 1.0);
  EXPECT_EQ(told(scenario, "caps_never_alone"), "");
}

/// A rod's end that slides fast and jams: without friction it would stop for a hundredth of what it
/// needs.
TEST(NotesOnSteps, CompareTheImpulseStepWithWhatContactsNeedWithFriction) {
  ImpactProblem rod;
  rod.mass_matrix = Eigen::Matrix3d::Identity();
  rod.normal_jacobian = Eigen::RowVector3d(0.0, 1.0, 1.0);
  rod.tangent_jacobian = Eigen::RowVector3d(1.0, 0.0, 1.0);
  rod.friction = Eigen::VectorXd::Constant(1, 3.0);
  rod.pre_impact_velocity = Eigen::Vector3d(1000.0, -1.0, 0.0);
  Scenario scenario = matrices_scenario(rod);
  SamplingOptions& options = scenario.sampling;
  options.trajectories = 16;
  options.epsilon = 0.1;
  const double stopping = stopping_impulse(scenario.problem);
  const double needed = default_impulse_step(scenario.problem);
  ASSERT_GT(needed, 100.0 * stopping);
  options.impulse_step = 2.0 * stopping;
  EXPECT_NE(told(scenario, "small_impulse_step"), "");
  options.impulse_step = 1.01 * needed;
  EXPECT_EQ(told(scenario, "large_impulse_step"), "");
  options.impulse_step = 101.0 * needed;
  EXPECT_THAT(told(scenario, "large_impulse_step"),
              HasSubstr("far above the largest impulse that a contact needs"));
}

TEST(NotesOnSteps, SayThatSmallStepsAverageOut) {
  Scenario scenario = matrices_scenario(bar(3));
  SamplingOptions& options = scenario.sampling;
  options.trajectories = 16;
  options.epsilon = 0.1;
  const double needed = default_impulse_step(scenario.problem);
  options.impulse_step = needed / 20.0;
  EXPECT_THAT(told(scenario, "small_impulse_step"),
              HasSubstr(fmt::format(
                  "far below the largest impulse that a contact needs, {:.3g} N·s", needed)));
  options.impulse_step = needed / 5.0;
  EXPECT_EQ(told(scenario, "small_impulse_step"), "");
}

/// Where the slip turns while the contact is stopped, many small steps follow it.
TEST(NotesOnSteps, TellOutcomesOfSmallSteps) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Matrix4d{{2.27, 1.92, 0.72, 2.5},
                                        {1.92, 3.75, -0.51, 0.12},
                                        {0.72, -0.51, 6.3, 1.2},
                                        {2.5, 0.12, 1.2, 6.02}};
  problem.normal_jacobian = Eigen::RowVector4d(0.0, -0.85, -1.66, 1.67);
  problem.tangent_jacobian =
      Eigen::Matrix<double, 2, 4>{{-0.09, 0.93, 0.75, -0.72}, {0.1, -0.35, 0.97, 0.44}};
  problem.friction = Eigen::VectorXd::Constant(1, 0.1);
  problem.pre_impact_velocity = Eigen::Vector4d(1.66, 0.52, 0.47, -0.78);
  problem.friction_directions = 8;
  const auto note = [&](double impulse_step) {
    Scenario scenario = matrices_scenario(problem);
    SamplingOptions& options = scenario.sampling;
    options.trajectories = 1 << 14;
    options.impulse_step = impulse_step;
    options.epsilon = 2e-3;
    return told(scenario, "small_steps_outside");
  };
  EXPECT_THAT(note(stopping_impulse(problem)), HasSubstr(" of 54 trajectories with caps up to "));
  EXPECT_EQ(note(stopping_impulse(problem) / 8.0), "");
}

TEST(NotesOnSteps, SayThatLinesTakeFewerTrajectories) {
  Scenario scenario = matrices_scenario(bar(9));  // 18 coordinates
  scenario.sampling.epsilon = 0.1;
  const auto fewer = [&] {
    PostImpactSet set = test::empty_set(scenario);
    note_trajectories(scenario.problem, resolved(scenario.sampling, scenario.problem), set);
    return text_of(set.notes, "fewer_trajectories");
  };
  EXPECT_THAT(fewer(), HasSubstr("M is 4096"));
  scenario.sampling.trajectories = 2048;  // stated
  EXPECT_EQ(fewer(), "");
}

/// A rod's end whose slip turns during the impact: large steps overshoot, and of small steps there
/// is one outcome.
TEST(NotesOnSteps, TellThatOneContactHasNoOrder) {
  ImpactProblem rod;
  rod.mass_matrix = Eigen::Vector3d(1.0, 1.0, 0.1).asDiagonal();
  rod.normal_jacobian = Eigen::RowVector3d(0.0, 1.0, 0.4);
  rod.tangent_jacobian = Eigen::RowVector3d(1.0, 0.0, 0.3);
  rod.friction = Eigen::VectorXd::Constant(1, 0.1);
  rod.pre_impact_velocity = Eigen::Vector3d(-0.1, -1.0, 0.0);
  Scenario scenario = matrices_scenario(rod);
  scenario.sampling.trajectories = 200;
  scenario.sampling.epsilon = 1e-3;
  const std::string text = told(scenario, "step_effect");
  EXPECT_THAT(text, HasSubstr("one contact alone has no order of impulses"));
  EXPECT_EQ(told(scenario, "other_law_outside"), "");
  scenario.problem.pre_impact_velocity(0) = 1.0;  // it slides on
  EXPECT_EQ(told(scenario, "step_effect"), "");
  scenario.problem = validated(bar(2));
  EXPECT_EQ(told(scenario, "step_effect"), "");
}

/// A point mass in the corner of a floor and a wall: friction of the wall holds it up or presses it
/// down, and the floor gives back what it stored.
ImpactProblem in_a_corner(double restitution) {
  ImpactProblem problem;
  problem.mass_matrix = 2.0 * Eigen::Matrix2d::Identity();
  problem.normal_jacobian = Eigen::Matrix2d{{0.0, 1.0}, {-1.0, 0.0}};
  problem.tangent_jacobian = Eigen::Matrix2d::Identity();
  problem.friction = Eigen::Vector2d(0.5, 0.25);
  problem.pre_impact_velocity = Eigen::Vector2d(2.0, -1.0);
  problem.restitution = Eigen::Vector2d::Constant(restitution);
  problem.contact_names = {"floor", "wall"};
  return problem;
}

/// In continuous time, the floor is pressed by its own approach alone, and so returns at most 1
/// m/s.
TEST(NotesOnSteps, TellThatLargeStepsReboundTooFast) {
  Scenario scenario = matrices_scenario(in_a_corner(1.0));
  scenario.sampling.trajectories = 500;
  scenario.sampling.epsilon = 0.02;
  const std::string text = told(scenario, "step_effect");
  EXPECT_THAT(text, HasSubstr("floor normal reaches 1.0"));
  EXPECT_THAT(text, HasSubstr("where each step is taken in 8 parts"));
  scenario.sampling.impulse_step = 0.1;
  EXPECT_EQ(told(scenario, "step_effect"), "");
  scenario = matrices_scenario(in_a_corner(0.0));
  scenario.sampling.trajectories = 500;
  scenario.sampling.epsilon = 0.02;
  EXPECT_EQ(told(scenario, "step_effect"), "");
  EXPECT_EQ(told(scenario, "shared_impulse"), "");
}

TEST(NotesOnSteps, TellWhereContactsShareAnImpulse) {
  const auto told_of = [](ImpactProblem problem) {
    Scenario scenario = matrices_scenario(problem);
    scenario.sampling.trajectories = 200;
    scenario.sampling.epsilon = 0.02;
    return told(scenario, "shared_impulse");
  };
  EXPECT_THAT(told_of(in_a_corner(1.0)), HasSubstr("among contacts (floor, wall)"));
  ImpactProblem slippery = in_a_corner(1.0);
  slippery.friction.setZero();
  EXPECT_EQ(told_of(slippery), "");
  ImpactProblem sledge = bar(3);  // the middle of three feet in a row
  sledge.restitution = Eigen::VectorXd::Constant(3, 0.5);
  EXPECT_NE(told_of(sledge), "");
  sledge = bar(2);  // share friction alone
  sledge.restitution = Eigen::VectorXd::Constant(2, 0.5);
  EXPECT_EQ(told_of(sledge), "");
}

/// Two feet in double support that slide: the front one jams, however slowly it comes down.
TEST(NotesOnSteps, StepsOfAContactThatJamsStopItsSlip) {
  const double arm = 0.2743182459643611;
  const double drop = 0.7514981702779031;
  ImpactProblem walker;
  walker.mass_matrix = Eigen::MatrixXd::Zero(4, 4);
  walker.mass_matrix.diagonal() << 12.0, 12.0, 0.4266666666666667, 0.4266666666666667;
  walker.mass_matrix.row(0).tail(2) << drop, drop;
  walker.mass_matrix.row(1).tail(2) << -arm, arm;
  walker.mass_matrix = walker.mass_matrix.selfadjointView<Eigen::Upper>();
  walker.normal_jacobian.resize(2, 4);
  walker.tangent_jacobian.resize(2, 4);
  walker.normal_jacobian << 0.0, 1.0, -arm, 0.0, 0.0, 1.0, 0.0, arm;
  walker.tangent_jacobian << 1.0, 0.0, drop, 0.0, 1.0, 0.0, 0.0, drop;
  walker.friction = Eigen::Vector2d::Constant(0.7);
  for (const double approach : {1e-3, 1e-5, 1e-7}) {
    walker.pre_impact_velocity = Eigen::Vector4d(0.6, -approach, 0.0, 0.0);
    Scenario scenario = matrices_scenario(walker);
    scenario.sampling.trajectories = 64;
    resolve(scenario);
    EXPECT_NEAR(*scenario.sampling.impulse_step, 2.073, 0.02) << approach;
    EXPECT_EQ(post_impact_set(scenario.problem, scenario.sampling).summary.outcomes(), 64u);
  }
}

TEST(NotesOnSteps, SayThatOnlyContinuaMayBeMissing) {
  constexpr bool connected = true;
  EXPECT_THAT(note_on_missed_solutions(3, {}, connected)->text,
              HasSubstr("in 3 steps not all solutions were found, and Lemke's was taken: each step "
                        "has one solution or a continuum"));
  EXPECT_THAT(note_on_missed_solutions(3, {}, !connected)->text,
              testing::Not(HasSubstr("continuum")));
}

}  // namespace
}  // namespace carom
