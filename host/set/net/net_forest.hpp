#pragma once

#include <memory>
#include <vector>

#include "host/set/net/net_points.hpp"

namespace carom {

/// k-d trees over points that grow in number. Each tree covers points in a row, the largest tree
/// first; trees merge so that their sizes fall geometrically, and few must be searched.
class NetForest {
 public:
  explicit NetForest(const NetPoints& points);
  ~NetForest();

  /// Takes in the points that were added since.
  void settle();
  /// Points that are in the trees; the others are not searched.
  std::size_t settled() const;
  void search(NearestPoint& nearest) const;

 private:
  struct Tree;
  const NetPoints& points_;
  std::vector<std::unique_ptr<Tree>> trees_;
};

}  // namespace carom
