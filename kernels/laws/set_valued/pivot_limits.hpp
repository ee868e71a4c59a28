#pragma once

#include "kernels/base/lanes.hpp"
#include "kernels/laws/set_valued/pivot_tree.hpp"
#include "kernels/lcp/lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// Limits of a decision side by side, one per lane of `Group`, a type of Lanes.
template <class Group>
class PivotLimits {
 public:
  CAROM_HOT PivotLimits() = default;
  /// Limits first, first + 1, ... of a node.
  CAROM_HOST_DEVICE CAROM_HOT PivotLimits(const PivotNode& node, int first) {
    const PivotNode::Half& half = node.half[first / PivotNode::lanes];
    const int at = first % PivotNode::lanes;
    for (int j = 0; j < PivotNode::inputs; ++j) map_[j] = Group::load(half.map[j] + at);
    inverse_ = Group::load(half.inverse + at);
    floor_ = Group::load(half.floor + at);
  }

  /// Ratios of the limits for a step with these inputs.
  CAROM_HOST_DEVICE CAROM_HOT Group ratio(const double* input) const {
    Group constant = map_[0] * Group::all(input[0]);
    for (int j = 1; j < PivotNode::inputs; ++j) {
      constant = fused(map_[j], Group::all(input[j]), constant);
    }
    return larger(constant, floor_) * inverse_;
  }

 private:
  Group map_[PivotNode::inputs];
  Group inverse_;
  Group floor_;
};

/// Which of the ratios tie with the least ratio, as bits.
template <class Group>
CAROM_HOST_DEVICE CAROM_HOT inline std::uint32_t tied_limits(Group ratio, Group least) {
  const Group slack = magnitude(least) * Group::all(LemkeTolerances{}.tie);
  return Group::at_most(ratio - least, slack);
}

}  // namespace carom::inline CAROM_ISA
