#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace carom {

/// Velocities as points of a metric's coordinates F v, for nets and k-d trees.
struct NetPoints {
  std::size_t dimension = 0;
  std::vector<double> coordinates;  ///< size x dimension, row-major

  std::size_t size() const { return coordinates.size() / dimension; }
  const double* operator[](std::size_t index) const { return &coordinates[index * dimension]; }
  double squared_distance(std::size_t index, const double* point) const {
    const double* member = (*this)[index];
    double sum = 0.0;
    for (std::size_t j = 0; j < dimension; ++j) {
      const double difference = member[j] - point[j];
      sum += difference * difference;
    }
    return sum;
  }
};

/// @throws InputError unless there are velocities, and the metric F is empty or has as many rows
/// and columns, all finite
void require_metric(int dimension, const Eigen::MatrixXd& metric);

/// Writes F v to `point`; an empty F is the identity.
inline void to_coordinates(const Eigen::MatrixXd& metric, std::size_t dimension,
                           const double* velocity, double* point) {
  if (metric.size() == 0) {
    std::copy(velocity, velocity + dimension, point);
    return;
  }
  const auto nv = static_cast<Eigen::Index>(dimension);
  for (Eigen::Index i = 0; i < nv; ++i) {
    point[i] = 0.0;
    for (Eigen::Index j = 0; j < nv; ++j) point[i] += metric(i, j) * velocity[j];
  }
}

/// The points of `velocities`, rows x dimension.
inline NetPoints to_points(const Eigen::MatrixXd& metric, std::size_t dimension,
                           const std::vector<double>& velocities) {
  NetPoints points{dimension, std::vector<double>(velocities.size())};
  for (std::size_t at = 0; at < velocities.size(); at += dimension) {
    to_coordinates(metric, dimension, &velocities[at], &points.coordinates[at]);
  }
  return points;
}

/// Consecutive points in the form that nanoflann reads.
struct NetRange {
  const NetPoints* points = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;

  std::size_t kdtree_get_point_count() const { return count; }
  double kdtree_get_pt(std::size_t index, std::size_t axis) const {
    return (*points)[first + index][axis];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// Searches trees for the point nearest to a query, among those within a bound; ends early if any
/// point that is near enough suffices. A tree only proposes candidates: its pruning rounds
/// differently, so the search goes a little farther and NetPoints decides. All distances are
/// squared.
class NearestPoint {
 public:
  static constexpr double unbounded = std::numeric_limits<double>::infinity();

  /// @param bound points farther away do not count
  /// @param enough the search ends at a point within this distance; negative: at the nearest
  NearestPoint(const NetPoints& points, const double* query, double bound = unbounded,
               double enough = -1.0)
      : points_(points), query_(query), bound_(bound), enough_(enough) {}

  /// Leaves one point out.
  void skip(std::size_t index) { skipped_ = index; }
  /// Index of a tree's first point.
  void start_at(std::size_t first) { first_ = first; }

  const double* query() const { return query_; }
  bool done() const { return squared_ <= enough_; }
  bool found() const { return squared_ < unbounded; }
  /// Infinity if nothing was found.
  double squared() const { return squared_; }

  // The interface of nanoflann's result sets, with nanoflann's names.
  // NOLINTBEGIN(readability-identifier-naming)
  using DistanceType = double;
  using IndexType = std::size_t;
  bool addPoint(double, std::size_t index) {
    const std::size_t point = first_ + index;
    if (point == skipped_) return true;
    const double squared = points_.squared_distance(point, query_);
    if (squared <= bound_ && squared < unbounded) {
      bound_ = squared;
      squared_ = squared;
    }
    return !done();
  }
  double worstDist() const {
    constexpr double margin = 1.0 + 1e-9;  // far above the rounding of a sum of squares
    return std::max(bound_ * margin, std::numeric_limits<double>::min());
  }
  // NOLINTEND(readability-identifier-naming)
  bool full() const { return true; }
  std::size_t size() const { return found() ? 1 : 0; }

 private:
  const NetPoints& points_;
  const double* query_;
  double bound_;
  double enough_;
  std::size_t first_ = 0;
  std::size_t skipped_ = std::numeric_limits<std::size_t>::max();
  double squared_ = unbounded;  // of the nearest point so far
};

}  // namespace carom
