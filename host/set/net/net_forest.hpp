#pragma once

#include <memory>
#include <vector>

#include "host/set/net/net_points.hpp"

namespace carom {

/// k-d trees over a growing list of points. Each tree covers consecutive points, the largest tree
/// first; trees merge so that their sizes decrease geometrically and a search visits few trees.
class NetForest {
 public:
  explicit NetForest(const NetPoints& points);
  ~NetForest();

  /// Adds the points that are new since the last call.
  void settle();
  /// Number of points in the trees; later points are not searched.
  std::size_t settled() const;
  void search(NearestPoint& nearest) const;
  /// Whether a point lies within this squared distance: as search() decides.
  bool covers(const double* query, double squared) const;

 private:
  static constexpr int lanes = 4;
  struct Tree;
  void group_points();

  const NetPoints& points_;
  std::vector<std::unique_ptr<Tree>> trees_;
  /// If the points are few: `lanes` of them side by side, coordinate by coordinate.
  std::vector<double> groups_;
};

}  // namespace carom
