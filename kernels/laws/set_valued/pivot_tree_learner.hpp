#pragma once

#include <cmath>

#include "kernels/laws/set_valued/pivot_tree.hpp"
#include "kernels/lcp/lemke.hpp"

namespace carom::inline CAROM_ISA {

/// Adds the path of one LCP to a tree, unless the tree is full.
class PivotTreeLearner {
 public:
  explicit PivotTreeLearner(PivotTree& tree) : tree_(tree) {}

  template <class Method>
  void decided(const Method& method, const typename Method::Decision& decision) {
    if (lost_) return;
    if (!find_node(method, decision)) {
      lost_ = true;
      return;
    }
    const PivotNode& node = tree_.node[node_];
    int tied = 0;
    int lane = 0;
    for (std::uint32_t left = node.limits; left != 0; left &= left - 1, ++lane) {
      if (decision.tied.has(__builtin_ctz(left))) tied |= 1 << lane;
    }
    link_ = &tree_.child[node.children + tied];
  }

  /// @param map impulses x inputs, row-major
  template <class Method>
  void solved(const Method& method, const double* map) {
    if (lost_ || link_ == nullptr || *link_ != 0 || tree_.leaves == tree_.most_leaves ||
        tree_.leaves == PivotTree::most) {
      return;
    }
    PivotLeaf& leaf = tree_.leaf[tree_.leaves];
    for (int i = 0; i < PivotLeaf::impulses; ++i) {
      for (int j = 0; j < PivotNode::inputs; ++j) leaf.map[j][i] = map[i * PivotNode::inputs + j];
    }
    leaf.pivots = method.pivots();
    *link_ = static_cast<std::int16_t>(-1 - tree_.leaves++);
  }

 private:
  template <class Method>
  bool find_node(const Method& method, const typename Method::Decision& decision) {
    if (link_ != nullptr && *link_ != 0) {
      node_ = *link_;
      return node_ > 0;
    }
    if (link_ == nullptr && tree_.nodes > 0) {
      node_ = 0;
      return true;
    }
    if (tree_.nodes == tree_.most_nodes || tree_.nodes == PivotTree::most) return false;
    PivotNode& node = tree_.node[tree_.nodes];
    if (!fill(method, decision, node)) return false;
    node.children = tree_.children;
    if (tree_.most_children - tree_.children < 1 << node.count) return false;
    for (int i = 0; i < 1 << node.count; ++i) tree_.child[tree_.children++] = 0;
    node_ = tree_.nodes++;
    if (link_ != nullptr) *link_ = static_cast<std::int16_t>(node_);
    return true;
  }

  template <class Method>
  static bool fill(const Method& method, const typename Method::Decision& decision,
                   PivotNode& node) {
    node = PivotNode{};
    for (PivotNode::Half& half : node.half) {
      for (int lane = 0; lane < PivotNode::lanes; ++lane) {
        half.inverse[lane] = 1.0;
        half.floor[lane] = INFINITY;
      }
    }
    for (int limit = 0; limit < Method::limits; ++limit) {
      const double slope = method.limit_slope(limit, decision);
      if (!(decision.floor < slope)) continue;
      if (node.count == PivotNode::most_limits) return false;
      PivotNode::Half& half = node.half[node.count / PivotNode::lanes];
      const int lane = node.count % PivotNode::lanes;
      for (int j = 0; j < PivotNode::inputs; ++j) {
        half.map[j][lane] = method.limit_map(limit, j);
      }
      half.inverse[lane] = 1.0 / slope;
      half.floor[lane] = decision.first ? -INFINITY : 0.0;
      node.limits |= 1u << limit;
      ++node.count;
    }
    return true;
  }

  PivotTree& tree_;
  std::int16_t* link_ = nullptr;
  int node_ = 0;
  bool lost_ = false;
};

}  // namespace carom::inline CAROM_ISA
