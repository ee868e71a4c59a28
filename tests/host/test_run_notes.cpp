#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "carom/carom.hpp"
#include "host/base/note_json.hpp"
#include "host/run/run_notes.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/note_text.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

Scenario built_in(const std::string& system, std::uint64_t trajectories) {
  Scenario scenario = parse_scenario("system = \"" + system + "\"\n");
  scenario.sampling.trajectories = trajectories;
  return scenario;
}

/// 2 kg that fall at 1 m/s on a floor without friction: 2 N·s stop them.
Scenario falling(double impulse_step, int max_steps) {
  Scenario scenario = parse_scenario(falling_mass);
  scenario.sampling.impulse_step = impulse_step;
  scenario.sampling.max_steps = max_steps;
  return scenario;
}

PostImpactSet run(const Scenario& scenario) {
  return post_impact_set(scenario.problem, scenario.sampling);
}

/// A set of made-up trajectories, by status.
PostImpactSet counted(const Scenario& scenario, const StatusCounts& counts) {
  PostImpactSet set = test::empty_set(scenario);
  set.summary.status_counts = counts;
  for (const std::uint64_t count : counts) set.summary.trajectories += count;
  return set;
}

std::vector<Note> notes_of(const Scenario& scenario, PostImpactSet set) {
  note_trajectories(scenario.problem, resolved(scenario.sampling, scenario.problem), set);
  return set.notes;
}

TEST(RunNotes, NameTheToleranceWhereTheApproachIsRounding) {
  Scenario scenario = load_scenario("rocking_block");
  scenario.sampling.trajectories = 100;
  scenario.sampling.max_steps = 100;
  Eigen::VectorXd& v = scenario.problem.pre_impact_velocity;
  v = Eigen::Vector3d(1.0, -1e-13, 0.0);
  scenario.sampling.termination_tolerance = 1e-16;
  const std::string text = text_of(run(scenario).notes, "no_outcomes");
  EXPECT_THAT(text, HasSubstr("try a larger termination_tolerance"));
  EXPECT_THAT(text, testing::Not(HasSubstr("impulse_step")));
}

TEST(RunNotes, NameAStepLimitThatWasEnough) {
  // A cap is uniform on (0, 4] N·s: half of the trajectories need more than one step.
  const Scenario scenario = falling(4.0, 1);
  const PostImpactSet set = run(scenario);
  const std::uint64_t dropped = set.summary.status_counts[1];
  ASSERT_GT(dropped, 30u);
  ASSERT_LT(dropped, 64u);
  const std::string text = text_of(set.notes, "dropped");
  EXPECT_THAT(text, HasSubstr(std::to_string(dropped) +
                              " of 100 trajectories still collided after 1 step and were dropped"));
  std::smatch number;
  ASSERT_TRUE(std::regex_search(text, number, std::regex("max_steps = (\\d+) is enough for them")));
  Scenario longer = scenario;
  longer.sampling.max_steps = std::stoi(number[1]);
  EXPECT_EQ(run(longer).summary.outcomes(), 100u);
  longer.sampling.max_steps = *longer.sampling.max_steps / 2;
  EXPECT_LT(run(longer).summary.outcomes(), 100u) << "half of it would not be enough";
}

TEST(RunNotes, SayThatNoStepLimitHelped) {
  const PostImpactSet set = run(falling(1e-6, 1));  // needs four million steps
  EXPECT_EQ(text_of(set.notes, "no_outcomes"),
            "no outcome: of 100 trajectories 100 still collided after 1 step; of the first 64 of "
            "them 64 still collide with max_steps = 256: try a larger impulse_step");
  EXPECT_EQ(text_of(set.notes, "dropped"), "") << "said already";
  ASSERT_NE(error_of(set), nullptr);
  EXPECT_EQ(error_of(set)->code, "no_outcomes");
  EXPECT_EQ(error_of(run(falling(1.0, 1000))), nullptr);
}

TEST(RunNotes, TryNoStepLimitThatIsRefused) {
  Scenario scenario = falling(1e-6, max_step_limit);
  scenario.sampling.trajectories = 2;
  EXPECT_EQ(text_of(run(scenario).notes, "no_outcomes"),
            "no outcome: of 2 trajectories 2 still collided after 131072 steps");
}

