#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/carom.hpp"
#include "carom/explore.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

ImpactProblem problem_of(const char* system) { return load_scenario(system).problem; }

SamplingOptions options(double impulse_step, double epsilon) {
  SamplingOptions options;
  options.impulse_step = impulse_step;
  options.epsilon = epsilon;
  options.max_steps = 100;
  options.backend = Backend::cpu;
  return options;
}

TEST(Explore, HasTheSameBitsOnAnyNumberOfThreads) {
  const ImpactProblem problem = problem_of("compass_gait");
  SamplingOptions sampling = options(0.25, 0.01);
  sampling.threads = 1;
  const Exploration one = explore(problem, sampling, {.budget = 20'000});
  sampling.threads = 4;
  const Exploration other = explore(problem, sampling, {.budget = 20'000});
  EXPECT_EQ(one.net.velocity(), other.net.velocity());
  EXPECT_EQ(one.scripts, other.scripts);
  EXPECT_EQ(one.state.lcps, other.state.lcps);
  sampling.seed = 2;
  EXPECT_NE(explore(problem, sampling, {.budget = 20'000}).net.velocity(), one.net.velocity());
}

TEST(Explore, ScriptsLeadToTheirMembers) {
  for (const char* system : {"box_wall", "compass_gait", "disk_stack"}) {
    const ImpactProblem problem = problem_of(system);
    const SamplingOptions sampling = options(0.5, 0.02);
    const Exploration found = explore(problem, sampling, {.budget = 20'000});
    const auto nv = static_cast<std::size_t>(problem.velocities());
    ASSERT_EQ(found.scripts.size(), found.net.size());
    ASSERT_GT(found.net.size(), 10u);
    for (std::size_t member = 0; member < found.net.size(); ++member) {
      const std::vector<double> path = replay(problem, sampling, found.scripts[member]);
      const std::vector<double> end(path.end() - static_cast<std::ptrdiff_t>(nv), path.end());
      const double* const velocity = found.net.velocity().data() + member * nv;
      EXPECT_EQ(end, std::vector<double>(velocity, velocity + nv)) << system;
      const std::vector<double>& script = found.scripts[member];
      const auto width = static_cast<std::size_t>(problem.contacts()) + 1;
      EXPECT_EQ(path.size() / nv, script.size() / width) << "no step comes after the separation";
      for (std::size_t i = 0; i < script.size(); ++i) {
        EXPECT_LE(script[i], 1.0);
        EXPECT_GE(script[i], i % width + 1 < width ? 1e-6 : 0.0);
      }
    }
  }
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
    const Exploration found = explore(problem, options(impulse_step, 0.005), {.budget = 100'000});
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
    const std::vector<double> path = replay(problem, options(impulse_step, 0.005), reached->script);
    EXPECT_EQ(std::vector<double>(path.end() - row.size(), path.end()), reached->velocity);
    EXPECT_LE((found.net.velocity_rows() * row.transpose()).maxCoeff(), reached->speed + 1e-9);
  }
}

TEST(Explore, FindsMoreOfTheDisksThanRandomCaps) {
  const ImpactProblem problem = problem_of("disk_stack");
  SamplingOptions sampling = options(1.0, 0.02);
  sampling.set_valued().solutions = Solutions::first;
  const Exploration found = explore(problem, sampling, {.budget = 100'000});
  sampling.set_valued().caps = parse_caps("uniform");
  sampling.trajectories = found.state.lcps / 2;  // they take 2.4 LCPs each
  const PostImpactSet random = post_impact_set(problem, sampling);
  EXPECT_GE(random.summary.lcps, found.state.lcps);
  EXPECT_GT(static_cast<double>(found.net.size()), 1.5 * static_cast<double>(random.net.size()));
}

TEST(Explore, SaysWhatHasNotSettledAndThatAllHas) {
  const ImpactProblem block = problem_of("rocking_block");
  const Exploration settled = explore(block, options(0.3, 0.01), {.budget = 1'000'000});
  EXPECT_EQ(settled.stopped, "islands, growth and ends have settled");
  EXPECT_LT(settled.state.lcps, 1'000'000u);
  EXPECT_GE(settled.state.islands_cover, 0.95);
  const ImpactProblem disks = problem_of("disk_stack");
  const Exploration open = explore(disks, options(1.0, 0.02), {.budget = 20'000});
  EXPECT_THAT(open.stopped, HasSubstr("at the budget: the islands cover "));
  EXPECT_GE(open.state.lcps, 20'000u);
}

TEST(Explore, SaysWhichSolutionsItTook) {
  const ImpactProblem gait = problem_of("compass_gait");
  EXPECT_EQ(explore(gait, options(0.25, 0.01), {.budget = 1000}).solutions, Solutions::all);
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
  const Exploration found = explore(bar, options(1.0, 0.05), {.budget = 1000});
  EXPECT_EQ(found.solutions, Solutions::first);
  EXPECT_GT(found.net.size(), 0u);
}

TEST(Explore, AFewOutcomesAreNoReasonToStopSearching) {
  // Without friction, two corners of a block end alike whatever the caps: one member, with scripts
  // of its own at both ends.
  ImpactProblem block = problem_of("rocking_block");
  block.friction.setZero();
  const Exploration found = explore(block, options(0.3, 0.5), {.budget = 20'000});
  EXPECT_EQ(found.stopped, "islands, growth and ends have settled");
  EXPECT_LT(found.net.size(), 16u);
  EXPECT_EQ(found.ends.size(), 8u);
}

TEST(Explore, FailsWithoutAnOutcome) {
  SamplingOptions sampling = options(1e-6, 0.01);  // far too few steps
  sampling.max_steps = 2;
  EXPECT_THROW(explore(problem_of("compass_gait"), sampling, {.budget = 1000}), RunError);
}

TEST(Explore, EndsWhereTheObserverSaysSo) {
  const ImpactProblem problem = problem_of("compass_gait");
  int calls = 0;
  const Exploration found =
      explore(problem, options(0.25, 0.01), {.budget = 1'000'000, .slots = 64},
              [&](std::uint64_t, std::uint64_t) { return ++calls < 4; });
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.state.rounds, 3u);
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
  SamplingOptions sampling = options(0.25, 0.01);
  EXPECT_THAT(message(sampling, {.budget = 10}), HasSubstr("budget is 10 LCPs (must be >= 1000)"));
  sampling.set_valued().solutions = Solutions::cover;
  EXPECT_THAT(message(sampling, {}), HasSubstr("solutions is \"cover\" (must be all or first"));
  sampling.law = law::Simultaneous{};
  EXPECT_THAT(message(sampling, {}), HasSubstr("must be set_valued to explore"));
  EXPECT_THROW(replay(problem, options(0.25, 0.01), {0.5, 0.5}), InputError);
}

}  // namespace
}  // namespace carom
