#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/laws/set_valued/pivot_limits.hpp"
#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/lcp/lcp_view.hpp"
#include "kernels/modes/mode_enumeration.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom::inline CAROM_ISA {

/// LemkeSolution, or TabulatedSolution for Solutions::table, with the problem's tree alone: one
/// trajectory at a time, for processors without the vectors that TrajectoryBlock needs. The result
/// is `undecided` if the tree does not know the path; else the bits are those of the complete
/// solver.
template <class AnySize>
struct KnownPathSolution {
  using Size = AnySize;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                                           const double* before, double* impulse,
                                           double* after) const {
    const ContactStep<Size> step(problem, before, context.cap);
    StepOutcome outcome;
    if (context.solutions == Solutions::table) {
      const ModeEnumeration<Size> enumeration(problem, *context.modes, step);
      outcome.residual = enumeration.find_first(impulse, after);
      outcome.tabulated = outcome.residual <= residual_tolerance;
      if (outcome.tabulated) return outcome;
    }
    outcome.status = undecided;
    if (!all_take_part(step)) return outcome;
    const PivotTree& tree = *context.tree;
    const int leaf = find_leaf(tree, step.input());
    if (leaf < 0) return outcome;
    double map[inputs * impulses];
    for (int i = 0; i < impulses; ++i) {
      for (int j = 0; j < inputs; ++j) map[i * inputs + j] = tree.leaf[leaf].map[j][i];
    }
    outcome.pivots = tree.leaf[leaf].pivots;
    outcome.residual = step.evaluate(map, impulse, after);
    if (outcome.residual <= residual_tolerance) outcome.status = Status::separated;
    return outcome;
  }

 private:
  using Single = Lanes<double, 1>;
  static constexpr int contacts = 2;
  static constexpr int inputs = PivotNode::inputs;
  static constexpr int impulses = PivotLeaf::impulses;

  /// Whether all unknowns are in use. If not, the method runs on fewer unknowns, or not at all.
  CAROM_HOST_DEVICE static bool all_take_part(const ContactStep<Size>& step) {
    for (int i = 0; i < contacts; ++i) {
      if (!(step.input()[i] > 0.0)) return false;
    }
    return step.velocity_scale() != 0.0;
  }

  /// The leaf at the end of the pivot path for these inputs; -1 if the path is unknown.
  CAROM_HOST_DEVICE static int find_leaf(const PivotTree& tree, const double* input) {
    if (tree.nodes == 0) return -1;
    int number = 0;
    do {
      const PivotNode& node = tree.node[number];
      Single ratio[PivotNode::most_limits];
      Single least{INFINITY};
      CAROM_UNROLL
      for (int limit = 0; limit < PivotNode::most_limits; ++limit) {
        if (limit % 2 == 0 && limit >= node.count) break;  // one without a limit is infinite
        ratio[limit] = PivotLimits<Single>(node, limit).ratio(input);
        least = smaller(least, ratio[limit]);
      }
      unsigned tied = 0;
      CAROM_UNROLL
      for (int limit = 0; limit < PivotNode::most_limits; ++limit) {
        if (limit % 2 == 0 && limit >= node.count) break;
        tied |= tied_limits(ratio[limit], least) != 0 ? 1u << limit : 0u;
      }
      number = tree.child[node.children + static_cast<int>(tied)];
    } while (number > 0);
    return number < 0 ? -1 - number : -1;
  }
};

static_assert(std::is_trivially_copyable_v<KnownPathSolution<TwoPlanarContacts>>);

}  // namespace carom::inline CAROM_ISA