TEST(RunNotes, CountFailuresAndBlameANearlySingularMassMatrix) {
  Scenario scenario = test::small_scenario(100);
  const auto text = [&](const char* code, const StatusCounts& counts) {
    return text_of(notes_of(scenario, counted(scenario, counts)), code);
  };
  const StatusCounts with_failures = {97, 0, 1, 0, 2};
  EXPECT_EQ(text("failed", with_failures),
            "3 of 100 trajectories met a step that was not solved (1 with ray, 2 with residual); "
            "they are not among the outcomes");
  EXPECT_THAT(text("failed", {97, 0, 0, 0, 0, 1, 2}),
              HasSubstr("(1 with no_solution, 2 with no_progress)"));
  EXPECT_EQ(text("ill_conditioned", with_failures), "");
  Eigen::MatrixXd& mass = scenario.problem.mass_matrix;
  mass.diagonal() << 1e-5, 1e4, 0.5;  // units, which no method minds
  scenario.sampling.impulse_step = 1e4;
  EXPECT_EQ(text("ill_conditioned", with_failures), "");
  mass.diagonal() << 1.0, 1.0, 0.5;
  mass(0, 1) = mass(1, 0) = 1.0 - 1e-9;  // eigenvalues 1e-9 and 2
  scenario.sampling.impulse_step = 0.3;
  EXPECT_THAT(text("ill_conditioned", with_failures), HasSubstr("has the condition 2.0e+09"));
  EXPECT_EQ(text("ill_conditioned", {100, 0, 0, 0, 0}), "");
}

/// A light ball between the floor and a heavy one.
TEST(RunNotes, BlameMassesThatAreVeryDifferent) {
  ImpactProblem problem;
  problem.normal_jacobian = Eigen::Matrix2d{{1.0, 0.0}, {-1.0, 1.0}};
  problem.tangent_jacobian = Eigen::Matrix2d::Zero();
  problem.friction = Eigen::Vector2d::Zero();
  problem.pre_impact_velocity = Eigen::Vector2d(0.0, -1.0);
  const StatusCounts with_failures = {97, 0, 1, 0, 2};
  const auto text = [&](double heavy) {
    problem.mass_matrix = Eigen::Vector2d(1.0, heavy).asDiagonal();
    Scenario scenario = matrices_scenario(problem);
    scenario.sampling = test::small_scenario(100).sampling;
    return text_of(notes_of(scenario, counted(scenario, with_failures)), "ill_conditioned");
  };
  EXPECT_EQ(text(1e3), "");
  EXPECT_THAT(text(1e8), HasSubstr("the contacts' Delassus matrix"));
}

/// Three equal balls, of which the middle one is captured: see docs/plus.md.
TEST(RunNotes, SayThatTheKineticEnergyGrows) {
  Scenario balls = parse_scenario(R"(
system = "matrices"
[problem]
mass_matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
normal_jacobian = [[-1, 1, 0], [0, -1, 1]]
pre_impact_velocity = [1, 0.005, 0]
restitution = 1
[law]
name = "plus"
[sampling]
trajectories = 3
)");
  EXPECT_EQ(text_of(run(balls).notes, "energy_gain"),
            "the kinetic energy grows in all of the outcomes, by 22.1 % at most");
  balls.problem.restitution.setZero();
  EXPECT_EQ(text_of(run(balls).notes, "energy_gain"), "");
}

TEST(RunNotes, SayThatOneOfSeveralSolutionsWasTaken) {
  Scenario gait = built_in("compass_gait", 64);
  for (const Solutions solutions : {Solutions::first, Solutions::cover, Solutions::table}) {
    gait.sampling.set_valued().solutions = solutions;
    EXPECT_THAT(text_of(run(gait).notes, "several_solutions"),
                HasSubstr(std::string("solutions = ") + solutions_name(solutions) + " takes one"));
  }
  gait.sampling.set_valued().solutions = Solutions::all;
  EXPECT_EQ(text_of(run(gait).notes, "several_solutions"), "");
  Scenario block = built_in("rocking_block", 64);  // whose steps have one solution
  block.sampling.set_valued().solutions = Solutions::first;
  EXPECT_EQ(text_of(run(block).notes, "several_solutions"), "");
}

