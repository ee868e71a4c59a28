#pragma once

#include <cstddef>
#include <cstdint>

namespace carom {

/// One decision of Lemke's method on a known path: the ratios of all its limits as a function of
/// the step's inputs, and the next decision.
struct alignas(64) PivotNode {
  static constexpr int inputs = 6;  ///< of two contacts in the plane
  static constexpr int lanes = 8;   ///< limits side by side
  static constexpr int most_limits = 2 * lanes;

  struct Half {
    double map[inputs][lanes];  ///< ratio = larger(map input, floor) * inverse
    double inverse[lanes];
    /// Lower bound of numerators: 0, or minus infinity for the first decision; infinity in lanes
    /// without a limit, so that their ratio is infinite.
    double floor[lanes];
  };
  Half half[2];
  std::uint32_t limits;   ///< Lemke::Limits of the lanes, ascending, as bits
  std::int32_t count;     ///< number of limits; the second half is used only above `lanes`
  std::int32_t children;  ///< index in PivotTree::child of the first of 2^count children
};

/// The end of a path: the solution's map.
struct alignas(64) PivotLeaf {
  static constexpr int impulses = 4;

  double map[PivotNode::inputs][impulses];  ///< by columns
  std::int32_t pivots;
};

/// The pivot paths of Lemke's method on steps of one problem. Following a path gives the bits of
/// the method for the cost of its ratio tests. Node 0 is the first decision. For Solutions::table
/// the first leaves are the contact modes of the problem's table.
struct PivotTree {
  static constexpr int most = 1024;  ///< greatest number of nodes, and of leaves

  PivotNode* node = nullptr;
  PivotLeaf* leaf = nullptr;
  /// Children of each node, by set of tied lanes: 0 unknown; i > 0 node i, which comes after its
  /// parent; i < 0 leaf -1 - i.
  std::int16_t* child = nullptr;
  std::int32_t nodes = 0;
  std::int32_t leaves = 0;
  std::int32_t children = 0;
  std::int32_t modes = 0;  ///< leaves that are contact modes
  std::int32_t most_nodes = 0;
  std::int32_t most_leaves = 0;
  std::int32_t most_children = 0;

  /// Calls array(pointer, count) for every array.
  template <class Array>
  void for_each_array(Array&& array) {
    array(node, static_cast<std::size_t>(nodes));
    array(leaf, static_cast<std::size_t>(leaves));
    array(child, static_cast<std::size_t>(children));
  }

  /// Removes everything except the contact modes.
  void forget() {
    nodes = 0;
    leaves = modes;
    children = 0;
  }
};

}  // namespace carom
