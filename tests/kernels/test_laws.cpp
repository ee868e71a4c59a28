#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "carom/carom.hpp"
#include "host/laws/law_list.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"
#include "tests/support/device_rows.hpp"
#include "tests/support/fast_items.hpp"
#include "tests/support/flat_plan.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/on_device.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

SamplingOptions options_of(const Law& law, std::uint64_t trajectories, int max_steps = 200) {
  SamplingOptions options;
  options.law = law;
  options.trajectories = trajectories;
  options.max_steps = max_steps;
  options.backend = Backend::cpu;
  return options;
}

Eigen::VectorXd velocity_of_row(const SampleSet& samples, std::size_t row) {
  return samples.velocity_rows().row(static_cast<Eigen::Index>(row));
}

/// How often each of the expected velocities was drawn; -1 counts rows that are none of them.
std::map<int, int> drawn(const SampleSet& samples, const std::vector<Eigen::VectorXd>& expected) {
  std::map<int, int> counts;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const Eigen::VectorXd velocity = velocity_of_row(samples, row);
    const auto place = std::find_if(expected.begin(), expected.end(), [&](const auto& one) {
      return (one - velocity).norm() <= 1e-9 * (1.0 + velocity.norm());
    });
    ++counts[place == expected.end() ? -1 : static_cast<int>(place - expected.begin())];
  }
  return counts;
}

/// Five standard deviations of a count of `trials` draws with this probability.
double five_sigma(double trials, double probability) {
  return 5.0 * std::sqrt(trials * probability * (1.0 - probability));
}

std::vector<Eigen::VectorXd> outcomes_of(const ImpactProblem& problem, ComparedLaw law) {
  std::vector<Eigen::VectorXd> velocities;
  for (const LawOutcome& outcome : compare_laws(problem, {}).outcomes) {
    if (outcome.law == law) velocities.push_back(outcome.velocity);
  }
  return velocities;
}

TEST(SimultaneousLaw, DrawsEachOfItsSolutionsAsOftenAsTheOthers) {
  constexpr std::uint64_t trajectories = 20'000;
  std::size_t most = 0;
  for (const char* name : {"rocking_block", "compass_gait", "ramone", "box_wall"}) {
    const ImpactProblem problem = load_scenario(name).problem;
    const auto solutions = outcomes_of(problem, ComparedLaw::simultaneous);
    const SampleSet samples = sample(problem, options_of(law::Simultaneous{}, trajectories));
    EXPECT_TRUE(std::ranges::all_of(samples.status, [](Status status) {
      return status == Status::separated;
    })) << name;
    EXPECT_EQ(std::ranges::count(samples.lcp_count, 1u), trajectories) << name;
    EXPECT_EQ(std::ranges::count(samples.final_step, 0), trajectories) << name;
    const auto counts = drawn(samples, solutions);
    EXPECT_EQ(counts.count(-1), 0u) << name;
    EXPECT_EQ(counts.size(), solutions.size()) << name;
    const double share = 1.0 / static_cast<double>(solutions.size());
    for (const auto& [place, count] : counts) {
      EXPECT_NEAR(count, trajectories * share, five_sigma(trajectories, share) + 1e-9) << name;
    }
    most = std::max(most, solutions.size());
  }
  EXPECT_GT(most, 1u);  // else nothing was drawn
}

TEST(SimultaneousLaw, OfSixContactsHasAllSolutions) {
  test::Random random(3);
  std::size_t most = 0;
  for (int i = 0; i < 12; ++i) {
    const ImpactProblem problem = test::random_problem(random, 6, 6, 1.0);
    const StepAnswers answers = simultaneous_solutions(problem, problem.pre_impact_velocity);
    ASSERT_TRUE(answers.complete);
    if (answers.components != answers.answers.size()) continue;  // a continuum
    std::vector<Eigen::VectorXd> velocities;
    for (const StepAnswer& answer : answers.answers) velocities.push_back(answer.velocity);
    const SampleSet samples = sample(problem, options_of(law::Simultaneous{}, 400));
    EXPECT_TRUE(std::ranges::all_of(samples.status,
                                    [](Status status) { return status == Status::separated; }));
    const auto counts = drawn(samples, velocities);
    EXPECT_EQ(counts.count(-1), 0u) << i;
    EXPECT_EQ(counts.size(), velocities.size()) << i;
    most = std::max(most, velocities.size());
  }
  EXPECT_GT(most, 1u);  // else nothing was drawn
}