TEST(RunNotes, SayThatSolutionsWereMissed) {
  Scenario scenario = test::small_scenario(100);
  scenario.sampling.set_valued().solutions = Solutions::all;
  const auto text = [&](std::uint64_t incomplete, std::uint64_t missed) {
    PostImpactSet set = counted(scenario, {100, 0, 0, 0, 0});
    set.summary.solution_steps[solution_bins - 1] = incomplete;
    set.audit = SolutionAudit{.steps = 512, .missed_steps = missed};
    return text_of(notes_of(scenario, std::move(set)), "solutions_missed");
  };
  EXPECT_EQ(text(0, 0), "");
  EXPECT_EQ(text(3, 0), "in 3 steps not all solutions were found, and Lemke's was taken");
  EXPECT_THAT(text(0, 2), HasSubstr("2 of 512 steps missed a solution"));
}

TEST(RunNotes, NameTheLawsWithOutcomesOutsideTheNet) {
  const auto note = [](std::uint64_t trajectories, const Law& law) {
    Scenario scenario = built_in("rocking_block", trajectories);
    scenario.sampling.law = law;
    PostImpactSet set = run(scenario);
    EvidenceOptions evidence;
    evidence.hold_out = 0;
    EXPECT_EQ(text_of(set.notes, "other_law_outside"), "") << "nothing is compared yet";
    add_evidence(scenario.problem, scenario.sampling, evidence, set);
    add_evidence(scenario.problem, scenario.sampling, evidence, set);
    EXPECT_LE(std::count_if(set.notes.begin(), set.notes.end(),
                            [](const Note& its) { return its.code == "other_law_outside"; }),
              1);
    return text_of(set.notes, "other_law_outside");
  };
  EXPECT_THAT(note(2, law::SetValued{}),
              HasSubstr("of 2 orders of the sequential law end outside"));
  EXPECT_EQ(note(16384, law::SetValued{}), "");
  EXPECT_EQ(note(2, law::Simultaneous{}), "") << "that law's set does not contain the others";
}

TEST(RunNotes, SayThatTheNetMissesNewTrajectories) {
  Scenario scenario = built_in("rocking_block", 64);
  scenario.sampling.epsilon = 1e-4;
  EvidenceOptions evidence;
  evidence.comparison = false;
  evidence.hold_out = 256;
  PostImpactSet set = run(scenario);
  EXPECT_EQ(text_of(set.notes, "net_misses"), "") << "nothing is tested yet";
  add_evidence(scenario.problem, scenario.sampling, evidence, set);
  HoldOut& test = set.certificate->tests.back();
  EXPECT_THAT(text_of(set.notes, "net_misses"),
              HasSubstr(fmt::format("{} of 256 new trajectories (", test.misses - test.failures)));
  const auto note = [&](std::uint64_t misses, std::uint64_t failures) {
    test.misses = misses;
    test.failures = failures;
    note_evidence(scenario.problem, scenario.sampling, set);
    return text_of(set.notes, "net_misses");
  };
  EXPECT_EQ(note(5, 0), "") << "below 2 %";
  EXPECT_NE(note(6, 0), "");
  EXPECT_EQ(note(200, 195), "") << "those without an outcome have a note of their own";
}

TEST(RunNotes, SayWhichEpsilonWouldShowTheSet) {
  Scenario scenario = built_in("rocking_block", 1000);
  scenario.sampling.epsilon = 1.0;
  scenario.sampling.impulse_step = 0.3;
  const std::string text = text_of(run(scenario).notes, "coarse_epsilon");
  std::smatch number;
  ASSERT_TRUE(
      std::regex_search(text, number, std::regex("only ([0-9.]+) apart; epsilon = (.+) s")));
  EXPECT_NEAR(std::stod(number[2]), 0.01 * std::stod(number[1]), 0.1 * std::stod(number[2]));
  scenario.sampling.epsilon = std::stod(number[1]) / 4.0;
  EXPECT_EQ(text_of(run(scenario).notes, "coarse_epsilon"), "");
}

/// The feet leave with at most 0.093 m/s, and rows of the normals are 1.118 long.
TEST(RunNotes, NameSpeedsThatEpsilonDoesNotResolve) {
  Scenario scenario = built_in("rocking_block", 1000);
  scenario.sampling.impulse_step = 0.3;
  scenario.sampling.epsilon = 0.09;
  const std::string text = text_of(run(scenario).notes, "unresolved_speeds");
  EXPECT_NE(text.find("A normal (0.08"), std::string::npos) << text;
  EXPECT_NE(text.find("norm = \"kinetic\" may"), std::string::npos) << text;
  scenario.sampling.epsilon = 0.02;
  EXPECT_EQ(text_of(run(scenario).notes, "unresolved_speeds"), "");
}

