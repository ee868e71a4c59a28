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
  group_points();
}

void NetForest::search(NearestPoint& nearest) const {
  for (const auto& tree : trees_) {
    nearest.start_at(tree->range.first);
    tree->index.findNeighbors(nearest, nearest.query(), nanoflann::SearchParams());
    if (nearest.done()) return;
  }
}

bool NetForest::covers(const double* query, double squared) const {
  if (groups_.empty()) {
    NearestPoint nearest(points_, query, squared, squared);
    search(nearest);
    return nearest.found();
  }
  using Group = Eigen::Array<double, lanes, 1>;
  for (const double* group = groups_.data(); group != groups_.data() + groups_.size();) {
    Group sum = Group::Zero();
    for (std::size_t j = 0; j < points_.dimension; ++j, group += lanes) {
      sum += (Eigen::Map<const Group>(group) - query[j]).square();
    }
    if (sum.minCoeff() <= squared) return true;  // often by those that were found first
  }
  return false;
}

void NetForest::group_points() {
  constexpr std::size_t few = 64;  // all of them are as quick as a search
  const std::size_t size = points_.size();
  const std::size_t nv = points_.dimension;
  groups_.clear();
  if (size > few) return;
  groups_.resize((size + lanes - 1) / lanes * lanes * nv, NearestPoint::unbounded);
  for (std::size_t i = 0; i < size; ++i) {
    double* const group = &groups_[i / lanes * lanes * nv];
    for (std::size_t j = 0; j < nv; ++j) group[j * lanes + i % lanes] = points_[i][j];
  }
}

}  // namespace carom
