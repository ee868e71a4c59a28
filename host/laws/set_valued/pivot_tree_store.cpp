#include "host/laws/set_valued/pivot_tree_store.hpp"

#include <algorithm>
#include <type_traits>

#include "carom/sample_set.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

// A step on an unknown path costs about ten times as much as on a known path. A sixteenth of the
// trajectories finds most paths; below the least number, threads learn during the run instead.
constexpr std::uint64_t least_trajectories = 1024;
constexpr std::uint64_t part = 16;
constexpr std::uint64_t most_pilots = 8192;
constexpr std::int32_t most_children = 1 << 18;
// A tree needs about 0.2 MB, a pilot a few ms: for more problems, threads learn during the run.
constexpr std::uint64_t most_problems = 64;

/// Two contacts in the plane have 49 modes at most.
void list_modes(const ModeTableView& modes, PivotTree& tree) {
  constexpr int inputs = PivotNode::inputs;
  constexpr int impulses = PivotLeaf::impulses;
  for (int mode = 0; mode < modes.modes; ++mode) {
    PivotLeaf& leaf = tree.leaf[tree.leaves++];
    for (int i = 0; i < impulses; ++i) {
      for (int j = 0; j < inputs; ++j) {
        leaf.map[j][i] = modes.map[(mode * impulses + i) * inputs + j];
      }
    }
    leaf.pivots = 0;
  }
  tree.modes = modes.modes;
}

}  // namespace

PivotTreeStore::PivotTreeStore(const SamplingPlan& plan, std::uint64_t problems,
                               std::uint64_t trajectories) {
  const ItemRunner& runner = item_runner();
  const auto& law = std::get<SetValuedPlan>(plan.law);
  if (!runner.uses_trees(plan) || trajectories < least_trajectories) return;
  const bool many = problems > most_problems;
  if (many && law.solutions == Solutions::first) return;
  const std::uint64_t pilots = many ? 0 : std::min(trajectories / part, most_pilots);
  const auto nodes = std::make_unique_for_overwrite<PivotNode[]>(PivotTree::most);
  const auto leaves = std::make_unique_for_overwrite<PivotLeaf[]>(PivotTree::most);
  const auto children = std::make_unique_for_overwrite<std::int16_t[]>(most_children);
  // A copy of the learned tree, without spare memory.
  const auto keep = [](auto*& learned, std::int32_t count, auto& owners) {
    using Item = std::remove_reference_t<decltype(*learned)>;
    auto& own = owners.emplace_back(
        std::make_unique_for_overwrite<Item[]>(static_cast<std::size_t>(count)));
    learned = std::copy_n(learned, count, own.get()) - count;
  };
  SampleSet outcomes;  // not used
  outcomes.resize(plan.rows, pilots);
  for (std::uint64_t problem = 0; problem < problems; ++problem) {
    PivotTree tree{nodes.get(),     leaves.get(),    children.get(), 0, 0, 0, 0,
                   PivotTree::most, PivotTree::most, most_children};
    if (law.solutions == Solutions::table) list_modes(law.modes[problem], tree);
    runner.learning_items(plan, problem * plan.trajectories, pilots, view_of(outcomes), tree);
    keep(tree.node, tree.nodes, nodes_);
    keep(tree.leaf, tree.leaves, leaves_);
    keep(tree.child, tree.children, children_);
    trees_.push_back(tree);
  }
}

}  // namespace carom
