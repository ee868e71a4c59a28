// Explorations of all laws that draw something: a script has whatever a step draws.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "carom/carom.hpp"
#include "carom/explore.hpp"
#include "carom/propagative.hpp"
#include "carom/solutions.hpp"
#include "tests/support/explore_options.hpp"

namespace carom {
namespace {

using test::with_law;
using testing::HasSubstr;

SamplingOptions set_valued(Solutions solutions, double impulse_step, double epsilon) {
  SamplingOptions own = test::with_step_and_epsilon(impulse_step, epsilon);
  own.law = law::SetValued{.solutions = solutions};
  return own;
}

/// Balls of 1, 2, 1, 2, ... kg on a line, of which the first hits the others, at rest.
ImpactProblem balls(int count) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(count, count);
  problem.normal_jacobian = Eigen::MatrixXd::Zero(count - 1, count);
  for (int i = 0; i < count; ++i) problem.mass_matrix(i, i) = 1.0 + i % 2;
  for (int i = 0; i + 1 < count; ++i) {
    problem.normal_jacobian(i, i) = -1.0;
    problem.normal_jacobian(i, i + 1) = 1.0;
  }
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(count - 1, count);
  problem.friction = Eigen::VectorXd::Zero(count - 1);
  problem.pre_impact_velocity = Eigen::VectorXd::Unit(count, 0);
  return problem;
}

/// The net consists of these velocities and no others.
void expect_members(const Exploration& found, const std::vector<Eigen::VectorXd>& wanted,
                    double tolerance) {
  EXPECT_EQ(found.net.size(), wanted.size());
  const RowMatrixView members = found.net.velocity_rows();
  for (const Eigen::VectorXd& velocity : wanted) {
    const double distance = (members.rowwise() - velocity.transpose()).rowwise().norm().minCoeff();
    EXPECT_LT(distance, tolerance) << velocity.transpose();
  }
}

TEST(ExploreLaws, FindTheWholePropagativeSet) {
  for (const auto& [restitution, plastic] :
       {std::pair{1.0, Plastic::unilateral}, std::pair{0.5, Plastic::unilateral},
        std::pair{0.5, Plastic::projection}}) {
    ImpactProblem problem = balls(8);
    problem.restitution = Eigen::VectorXd::Constant(problem.contacts(), restitution);
    std::vector<Eigen::VectorXd> wanted;
    for (const PropagativeOutcome& one :
         propagative_outcomes(problem, {.plastic = plastic}).outcomes) {
      wanted.push_back(one.velocity);
    }
    ASSERT_GT(wanted.size(), 5u);
    const Exploration found =
        explore(problem, with_law(law::Propagative{plastic}, 1e-6), {.budget = 100'000});
    expect_members(found, wanted, 1e-12);
    EXPECT_EQ(found.stopped, "islands, growth and ends have settled");
    EXPECT_TRUE(found.notes.empty());
  }
}

/// A contact's tangents count in its ends, although the law's steps have normals only.
TEST(ExploreLaws, ImpactsInTurnHaveTangentialEnds) {
  ImpactProblem block = load_scenario("rocking_block").problem;
  block.friction.setZero();
  const Exploration found = explore(block, with_law(law::Propagative{}, 1e-6), {.budget = 20'000});
  ASSERT_EQ(found.ends.size(), 8u);
  for (const ExploredEnd& end : found.ends) {
    const Eigen::RowVectorXd row = end.axis == 0 ? block.normal_jacobian.row(end.contact)
                                                 : block.tangent_jacobian.row(end.contact);
    const Eigen::Map<const Eigen::VectorXd> velocity(end.velocity.data(), row.size());
    EXPECT_NEAR(end.speed, row * velocity, 1e-12);
    const Eigen::VectorXd speeds = found.net.velocity_rows() * row.transpose();
    EXPECT_NEAR(end.speed, end.greatest ? speeds.maxCoeff() : speeds.minCoeff(), 1e-9);
  }
}

TEST(ExploreLaws, FindTheSimultaneousOutcomes) {
  const ImpactProblem gait = load_scenario("compass_gait").problem;
  std::vector<Eigen::VectorXd> wanted;
  const StepAnswers all = simultaneous_solutions(gait, gait.pre_impact_velocity);
  for (const StepAnswer& one : all.answers) wanted.push_back(one.velocity);
  ASSERT_TRUE(all.segments.empty());
  ASSERT_GT(wanted.size(), 1u);
  expect_members(explore(gait, with_law(law::Simultaneous{}, 1e-6), {.budget = 20'000}), wanted,
                 1e-9);
}

/// A valid problem with only one of its contacts.
ImpactProblem contact_alone(const ImpactProblem& problem, int contact) {
  const int d = problem.tangent_dimension();
  ImpactProblem alone = problem;
  alone.normal_jacobian = problem.normal_jacobian.row(contact);
  alone.tangent_jacobian = problem.tangent_jacobian.middleRows(contact * d, d);
  alone.friction = problem.friction.segment(contact, 1);
  alone.contact_names = {problem.contact_names[static_cast<std::size_t>(contact)]};
  return alone;
}

/// What steps at one contact after the other lead to, contact by contact, solution by solution.
void follow_sequences(const ImpactProblem& problem, const Eigen::VectorXd& velocity, int depth,
                      std::vector<Eigen::VectorXd>& outcomes) {
  ASSERT_LT(depth, 40);
  const Eigen::VectorXd speeds = problem.normal_jacobian * velocity;
  if (speeds.minCoeff() >= -1e-8) {
    const auto near = [&](const Eigen::VectorXd& one) { return (one - velocity).norm() < 1e-7; };
    if (std::ranges::none_of(outcomes, near)) outcomes.push_back(velocity);
    return;
  }
  for (int i = 0; i < problem.contacts(); ++i) {
    if (speeds(i) >= -1e-8) continue;
    for (const StepAnswer& one :
         simultaneous_solutions(contact_alone(problem, i), velocity).answers) {
      follow_sequences(problem, one.velocity, depth + 1, outcomes);
    }
  }
}

TEST(ExploreLaws, FindTheSequentialOutcomes) {
  std::size_t most = 0;
  for (const char* system : {"compass_gait", "rocking_block", "box_wall"}) {
    const ImpactProblem problem = load_scenario(system).problem;
    std::vector<Eigen::VectorXd> wanted;
    follow_sequences(problem, problem.pre_impact_velocity, 0, wanted);
    most = std::max(most, wanted.size());
    expect_members(explore(problem, with_law(law::Sequential{}, 1e-6), {.budget = 20'000}), wanted,
                   1e-6);
  }
  EXPECT_GT(most, 1u);
}

/// A stranger's problem: its five sequential outcomes have the probabilities 1/3, 1/4, 1/6, 1/6 and
/// 1/12, and a search of this seed has three of them after 384 trajectories, with which it settled
/// once.
TEST(ExploreLaws, SayWhatRandomTrajectoriesReachBesides) {
  const Scenario feet = load_scenario(CAROM_TEST_DATA "/cases/three_sequential_feet.toml");
  const Exploration found = explore(feet.problem, feet.sampling, {.budget = 10'000});
  EXPECT_FALSE(found.settled);
  EXPECT_EQ(found.net.size(), 3u);
  const auto note = std::ranges::find(found.notes, "net_misses", &Note::code);
  ASSERT_NE(note, found.notes.end());
  EXPECT_THAT(note->text, HasSubstr(" of 256 random trajectories end farther than"));
  int outside = 0;  // 256 / 4 on average, and within 4 standard deviations
  EXPECT_EQ(std::sscanf(note->text.c_str(), "%d", &outside), 1);
  EXPECT_NEAR(outside, 64, 28);
  // With 2,000 trajectories at the end, but not at the last doubling.
  SamplingOptions coarse = feet.sampling;
  coarse.epsilon = 50.0;
  const Exploration between = explore(feet.problem, coarse, {.budget = 58'000, .slots = 64});
  EXPECT_GE(between.outcomes, 2000u);
  EXPECT_LT(between.mark.trajectories, 2000u);
  EXPECT_FALSE(between.settled);
  for (const std::uint32_t seed : {1U, 2U}) {
    SamplingOptions other = feet.sampling;
    other.seed = seed;
    const Exploration all = explore(feet.problem, other);
    EXPECT_TRUE(all.settled);
    EXPECT_EQ(all.net.size(), 5u);
    EXPECT_GE(all.outcomes, 2000u);
    EXPECT_EQ(std::ranges::count(all.notes, "net_misses", &Note::code), 0);
  }
}

/// The bound is the set-valued law's: other laws' outcomes need not come near it.
TEST(ExploreLaws, OthersSettleWithoutReachingTheSetValuedBound) {
  const ImpactProblem gait = load_scenario("compass_gait").problem;
  const OuterBound bound = outer_bound(gait, {}, law::SetValued{});
  ASSERT_TRUE(bound.closed());
  for (const Law& law : {Law{law::Simultaneous{}}, Law{law::Sequential{}}}) {
    const Exploration found =
        explore(gait, with_law(law, 1e-4), {.budget = 100'000}, {}, std::nullopt, &bound);
    EXPECT_EQ(found.stopped, "islands, growth and ends have settled") << law_name(law);
  }
}

/// All members replay to the bit, and their steps' impulses are those that the velocity needs.
void expect_scripts_and_impulses_replay(const ImpactProblem& problem,
                                        const SamplingOptions& sampling, const Exploration& found) {
  const auto nv = static_cast<std::size_t>(problem.velocities());
  const Eigen::Index axes = 1 + problem.tangent_dimension();
  for (std::size_t member = 0; member < found.net.size(); ++member) {
    const std::vector<double> script = found.script(found.origins[member]);
    EXPECT_TRUE(std::ranges::all_of(script, [](double one) { return one >= 1e-6 && one <= 1.0; }));
    const std::vector<ReplayedStep> steps = replay(problem, sampling, script);
    ASSERT_EQ(steps.size(), script.size() / found.step_size);
    const double* const wanted = found.net.velocity().data() + member * nv;
    ASSERT_EQ(steps.back().velocity, std::vector<double>(wanted, wanted + nv));
    Eigen::VectorXd momentum = problem.mass_matrix * problem.pre_impact_velocity;
    for (const ReplayedStep& step : steps) {
      ASSERT_EQ(step.impulse.size(), static_cast<std::size_t>(problem.contacts() * axes));
      for (Eigen::Index at = 0; at < problem.contacts() * axes; ++at) {
        const Eigen::Index d = axes - 1;
        const auto row = at % axes == 0
                             ? problem.normal_jacobian.row(at / axes).eval()
                             : problem.tangent_jacobian.row(at / axes * d + at % axes - 1).eval();
        momentum += step.impulse[static_cast<std::size_t>(at)] * row.transpose();
      }
    }
    const Eigen::Map<const Eigen::VectorXd> velocity(wanted, problem.velocities());
    EXPECT_LT((problem.mass_matrix * velocity - momentum).norm(), 1e-9 * momentum.norm() + 1e-9);
  }
}

TEST(ExploreLaws, ScriptsLeadToTheirMembers) {
  ImpactProblem bouncing = load_scenario("compass_gait").problem;
  bouncing.restitution = Eigen::Vector2d(0.8, 0.3);
  ImpactProblem box = load_scenario("box_wall").problem;
  box.restitution = bouncing.restitution;
  struct Case {
    ImpactProblem problem;
    SamplingOptions sampling;
    std::size_t least;  ///< members
  };
  const ImpactProblem gait = load_scenario("compass_gait").problem;
  const ImpactProblem disks = load_scenario("disk_stack").problem;
  for (const auto& [problem, sampling, least] :
       {Case{balls(8), with_law(law::Propagative{}, 1e-3), 3},
        Case{disks, with_law(law::Sequential{}, 0.01), 10},
        Case{gait, with_law(law::Simultaneous{}, 0.01), 2},
        Case{gait, set_valued(Solutions::cover, 0.25, 0.02), 50},
        Case{load_scenario("box_wall").problem, set_valued(Solutions::table, 0.5, 0.02), 30},
        Case{bouncing, set_valued(Solutions::all, 0.25, 0.02), 50},
        Case{box, set_valued(Solutions::first, 0.05, 0.02), 40}}) {
    const Exploration found = explore(problem, sampling, {.budget = 20'000});
    EXPECT_GE(found.net.size(), least)
        << law_name(sampling.law) << " " << solutions_name(found.solutions) << " "
        << *sampling.impulse_step;
    expect_scripts_and_impulses_replay(problem, sampling, found);
  }
}

/// A covering vector of ones takes one solution of a step, others take others: the script's number
/// determines them.
TEST(ExploreLaws, TheScriptDeterminesTheCoveringVector) {
  const ImpactProblem gait = load_scenario("compass_gait").problem;
  const StepAnswers all = simultaneous_solutions(gait, gait.pre_impact_velocity);
  const auto reached_with = [&](Solutions solutions) {
    const SamplingOptions sampling = set_valued(solutions, 100.0, 0.01);  // no cap counts
    std::vector<Eigen::VectorXd> reached;
    for (int i = 1; i <= 200; ++i) {
      const std::vector<ReplayedStep> steps = replay(gait, sampling, {1.0, 1.0, i / 200.0});
      const Eigen::Map<const Eigen::VectorXd> velocity(steps.back().velocity.data(), 4);
      const auto is_near = [&](const Eigen::VectorXd& one) {
        return (one - velocity).norm() < 1e-9;
      };
      EXPECT_TRUE(std::ranges::any_of(all.answers, is_near, &StepAnswer::velocity));
      if (std::ranges::none_of(reached, is_near)) reached.push_back(velocity);
    }
    return reached.size();
  };
  EXPECT_EQ(reached_with(Solutions::first), 1u);
  EXPECT_GT(reached_with(Solutions::cover), 1u);
}

/// With restitution the state has energies, and a path goes on from any of them.
TEST(ExploreLaws, RestitutionReachesWhatRandomCapsReachAndMore) {
  ImpactProblem gait = load_scenario("compass_gait").problem;
  const double before = kinetic_energy(gait, gait.pre_impact_velocity);
  SamplingOptions sampling = set_valued(Solutions::all, 0.25, 0.02);
  const auto end_of = [&](double restitution) {
    gait.restitution = Eigen::Vector2d::Constant(restitution);
    const Exploration found = explore(gait, sampling, {.budget = 50'000});
    for (Eigen::Index i = 0; i < found.net.velocity_rows().rows(); ++i) {
      EXPECT_LE(kinetic_energy(gait, found.net.velocity_rows().row(i)), before * (1.0 + 1e-9));
    }
    return found.ends.front().speed;  // A's normal speed, at most
  };
  const double plastic = end_of(0.0);
  const double bouncing = end_of(0.5);
  EXPECT_LE(plastic, 0.037450 + 1e-6);  // proved
  EXPECT_GT(bouncing, 1.5 * plastic);
  sampling.trajectories = 5'000;
  EXPECT_GT(bouncing, post_impact_set(gait, sampling).summary.normal_velocity[0].greatest);
}

/// Phases of equal caps with restitution: each LCP is taken, and the steps go far.
TEST(ExploreLaws, RestitutionHasPhasesAtSmallSteps) {
  ImpactProblem gait = load_scenario("compass_gait").problem;
  gait.restitution = Eigen::Vector2d::Constant(0.5);
  const SamplingOptions sampling = set_valued(Solutions::first, 0.0025, 0.02);
  const Exploration found = explore(gait, sampling, {.budget = 50'000});
  EXPECT_GT(found.most_repeats, 50u);
  EXPECT_GT(found.ends.front().speed, 0.05);
}

TEST(ExploreLaws, ContinueWithTheBitsOfOneSearch) {
  ImpactProblem bouncing = load_scenario("compass_gait").problem;
  bouncing.restitution = Eigen::Vector2d::Constant(0.6);
  const std::pair<ImpactProblem, SamplingOptions> cases[] = {
      {bouncing, set_valued(Solutions::all, 0.25, 0.02)},
      {load_scenario("disk_stack").problem, with_law(law::Sequential{}, 0.01)},
      {balls(7), with_law(law::Propagative{}, 1e-4)}};
  for (const auto& [problem, sampling] : cases) {
    const Exploration whole = explore(problem, sampling, {.budget = 20'000});
    Exploration part = explore(problem, sampling, {.budget = 6'000});
    EXPECT_LT(part.lcps, whole.lcps);
    const Exploration continued =
        explore(problem, sampling, {.budget = 20'000}, {}, std::move(part));
    EXPECT_EQ(continued.net.velocity(), whole.net.velocity());
    EXPECT_EQ(continued.lcps, whole.lcps);
    EXPECT_EQ(continued.mark.ends, whole.mark.ends);
    EXPECT_EQ(continued.trees[1].step, whole.trees[1].step);
  }
}

TEST(ExploreLaws, ALawThatDrawsNothingIsRefused) {
  const ImpactProblem gait = load_scenario("compass_gait").problem;
  try {
    explore(gait, with_law(law::Plus{}, 0.01), {});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("law is \"plus\" (must draw something in its steps to explore"));
  }
}

TEST(ExploreLaws, ADeviceIsRefusedWithRestitutionAndATable) {
  ImpactProblem gait = load_scenario("compass_gait").problem;
  gait.restitution = Eigen::Vector2d::Constant(0.5);
  SamplingOptions sampling = set_valued(Solutions::table, 0.25, 0.02);
  sampling.backend = Backend::cuda;
  try {
    explore(gait, sampling, {});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("restitution with solutions table runs on the CPU only"));
  }
}

}  // namespace
}  // namespace carom