/// A run of many trajectories solves the step once, one of few in each trajectory.
TEST(SimultaneousLaw, HasTheSameBitsInRunsOfFewAndOfManyTrajectories) {
  constexpr std::uint64_t few = 12;
  constexpr std::uint64_t many = 40;
  test::Random random(11);
  std::vector<ImpactProblem> problems = {load_scenario("compass_gait").problem};
  for (int i = 0; i < 6; ++i) {
    problems.push_back(test::random_problem(random, 2 + i % 2, 4, 3.0));
    problems.push_back(test::random_problem(random, 3, 6, 2.0, 2, 4));
  }
  problems.push_back(test::random_problem(random, 5, 8, 2.0, 2, 4));  // along lines
  std::uint64_t several = 0;  // steps with more than one solution
  for (const ImpactProblem& problem : problems) {
    const SampleSet whole = sample(problem, options_of(law::Simultaneous{}, many));
    const SampleSet part = sample(problem, options_of(law::Simultaneous{}, few));
    for (std::uint64_t row = 0; row < few; ++row) {
      EXPECT_EQ(velocity_of_row(part, row), velocity_of_row(whole, row));
    }
    EXPECT_TRUE(std::equal(part.solution_count.begin(), part.solution_count.end(),
                           whole.solution_count.begin()));
    several += whole.solution_count[2] + whole.solution_count[3];
  }
  EXPECT_GT(several, 1u);
}

TEST(SequentialLaw, OfTwoContactsHasBothOrdersWithEvenShares) {
  constexpr std::uint64_t trajectories = 20'000;
  for (const char* name : {"rocking_block", "compass_gait"}) {
    const ImpactProblem problem = load_scenario(name).problem;
    const auto orders = outcomes_of(problem, ComparedLaw::sequential);
    ASSERT_EQ(orders.size(), 2u);
    const SampleSet samples = sample(problem, options_of(law::Sequential{}, trajectories));
    const auto counts = drawn(samples, orders);
    EXPECT_EQ(counts.count(-1), 0u) << name;
    const bool both_approach =
        (problem.normal_jacobian * problem.pre_impact_velocity).maxCoeff() < 0.0;
    if (!both_approach) continue;  // then the first contact is no choice
    ASSERT_EQ(counts.size(), 2u) << name;
    for (const auto& [place, count] : counts) {
      EXPECT_NEAR(count, trajectories / 2.0, five_sigma(trajectories, 0.5)) << name;
    }
  }
}

/// By hand: a mass on frictionless walls x = 0 and y = 0 stops at one after the other, in any
/// order.
TEST(SequentialLaw, StopsAPointAtTwoWalls) {
  ImpactProblem problem;
  problem.mass_matrix = 2.0 * Eigen::Matrix2d::Identity();
  problem.normal_jacobian = Eigen::Matrix2d::Identity();
  problem.tangent_jacobian = Eigen::Matrix2d::Identity().rowwise().reverse();
  problem.friction = Eigen::Vector2d::Zero();
  problem.pre_impact_velocity = Eigen::Vector2d(-1.0, -3.0);
  const SampleSet samples = sample(problem, options_of(law::Sequential{}, 100));
  for (std::size_t row = 0; row < samples.size(); ++row) {
    EXPECT_LT(velocity_of_row(samples, row).norm(), 1e-14);
    EXPECT_EQ(samples.lcp_count[row], 2u);
    EXPECT_NEAR(samples.impulse[row * 4], 2.0, 1e-14);
    EXPECT_NEAR(samples.impulse[row * 4 + 2], 6.0, 1e-14);
  }
}