TEST(RunNotes, DoNotCallAnyEpsilonTooCoarseForAPoint) {
  Scenario scenario = falling(1.0, 1000);  // without friction, every trajectory ends alike
  scenario.sampling.epsilon = 0.5;
  EXPECT_EQ(text_of(run(scenario).notes, "coarse_epsilon"), "");
}

TEST(RunNotes, SayThatANetJoinsNothing) {
  Scenario scenario = test::small_scenario(300);
  const auto text = [&](double epsilon) {
    scenario.sampling.epsilon = epsilon;
    SampleSet samples = test::made_up_samples(0, 300);
    for (std::size_t row = 0; row < 300; ++row) {
      samples.status[row] = Status::separated;
      for (std::size_t j = 0; j < 3; ++j) samples.velocity[3 * row + j] = 0.0;
      samples.velocity[3 * row] = 0.001 * static_cast<double>(row);
    }
    PostImpactSet set = counted(scenario, {300, 0, 0, 0, 0});
    set.net.add(samples);
    return text_of(notes_of(scenario, std::move(set)), "fine_epsilon");
  };
  EXPECT_EQ(
      text(1e-4),
      "epsilon is 0.0001, and each of the 300 outcomes is a member of the net: it joins none; "
      "half of them have another one within 0.001");
  EXPECT_EQ(text(0.0015), "");
}

TEST(RunNotes, SayThatOutcomesHaveFewerDigitsThanEpsilon) {
  Scenario scenario = falling(1.0, 1000);
  scenario.sampling.epsilon = 2e-8;
  EXPECT_EQ(text_of(notes(scenario.problem, scenario.sampling), "fewer_digits"), "");
  scenario.sampling.epsilon = 0.9e-8;  // termination_tolerance is 1e-8 m/s
  EXPECT_THAT(text_of(notes(scenario.problem, scenario.sampling), "fewer_digits"),
              HasSubstr("computed to about 1e-08"));
  // With 2 kg, 1e-8 m/s are 1.41e-8 in the kinetic norm.
  scenario.sampling.norm = Norm::kinetic;
  scenario.sampling.epsilon = 1.3e-8;
  EXPECT_NE(text_of(notes(scenario.problem, scenario.sampling), "fewer_digits"), "");
  scenario.sampling.epsilon = 1.5e-8;
  EXPECT_EQ(text_of(notes(scenario.problem, scenario.sampling), "fewer_digits"), "");
}

TEST(RunNotes, TellOfTheMachineOnlyThatItHasNoGpu) {
  Scenario scenario = built_in("rocking_block", 100);
  scenario.sampling.backend = Backend::cpu;
  EXPECT_EQ(text_of(run(scenario).notes, "cpu_fallback"), "");
  if (cuda_device_count() > 0) GTEST_SKIP() << "there is a GPU";
  scenario.sampling.backend = Backend::automatic;
  EXPECT_NE(text_of(run(scenario).notes, "cpu_fallback"), "");
}

TEST(RunNotes, AreTheSameForAnyThreadsAndCuts) {
  Scenario scenario = built_in("compass_gait", 500);
  scenario.sampling.backend = Backend::cpu;
  scenario.sampling.max_steps = 3;
  scenario.sampling.set_valued().solutions = Solutions::first;
  const std::string whole = notes_json(run(scenario).notes).dump();
  EXPECT_THAT(whole, HasSubstr("dropped"));
  EXPECT_THAT(whole, HasSubstr("several_solutions"));
  scenario.sampling.threads = 1;
  scenario.sampling.chunk = 7;
  EXPECT_EQ(notes_json(run(scenario).notes).dump(), whole);
  scenario.sampling.trajectories = 123;
  PostImpactSet part = run(scenario);
  scenario.sampling.trajectories = 500;
  EXPECT_EQ(notes_json(grow(scenario.problem, scenario.sampling, std::move(part)).notes).dump(),
            whole);
}

TEST(RunNotes, OfAnInterruptedRunAreThoseKnownBefore) {
  Scenario scenario = falling(4.0, 1);
  scenario.sampling.chunk = 10;
  scenario.sampling.termination_tolerance = 1e-3;
  const PostImpactSet set =
      post_impact_set(scenario.problem, scenario.sampling,
                      [](const SampleSet&, const PostImpactSet&) { return false; });
  ASSERT_FALSE(set.complete);
  EXPECT_NE(text_of(set.notes, "coarse_termination"), "");
  EXPECT_EQ(text_of(set.notes, "dropped"), "");
}

}  // namespace
}  // namespace carom
