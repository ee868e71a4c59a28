#include "host/set/net/net_forest.hpp"

#include <nanoflann.hpp>

namespace carom {

struct NetForest::Tree {
  using Distance = nanoflann::L2_Simple_Adaptor<double, NetRange>;
  // Any number of dimensions: fixed ones were no faster (7 of them, 1e5 points).
  using Index = nanoflann::KDTreeSingleIndexAdaptor<Distance, NetRange, -1, std::size_t>;

  Tree(const NetPoints& points, std::size_t first, std::size_t count)
      : range{&points, first, count}, index(static_cast<int>(points.dimension), range) {}

  NetRange range;
  Index index;
};

NetForest::NetForest(const NetPoints& points) : points_(points) {}
NetForest::~NetForest() = default;

std::size_t NetForest::settled() const {
  return trees_.empty() ? 0 : trees_.back()->range.first + trees_.back()->range.count;
}

void NetForest::settle() {
  std::size_t first = settled();
  if (first == points_.size()) return;
  // A tree is merged with the previous tree unless that is at least twice as large: a point moves
  // log2(n) times.
  while (!trees_.empty() && trees_.back()->range.count < 2 * (points_.size() - first)) {
    first = trees_.back()->range.first;
    trees_.pop_back();
  }
  trees_.push_back(std::make_unique<Tree>(points_, first, points_.size() - first));
}

void NetForest::search(NearestPoint& nearest) const {
  for (const auto& tree : trees_) {
    nearest.start_at(tree->range.first);
    tree->index.findNeighbors(nearest, nearest.query(), nanoflann::SearchParams());
    if (nearest.done()) return;
  }
}

}  // namespace carom
