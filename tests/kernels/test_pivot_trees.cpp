#include <gtest/gtest.h>

#include <ranges>
#include <vector>

#include "carom/carom.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"
#include "tests/support/flat_plan.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/system_data.hpp"

// Trees of known paths must change no bit of any outcome, whatever they know.

namespace carom {
namespace {

SamplingOptions options_with(std::uint64_t trajectories) {
  SamplingOptions options;
  options.trajectories = trajectories;
  options.impulse_step = 0.4;
  options.epsilon = 0.01;
  options.law = law::SetValued{.caps = CapsDistribution{}, .solutions = Solutions::first};
  options.max_steps = 8;
  options.backend = Backend::cpu;
  return options;
}

SampleSet run(const ItemRunner& runner, const SamplingPlan& plan, std::uint64_t first,
              std::uint64_t count) {
  SampleSet samples = test::poisoned_rows(plan, count);
  runner.items(plan, first, count, view_of(samples));
  return samples;
}

/// With the plan's trees and without, by every instruction set.
void expect_trees_change_nothing(const SamplingPlan& plan, std::uint64_t first,
                                 std::uint64_t count) {
  SamplingPlan without = plan;
  std::get<SetValuedPlan>(without.law).trees = nullptr;
  const SampleSet expected = run(item_runner(), without, first, count);
  for (const ItemRunner* runner : item_runners()) {
    test::expect_same_bits(expected, run(*runner, plan, first, count));
  }
}

bool has_trees(const SamplingPlan& plan) {
  const PivotTree* trees = std::get<SetValuedPlan>(plan.law).trees;
  return trees != nullptr && trees->nodes > 0 && trees->leaves > 0;
}

std::vector<ImpactProblem> two_contact_problems() {
  test::Random random(5);
  std::vector<ImpactProblem> problems = {
      test::reference_problem("rocking_block"), test::reference_problem("compass_gait"),
      test::reference_problem("box_wall"), test::reference_problem("ramone")};
  for (const double friction : {0.0, -1.0, 1e5}) {
    for (const int velocities : {1, 2, 5}) {
      problems.push_back(test::random_problem(random, 2, velocities, friction));
    }
  }
  return problems;
}

TEST(PivotTrees, ChangeNoBit) {
  for (const ImpactProblem& problem : two_contact_problems()) {
    const test::FlatPlan flat(problem, options_with(4096));
    ASSERT_EQ(has_trees(flat.plan()), item_runner().uses_trees(flat.plan()));
    expect_trees_change_nothing(flat.plan(), 0, 4096);
    expect_trees_change_nothing(flat.plan(), 1000, 77);
  }
}

TEST(PivotTrees, ChangeNoBitOfTables) {
  for (const ImpactProblem& problem : two_contact_problems()) {
    SamplingOptions options = options_with(4096);
    options.set_valued().solutions = Solutions::table;
    const test::FlatPlan flat(problem, options);
    ASSERT_EQ(std::get<SetValuedPlan>(flat.plan().law).trees != nullptr,
              item_runner().uses_trees(flat.plan()));
    expect_trees_change_nothing(flat.plan(), 0, 4096);
  }
}

/// Caps of all sizes down to zero: no limit of a decision may depend on how large they are.
TEST(PivotTrees, ChangeNoBitForAnyCaps) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  for (const char* caps : {"uniform", "simplex", "corners:8", "corners:64", "early_corners:8",
                           "sobol", "weighted:1e-300,1", "weighted:1,1e-300",
                           "weighted:1e-220,1e-220", "0.5*uniform + 0.5*corners:40"}) {
    SamplingOptions options = options_with(1 << 14);
    options.set_valued().caps = parse_caps(caps);
    const test::FlatPlan flat(problem, options);
    ASSERT_EQ(has_trees(flat.plan()), item_runner().uses_trees(flat.plan())) << caps;
    expect_trees_change_nothing(flat.plan(), 0, 1 << 14);
  }
}

TEST(PivotTrees, ChangeNoBitWhereStepsRunOut) {
  for (const int max_steps : {1, 2}) {
    SamplingOptions options = options_with(2048);
    options.max_steps = max_steps;
    const test::FlatPlan flat(test::reference_problem("rocking_block"), options);
    expect_trees_change_nothing(flat.plan(), 0, 2048);
  }
}

/// The pivots of leaves are changed: what the tree serves tells of it, the complete program does
/// not.
TEST(PivotTrees, AreFollowed) {
  const test::FlatPlan flat(test::reference_problem("rocking_block"), options_with(4096));
  ASSERT_TRUE(has_trees(flat.plan()));
  PivotTree tree = std::get<SetValuedPlan>(flat.plan().law).trees[0];
  std::vector<PivotLeaf> leaves(tree.leaf, tree.leaf + tree.leaves);
  for (PivotLeaf& leaf : leaves) leaf.pivots += 1000;
  tree.leaf = leaves.data();
  SamplingPlan plan = flat.plan();
  std::get<SetValuedPlan>(plan.law).trees = &tree;
  for (const ItemRunner* runner : item_runners()) {
    const SampleSet samples = run(*runner, plan, 0, 4096);
    std::size_t served = 0;
    for (const std::uint32_t pivots : samples.pivot_count) served += pivots >= 1000 ? 1 : 0;
    EXPECT_GT(served, 3600u);
  }
}

TEST(PivotTrees, ChangeNoBitWhereTheyKnowLittle) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  const test::FlatPlan flat(problem, options_with(1024));
  ASSERT_TRUE(has_trees(flat.plan()));
  for (const int leaves : {1, 7, 30}) {
    std::vector<PivotNode> nodes(40);
    std::vector<PivotLeaf> leaf(static_cast<std::size_t>(leaves));
    std::vector<std::int16_t> children(1 << 14);
    PivotTree tree{nodes.data(), leaf.data(), children.data(), 0, 0, 0, 0, 40, leaves, 1 << 14};
    SamplingPlan plan = flat.plan();
    SampleSet outcomes = test::poisoned_rows(plan, 200);
    item_runner().learning_items(plan, 0, 200, view_of(outcomes), tree);
    EXPECT_LE(tree.nodes, 40);
    EXPECT_GT(tree.leaves, 0);
    EXPECT_LE(tree.leaves, leaves);
    std::get<SetValuedPlan>(plan.law).trees = &tree;
    expect_trees_change_nothing(plan, 0, 1024);
  }
}

