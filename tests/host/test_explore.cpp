#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "carom/carom.hpp"
#include "carom/explore.hpp"
#include "tests/support/explore_options.hpp"

namespace carom {
namespace {

using test::with_step_and_epsilon;
using testing::HasSubstr;

ImpactProblem problem_of(const char* system) { return load_scenario(system).problem; }

/// A scenario of the source tree where no system has this name.
std::string scenario_of(const std::string& name) {
  const std::filesystem::path file =
      std::filesystem::path(CAROM_SOURCE_DIR) / "scenarios" / (name + ".toml");
  return std::filesystem::exists(file) ? file.string() : name;
}

TEST(Explore, HasTheSameBitsOnAnyNumberOfThreads) {
  const ImpactProblem problem = problem_of("compass_gait");
  SamplingOptions sampling = with_step_and_epsilon(0.25, 0.01);
  sampling.threads = 1;
  const Exploration one = explore(problem, sampling, {.budget = 20'000});
  sampling.threads = 4;
  const Exploration other = explore(problem, sampling, {.budget = 20'000});
  EXPECT_EQ(one.net.velocity(), other.net.velocity());
  EXPECT_EQ(one.trees.front().step, other.trees.front().step);
  EXPECT_EQ(one.lcps, other.lcps);
  sampling.seed = 2;
  EXPECT_NE(explore(problem, sampling, {.budget = 20'000}).net.velocity(), one.net.velocity());
}

/// Every member has a script of numbers in range that leads to it, to the bit.
void expect_scripts_replay(const ImpactProblem& problem, const SamplingOptions& sampling,
                           const Exploration& found) {
  const Eigen::Index nv = problem.velocities();
  ASSERT_EQ(found.origins.size(), found.net.size());
  for (std::size_t member = 0; member < found.net.size(); ++member) {
    const std::vector<double> script = found.script(found.origins[member]);
    const std::vector<ReplayedStep> steps = replay(problem, sampling, script);
    ASSERT_FALSE(steps.empty());
    const double* const velocity = found.net.velocity().data() + member * steps[0].velocity.size();
    EXPECT_EQ(steps.back().velocity, std::vector<double>(velocity, velocity + nv));
    EXPECT_EQ(steps.size(), script.size() / found.step_size) << "no step after the separation";
    const auto m = static_cast<std::size_t>(problem.contacts());
    for (std::size_t i = 0; i < script.size(); ++i) {
      EXPECT_LE(script[i], 1.0);
      EXPECT_GE(script[i], i % found.step_size < m ? 1e-6 : 0.0);
    }
  }
}

TEST(Explore, ScriptsLeadToTheirMembers) {
  for (const char* system : {"box_wall", "compass_gait", "disk_stack"}) {
    const ImpactProblem problem = problem_of(system);
    const SamplingOptions sampling = with_step_and_epsilon(0.5, 0.02);
    const Exploration found = explore(problem, sampling, {.budget = 20'000});
    ASSERT_GT(found.net.size(), 10u);
    expect_scripts_replay(problem, sampling, found);
  }
}

/// Steps of equal caps, of which one LCP serves many, are those that are taken one by one.
TEST(Explore, PhasesAreTheirStepsOneByOne) {
  for (const char* system : {"rocking_block", "box_wall", "compass_gait", "brick_corners"}) {
    const ImpactProblem problem = load_scenario(scenario_of(system)).problem;
    const double h = stopping_impulse(problem) / 50.0;
    SamplingOptions sampling = with_step_and_epsilon(h, 0.01 * problem.pre_impact_velocity.norm());
    sampling.set_valued().solutions = Solutions::first;
    const Exploration found = explore(problem, sampling, {.budget = 20'000});
    EXPECT_NEAR(static_cast<double>(found.most_repeats), 200.0, 1.0);
    expect_scripts_replay(problem, sampling, found);
    std::uint64_t repeated = 0;
    for (std::size_t member = 0; member < found.net.size(); member += 1 + found.net.size() / 8) {
      Eigen::VectorXd velocity = problem.pre_impact_velocity;
      for (const ReplayedStep& step :
           replay(problem, sampling, found.script(found.origins[member]))) {
        const Eigen::Map<const Eigen::VectorXd> caps(step.caps.data(), problem.contacts());
        double impulse = 0.0;
        for (std::uint64_t i = 0; i < step.repeats; ++i) {
          const StepSolution one = solve_step(problem, velocity, caps);
          ASSERT_EQ(one.status, Status::separated);
          velocity = one.post_velocity;
          impulse += one.normal_impulse.sum();
        }
        repeated += step.repeats;
        const Eigen::Map<const Eigen::VectorXd> reached(step.velocity.data(), velocity.size());
        EXPECT_LT((reached - velocity).norm(), 1e-9 * problem.pre_impact_velocity.norm()) << system;
        velocity = reached;
      }
    }
    EXPECT_GT(repeated, 200u) << system;
  }
}

/// At a hundredth of the stopping impulse random caps average out; phases reach the ends.
TEST(Explore, PhasesReachTheEndsAtSmallSteps) {
  const ImpactProblem problem = problem_of("compass_gait");
  SamplingOptions sampling = with_step_and_epsilon(0.0025, 0.002);
  const Exploration found = explore(problem, sampling, {.budget = 200'000});
  const auto end = std::ranges::find_if(found.ends, [](const ExploredEnd& one) {
    return one.contact == 0 && one.axis == 0 && one.greatest;
  });
  ASSERT_NE(end, found.ends.end());
  EXPECT_LE(end->speed, 0.037450 + 1e-6);  // proved
  EXPECT_GT(end->speed, 0.036);
}

TEST(Explore, RepeatsAreWholeAndWithinTheirRange) {
  EXPECT_EQ(repeats(0.0, 100), 1u);
  EXPECT_EQ(repeats(1.0, 100), 100u);
  EXPECT_EQ(repeats(1.0, 1), 1u);
  EXPECT_EQ(repeats(0.5, 16), 4u);
  std::uint64_t last = 0;
  for (int i = 0; i <= 1000; ++i) {
    const std::uint64_t count = repeats(i / 1000.0, 100);
    EXPECT_GE(count, last);
    last = count;
  }
}

/// A search that is stopped, or that gets a larger budget, continues as if it had been one search.
TEST(Explore, ContinuesWithTheBitsOfOneSearch) {
  const ImpactProblem problem = problem_of("compass_gait");
  const SamplingOptions sampling = with_step_and_epsilon(0.25, 0.01);
  const Exploration whole = explore(problem, sampling, {.budget = 60'000});
  Exploration part = explore(problem, sampling, {.budget = 20'000});
  EXPECT_LT(part.lcps, whole.lcps);
  int calls = 0;
  part = explore(
      problem, sampling, {.budget = 60'000},
      [&](std::uint64_t, std::uint64_t) { return ++calls < 5; }, std::move(part));
  EXPECT_FALSE(part.complete);
  const Exploration continued = explore(problem, sampling, {.budget = 60'000}, {}, std::move(part));
  EXPECT_TRUE(continued.complete);
  EXPECT_EQ(continued.net.velocity(), whole.net.velocity());
  EXPECT_EQ(continued.lcps, whole.lcps);
  EXPECT_EQ(continued.rounds, whole.rounds);
  EXPECT_EQ(continued.stopped, whole.stopped);
  EXPECT_EQ(continued.trees[1].step, whole.trees[1].step);
  EXPECT_EQ(continued.mark.ends, whole.mark.ends);
}

/// Rounds grow with what was done, so that none takes many times the budget, whatever `slots` says.
TEST(Explore, RoundsTakeAboutHalfOfWhatWasDone) {
  const ImpactProblem disks = problem_of("disk_stack");
  SamplingOptions sampling = with_step_and_epsilon(1.0, 0.02);
  sampling.set_valued().solutions = Solutions::first;
  Exploration few = explore(disks, sampling, {.budget = 1000, .slots = 65'536});
  EXPECT_LT(few.lcps, 3'000u);
  const ExploreOptions more = {.budget = 30'000, .slots = 65'536};
  const Exploration whole = explore(disks, sampling, more);
  EXPECT_LT(whole.lcps, 55'000u);
  const Exploration continued = explore(disks, sampling, more, {}, std::move(few));
  EXPECT_EQ(continued.net.velocity(), whole.net.velocity()) << "the budget changes no round";
  EXPECT_EQ(continued.rounds, whole.rounds);
}

/// A ball between walls that never comes to rest: each slot takes all the steps that it may.
TEST(Explore, BeginsWithFewSlotsWhereTheyMayTakeManySteps) {
  ImpactProblem walls;
  walls.mass_matrix = Eigen::Matrix2d::Identity();
  walls.normal_jacobian.resize(2, 2);
  walls.normal_jacobian << 1.0, 0.0, -1.0, 1e-6;
  walls.tangent_jacobian = Eigen::Matrix2d::Zero();
  walls.friction = Eigen::Vector2d::Zero();
  walls.pre_impact_velocity = Eigen::Vector2d(-1.0, -1e-6);
  SamplingOptions sampling = with_step_and_epsilon(1.0, 0.01);
  sampling.law = law::Propagative{};
  sampling.max_steps = 100'000;
  std::uint64_t impacts = 0;
  const auto observer = [&](std::uint64_t so_far, std::uint64_t) {
    impacts = so_far;
    return so_far < 1'000'000;
  };
  explore(walls, sampling, {.budget = 2'000'000}, observer);
  EXPECT_GE(impacts, 1'000'000u);
  EXPECT_LE(impacts, 1'500'000u) << "12.8 million with 64 slots on each of two islands";
}

TEST(Explore, RefusesToContinueAnotherSearch) {
  const ImpactProblem problem = problem_of("compass_gait");
  const SamplingOptions sampling = with_step_and_epsilon(0.25, 0.01);
  const ExploreOptions more = {.budget = 60'000};
  EXPECT_THROW(explore(problem, sampling, {.budget = 60'000, .islands = 3}, {},
                       explore(problem, sampling, {.budget = 5'000})),
               InputError);
  Exploration broken = explore(problem, sampling, {.budget = 5'000});
  broken.trees[0].outcomes[0].node = 1u << 30;
  EXPECT_THROW(explore(problem, sampling, more, {}, std::move(broken)), InputError);
  broken = explore(problem, sampling, {.budget = 5'000});
  broken.trees[0].parent[1] = 1;
  EXPECT_THROW(explore(problem, sampling, more, {}, std::move(broken)), InputError);
  ImpactProblem faster = problem;  // the same steps do not stop it
  faster.pre_impact_velocity *= 3.0;
  Exploration slower = explore(problem, sampling, {.budget = 5'000});
  EXPECT_THROW(explore(faster, sampling, more, {}, std::move(slower)), InputError);
}

/// The proved ends of the sets: exact hulls of what any order of impulses can give.
TEST(Explore, ReachesTheProvedEndsAndNotFarther) {
  struct Case {
    const char* system;
    double impulse_step;
    bool normal;
    int contact;
    double end;  // m/s, greatest contact speed
  };
  for (const auto& [system, impulse_step, normal, contact, end] :
       {Case{"rocking_block", 0.3, true, 0, 0.0930184}, Case{"box_wall", 2.0, false, 0, 0.372098},
        Case{"box_wall", 2.0, true, 1, 0.105642}, Case{"compass_gait", 0.25, true, 0, 0.037450}}) {
    const ImpactProblem problem = problem_of(system);
    const Exploration found =
        explore(problem, with_step_and_epsilon(impulse_step, 0.005), {.budget = 100'000});
    const auto reached = std::ranges::find_if(found.ends, [&](const ExploredEnd& one) {
      return one.contact == contact && one.axis == (normal ? 0 : 1) && one.greatest;
    });
    ASSERT_NE(reached, found.ends.end());
    EXPECT_LE(reached->speed, end + 1e-6) << system;
    EXPECT_GT(reached->speed, 0.998 * end) << system;
    const Eigen::RowVectorXd row = normal ? problem.normal_jacobian.row(contact).eval()
                                          : problem.tangent_jacobian.row(contact).eval();
    const Eigen::Map<const Eigen::VectorXd> velocity(reached->velocity.data(), row.size());
    EXPECT_NEAR(row * velocity, reached->speed, 1e-9);
    const std::vector<ReplayedStep> path =
        replay(problem, with_step_and_epsilon(impulse_step, 0.005), found.script(reached->origin));
    EXPECT_EQ(path.back().velocity, reached->velocity);
    EXPECT_LE((found.net.velocity_rows() * row.transpose()).maxCoeff(), reached->speed + 1e-9);
  }
}

TEST(Explore, FindsMoreOfTheDisksThanRandomCaps) {
  const ImpactProblem problem = problem_of("disk_stack");
  SamplingOptions sampling = with_step_and_epsilon(1.0, 0.02);
  sampling.set_valued().solutions = Solutions::first;
  const Exploration found = explore(problem, sampling, {.budget = 100'000});
  sampling.set_valued().caps = parse_caps("uniform");
  sampling.trajectories = found.lcps / 2;  // they take 2.4 LCPs each
  const PostImpactSet random = post_impact_set(problem, sampling);
  EXPECT_GE(random.summary.lcps, found.lcps);
  EXPECT_GT(static_cast<double>(found.net.size()), 1.5 * static_cast<double>(random.net.size()));
}

TEST(Explore, SaysWhatHasNotSettledAndThatAllHas) {
  const ImpactProblem block = problem_of("rocking_block");
  const Exploration settled =
      explore(block, with_step_and_epsilon(0.3, 0.01), {.budget = 1'000'000});
  EXPECT_EQ(settled.stopped, "islands, growth and ends have settled");
  EXPECT_LT(settled.lcps, 1'000'000u);
  EXPECT_GE(settled.mark.islands_cover, 0.95);
  const ImpactProblem disks = problem_of("disk_stack");
  const Exploration open = explore(disks, with_step_and_epsilon(1.0, 0.02), {.budget = 20'000});
  EXPECT_THAT(open.stopped, HasSubstr("at the budget: the islands cover "));
  EXPECT_GE(open.lcps, 20'000u);
}

TEST(Explore, SaysWhichSolutionsItTook) {
  const ImpactProblem gait = problem_of("compass_gait");
  EXPECT_EQ(explore(gait, with_step_and_epsilon(0.25, 0.01), {.budget = 1000}).solutions,
            Solutions::all);
  constexpr int contacts = 9;  // under a bar: more than the search over signs takes
  ImpactProblem bar;
  bar.mass_matrix = Eigen::Vector3d(1.0, 1.0, 0.1).asDiagonal();
  bar.normal_jacobian.resize(contacts, 3);
  bar.tangent_jacobian = Eigen::RowVector3d(1.0, 0.0, 0.0).replicate(contacts, 1);
  for (int i = 0; i < contacts; ++i) {
    bar.normal_jacobian.row(i) << 0.0, 1.0, -0.5 + i / (contacts - 1.0);
  }
  bar.friction = Eigen::VectorXd::Constant(contacts, 0.5);
  bar.pre_impact_velocity = Eigen::Vector3d(0.0, -1.0, 0.0);
  SamplingOptions sampling = with_step_and_epsilon(1.0, 0.05);
  const Exploration found = explore(bar, sampling, {.budget = 1000});
  EXPECT_EQ(found.solutions, Solutions::first);
  EXPECT_GT(found.net.size(), 0u);
  EXPECT_EQ(found.notes.front().code, "several_solutions");
  EXPECT_THROW(found.script({99, 0}), InputError);
  EXPECT_THROW(found.script({0, 1U << 31U}), InputError);
  sampling.set_valued().solutions = Solutions::first;
  for (const Note& note : explore(bar, sampling, {.budget = 1000}).notes) {
    EXPECT_NE(note.code, "several_solutions") << "it was asked for";
  }
}

TEST(Explore, AFewOutcomesAreNoReasonToStopSearching) {
  // Without friction, two corners of a block end alike whatever the caps: one member, with scripts
  // of its own at both ends.
  ImpactProblem block = problem_of("rocking_block");
  block.friction.setZero();
  const Exploration found = explore(block, with_step_and_epsilon(0.3, 0.5), {.budget = 20'000});
  EXPECT_EQ(found.stopped, "islands, growth and ends have settled");
  EXPECT_LT(found.net.size(), 16u);
  EXPECT_EQ(found.ends.size(), 8u);
}

TEST(Explore, CountsTrajectoriesThatWereDropped) {
  SamplingOptions sampling = with_step_and_epsilon(0.25, 0.01);
  sampling.max_steps = 1;
  const Exploration found = explore(problem_of("compass_gait"), sampling, {.budget = 5'000});
  EXPECT_GT(found.dropped, 100u);
  EXPECT_GE(found.lcps, found.dropped + found.outcomes);
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes.front().code, "dropped");
  EXPECT_THAT(found.notes.front().text, HasSubstr("after 1 steps"));
}

TEST(Explore, FailsWithoutAnOutcome) {
  SamplingOptions sampling = with_step_and_epsilon(0.03, 0.01);  // eight of them stop the impact
  sampling.max_steps = 1;
  EXPECT_THROW(explore(problem_of("compass_gait"), sampling, {.budget = 1000}), RunError);
}

TEST(Explore, EndsWhereTheObserverSaysSo) {
  const ImpactProblem problem = problem_of("compass_gait");
  int calls = 0;
  const Exploration found =
      explore(problem, with_step_and_epsilon(0.25, 0.01), {.budget = 1'000'000, .slots = 64},
              [&](std::uint64_t, std::uint64_t) { return ++calls < 4; });
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.rounds, 3u);
  EXPECT_GT(found.net.size(), 0u);
  EXPECT_THAT(found.stopped, HasSubstr("interrupted"));
}

TEST(Explore, RefusesWhatItCannotExplore) {
  const ImpactProblem problem = problem_of("compass_gait");
  const auto message = [&](SamplingOptions sampling, const ExploreOptions& explored) {
    try {
      explore(problem, sampling, explored);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  SamplingOptions sampling = with_step_and_epsilon(0.25, 0.01);
  EXPECT_THAT(message(sampling, {.budget = 10}), HasSubstr("budget is 10 (must be >= 1000)"));
  if (cuda_device_count() == 0) {
    sampling = with_step_and_epsilon(0.25, 0.01);
    sampling.backend = Backend::cuda;
    EXPECT_THAT(message(sampling, {}), HasSubstr("CUDA"));
  }
  EXPECT_THROW(replay(problem, with_step_and_epsilon(0.25, 0.01), {0.5, 0.5}), InputError);
}

}  // namespace
}  // namespace carom