TEST(SequentialLaw, ThatDoesNotEndIsDroppedAtTheStepLimit) {
  test::Random random(5);
  const ImpactProblem problem = test::random_problem(random, 8, 5, 0.5);
  const SampleSet samples = sample(problem, options_of(law::Sequential{}, 50, 1));
  EXPECT_GT(std::ranges::count(samples.status, Status::step_limit), 0);
  EXPECT_EQ(std::ranges::count(samples.final_step, 0), 50);
}

/// Whether each row's velocity is one of the other's, within 1e-11.
void expect_outcomes_among(const SampleSet& rows, const SampleSet& others) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double least = INFINITY;
    for (std::size_t other = 0; other < others.size(); ++other) {
      const double distance = (velocity_of_row(rows, row) - velocity_of_row(others, other)).norm();
      least = std::min(least, distance);
    }
    EXPECT_LT(least, 1e-11);
  }
}

/// The one finds a contact's solutions by a search over signs, the other state by state, in another
/// order.
TEST(SequentialAndSimultaneousLaws, AreOneForASingleContact) {
  test::Random random(7);
  std::uint64_t several = 0;  // steps with more than one solution
  for (const double friction : {0.0, 0.6, 3.0, 50.0}) {
    for (const int directions : {2, 4, 6, 8}) {
      for (int trial = 0; trial < 20; ++trial) {
        const int d = directions == 2 ? 1 : 2;
        const ImpactProblem problem = test::random_problem(random, 1, 4, friction, d, directions);
        const SampleSet one = sample(problem, options_of(law::Simultaneous{}, 40));
        const SampleSet other = sample(problem, options_of(law::Sequential{}, 40));
        EXPECT_EQ(one.status, other.status);
        EXPECT_EQ(one.solution_count, other.solution_count);
        several += one.solution_count[2] + one.solution_count[3];
        expect_outcomes_among(one, other);
        expect_outcomes_among(other, one);
      }
    }
  }
  EXPECT_GT(several, 0u);
}

/// By hand: the tangent is the normal up to 1e-6, and the contact sticks by impulses near 1e6. The
/// equations of sticking are dependent almost up to rounding.
TEST(SequentialLaw, SolvesAContactWhoseTangentIsAlmostItsNormalByLemkesMethod) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Matrix2d::Identity();
  problem.normal_jacobian = Eigen::RowVector2d(1.0, 0.0);
  problem.tangent_jacobian = Eigen::RowVector2d(1.0, 1e-6);
  problem.friction = Eigen::VectorXd::Constant(1, 5.0);
  problem.pre_impact_velocity = Eigen::Vector2d(-1.0, 1.0);
  const SampleSet samples = sample(problem, options_of(law::Sequential{}, 10));
  for (std::size_t row = 0; row < samples.size(); ++row) {
    EXPECT_EQ(samples.status[row], Status::separated);
    EXPECT_LT(velocity_of_row(samples, row).norm(), 1e-3);
    EXPECT_EQ(samples.solution_count[row * solution_bins + solution_bins - 1],
              samples.lcp_count[row]);
  }
}