TEST(PivotTrees, ChangeNoBitWhereTheyAreLearnedOnTheWay) {
  const std::vector<ImpactProblem> problems = two_contact_problems();
  for (const ImpactProblem& problem : problems) {
    std::vector<ImpactProblem> batch(5, problem);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch[i].friction *= 1.0 / static_cast<double>(1 + i);
    }
    const auto data = make_plan(batch, options_with(100));
    ASSERT_EQ(std::get<SetValuedPlan>(data->plan.law).trees, nullptr);
    for (const int room : {3, 256}) {
      std::vector<PivotNode> nodes(static_cast<std::size_t>(room));
      std::vector<PivotLeaf> leaves(static_cast<std::size_t>(room));
      std::vector<std::int16_t> children(1 << 14);
      PivotTree tree{nodes.data(), leaves.data(), children.data(), 0, 0, 0, 0, room, room, 1 << 14};
      for (const ItemRunner* runner : item_runners()) {
        SampleSet samples = test::poisoned_rows(data->plan, 333);
        runner->learning_items(data->plan, 47, 333, view_of(samples), tree);
        test::expect_same_bits(run(*runner, data->plan, 47, 333), samples);
      }
    }
  }
}

TEST(PivotTrees, ServeEachProblemOfABatch) {
  std::vector<ImpactProblem> problems(2, test::reference_problem("rocking_block"));
  problems[1].friction *= 0.3;
  const auto data = make_plan(problems, options_with(1500));
  ASSERT_EQ(has_trees(data->plan), item_runner().uses_trees(data->plan));
  expect_trees_change_nothing(data->plan, 0, 3000);
  expect_trees_change_nothing(data->plan, 1450, 100);
}

TEST(PivotTrees, LeaveTrajectoriesIndependentOfTheirNumber) {
  const ImpactProblem problem = test::reference_problem("compass_gait");
  const SampleSet few = sample(problem, options_with(300));
  const SampleSet many = sample(problem, options_with(8192));
  test::expect_same_bits(few, test::rows_of(many, std::views::iota(0u, 300u), 0));
}

}  // namespace
}  // namespace carom