std::vector<std::pair<Law, ImpactProblem>> assorted_laws() {
  test::Random random(20261122);
  std::vector<std::pair<Law, ImpactProblem>> list;
  for (const Law& law : {Law(law::Simultaneous{}), Law(law::Sequential{})}) {
    list.emplace_back(law, load_scenario("compass_gait").problem);
    list.emplace_back(law, test::random_problem(random, 3, 5, 0.7));
    list.emplace_back(law, test::random_problem(random, 2, 6, 0.5, 2, 4));
  }
  list.emplace_back(law::Sequential{}, test::random_problem(random, 8, 7, -1.0));
  for (const int balls : {3, 9, 18, 65}) {
    ImpactProblem row = test::uneven_cradle(balls);
    row.restitution = Eigen::VectorXd::Constant(row.contacts(), balls == 9 ? 0.5 : 1.0);
    list.emplace_back(law::Propagative{}, row);
    if (balls < 18) list.emplace_back(law::Plus{}, row);
  }
  for (const int dimension : {1, 2}) {
    ImpactProblem bouncing = test::random_problem(random, 3, 6, 0.5, dimension, 2 * dimension);
    bouncing.restitution = Eigen::Vector3d(0.0, 0.5, 1.0);
    list.emplace_back(law::Plus{.theta_max = 0.1}, bouncing);
    law::Plus drawn{.v_plastic = Uncertain::even(0.05, 0.2),
                    .theta_max = Uncertain::normal(0.3, 0.2),
                    .mu_static = {Uncertain::normal(0.4, 0.1)},
                    .mu = {Uncertain::even(0.1, 0.5), 0.3, Uncertain::normal(0.2, 0.2)},
                    .e_min = {Uncertain::normal(0.7, 0.4)}};
    for (const double speed : bouncing.pre_impact_velocity) {
      drawn.v_before.push_back(Uncertain::normal(speed, 0.2));
    }
    list.emplace_back(drawn, bouncing);
  }
  return list;
}

TEST(Laws, HaveTheSameBitsInEveryInstructionSetAndInDoublePrecisionFirst) {
  for (const auto& [law, problem] : assorted_laws()) {
    const SamplingOptions options = options_of(law, 200, 50);
    const SampleSet expected = sample(problem, options);
    const test::FlatPlan flat(problem, options);
    for (const ItemRunner* runner : item_runners()) {
      SampleSet samples = test::poisoned_rows(flat.plan(), expected.size());
      runner->items(flat.plan(), 0, samples.size(), view_of(samples));
      test::expect_same_bits(expected, samples);
    }
    if (!why_no_device(flat.plan()).empty()) continue;
    SampleSet repeated = test::poisoned_rows(flat.plan(), expected.size());
    test::fast_items(flat.plan(), 0, repeated.size(), view_of(repeated));
    repeat_undecided(flat.plan(), 0, repeated.size(), view_of(repeated), 0);
    test::expect_same_bits(expected, repeated);
  }
}

TEST(Laws, SampleEveryProblemOfABatchAsAlone) {
  ImpactProblem one = load_scenario("compass_gait").problem;
  one.friction.setZero();  // all laws can take it
  ImpactProblem other = one;
  other.pre_impact_velocity *= 0.5;
  const std::vector<ImpactProblem> both{one, other};
  for (const Law& law : all_laws()) {
    SamplingOptions options = options_of(law, 40);
    options.impulse_step = 0.3;  // else each first problem has its own
    options.epsilon = 0.01;
    const SampleSet together = sample(both, options);
    SamplingOptions second = options;
    second.problem_id = 1;
    const SampleSet alone = sample(other, second);
    const auto begin = together.velocity.end() - static_cast<std::ptrdiff_t>(alone.velocity.size());
    EXPECT_TRUE(std::equal(begin, together.velocity.end(), alone.velocity.begin()))
        << law_name(law);
  }
}

TEST(Laws, BeyondTheirReachAreRefusedWithTheReason) {
  try {
    seek_extremes(load_scenario("compass_gait").problem, options_of(law::Sequential{}, 10), 0);
    FAIL() << "caps of a law without caps were varied";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "law is \"sequential\" (must be set_valued to seek extremes: the search varies "
                 "caps)");
  }
}

/// Every law on a GPU has the CPU's bits, one problem or a batch. Skipped where there is none.
TEST(CudaParity, EveryBitOfOtherLawsIsTheCpus) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  for (const auto& [law, problem] : assorted_laws()) {
    ImpactProblem slower = problem;
    slower.pre_impact_velocity *= 0.5;
    const std::vector<ImpactProblem> problems{problem, slower};
    SamplingOptions options = options_of(law, test::device_rows(20000, 300), 50);
    if (!test::runs_on_devices(problem, options)) continue;
    const SampleSet expected = sample(problems, options);
    test::expect_same_bits(expected, test::sample_on_device(problems, options));
  }
}

}  // namespace
}  // namespace carom
