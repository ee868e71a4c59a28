#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>

#include "carom/error.hpp"
#include "carom/post_impact_set.hpp"
#include "kernels/launch.hpp"

namespace carom {

namespace {

/// Net members as points of the metric's coordinates F v, for the k-d tree.
struct Points {
  std::size_t dimension = 0;
  std::vector<double> coordinates;

  std::size_t kdtree_get_point_count() const { return coordinates.size() / dimension; }
  double kdtree_get_pt(std::size_t index, std::size_t axis) const {
    return coordinates[index * dimension + axis];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
  double squared_distance(std::size_t index, const double* point) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < dimension; ++j) {
      const double difference = coordinates[index * dimension + j] - point[j];
      sum += difference * difference;
    }
    return sum;
  }
};

using Tree =
    nanoflann::KDTreeSingleIndexDynamicAdaptor<nanoflann::L2_Simple_Adaptor<double, Points>, Points,
                                               -1, std::size_t>;

/// Ends a tree search at the first member within the radius. The tree only proposes: its pruning
/// rounds differently, so it searches a little further and Points decides.
class FirstWithin {
 public:
  FirstWithin(const Points& points, const double* query, double squared_radius)
      : points_(points), query_(query), squared_radius_(squared_radius) {}

  bool found() const { return found_; }

  // What nanoflann asks of a result set, under its names.
  // NOLINTBEGIN(readability-identifier-naming)
  using DistanceType = double;
  using IndexType = std::size_t;
  bool addPoint(double, std::size_t index) {
    found_ = found_ || points_.squared_distance(index, query_) <= squared_radius_;
    return !found_;
  }
  double worstDist() const {
    constexpr double margin = 1.0 + 1e-9;  // far above the rounding of a sum of squares
    return std::max(squared_radius_ * margin, std::numeric_limits<double>::min());
  }
  // NOLINTEND(readability-identifier-naming)
  bool full() const { return true; }
  std::size_t size() const { return found_ ? 1 : 0; }

 private:
  const Points& points_;
  const double* query_;
  double squared_radius_;
  bool found_ = false;
};

}  // namespace

struct EpsilonNet::State {
  State(int dimension, double eps, const Eigen::MatrixXd& f)
      : epsilon(eps),
        metric(f),
        points{static_cast<std::size_t>(dimension), {}},
        tree(dimension, points) {}

  double epsilon;
  Eigen::MatrixXd metric;
  Points points;
  Tree tree;
  std::vector<std::uint64_t> index;
  std::vector<double> velocity;

  void transform(const double* velocity_row, double* point) const {
    const Eigen::Index nv = static_cast<Eigen::Index>(points.dimension);
    for (Eigen::Index i = 0; i < nv; ++i) {
      if (metric.size() == 0) {
        point[i] = velocity_row[i];
        continue;
      }
      point[i] = 0.0;
      for (Eigen::Index j = 0; j < nv; ++j) point[i] += metric(i, j) * velocity_row[j];
    }
  }

  bool covered(const double* point) const {
    FirstWithin result(points, point, epsilon * epsilon);
    tree.findNeighbors(result, point, nanoflann::SearchParams());
    return result.found();
  }

  void insert(std::uint64_t trajectory, const double* velocity_row, const double* point) {
    const std::size_t nv = points.dimension;
    index.push_back(trajectory);
    velocity.insert(velocity.end(), velocity_row, velocity_row + nv);
    points.coordinates.insert(points.coordinates.end(), point, point + nv);
    tree.addPoints(index.size() - 1, index.size() - 1);
  }
};

EpsilonNet::EpsilonNet(int dimension, double epsilon, const Eigen::MatrixXd& metric) {
  if (!(epsilon > 0.0) || !std::isfinite(epsilon)) {
    throw InputError("epsilon is " + std::to_string(epsilon) + " (must be > 0)");
  }
  state_ = std::make_unique<State>(dimension, epsilon, metric);
}

EpsilonNet::~EpsilonNet() = default;
EpsilonNet::EpsilonNet(EpsilonNet&&) noexcept = default;
EpsilonNet& EpsilonNet::operator=(EpsilonNet&&) noexcept = default;

void EpsilonNet::add(const SampleSet& samples, int threads) {
  const std::size_t nv = state_->points.dimension;
  const std::size_t rows = samples.size();
  std::vector<double> point(rows * nv);
  std::vector<char> open(rows, 0);

  // Most outcomes lie near old members: find those in parallel, offer only the others in order.
  constexpr std::size_t grain = 256;
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] {
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, rows, grain),
                              [&](const auto& range) {
                                for (std::size_t r = range.begin(); r < range.end(); ++r) {
                                  if (samples.status[r] != Status::separated) continue;
                                  state_->transform(&samples.velocity[r * nv], &point[r * nv]);
                                  open[r] = state_->covered(&point[r * nv]) ? 0 : 1;
                                }
                              });
  });
  for (std::size_t r = 0; r < rows; ++r) {
    if (open[r] == 0 || state_->covered(&point[r * nv])) continue;
    state_->insert(samples.first + r, &samples.velocity[r * nv], &point[r * nv]);
  }
}

void EpsilonNet::restore(const std::vector<std::uint64_t>& index,
                         const std::vector<double>& velocity) {
  const std::size_t nv = state_->points.dimension;
  if (velocity.size() != index.size() * nv) {
    throw InputError("net has " + std::to_string(velocity.size()) + " velocity entries (must be " +
                     std::to_string(index.size() * nv) + ", members times nv)");
  }
  std::vector<double> point(nv);
  for (std::size_t i = 0; i < index.size(); ++i) {
    state_->transform(&velocity[i * nv], point.data());
    state_->insert(index[i], &velocity[i * nv], point.data());
  }
}

std::size_t EpsilonNet::size() const { return state_->index.size(); }
double EpsilonNet::epsilon() const { return state_->epsilon; }
const std::vector<std::uint64_t>& EpsilonNet::index() const { return state_->index; }
const std::vector<double>& EpsilonNet::velocity() const { return state_->velocity; }

double EpsilonNet::distance(const double* velocity) const {
  if (size() == 0) return std::numeric_limits<double>::infinity();
  std::vector<double> point(state_->points.dimension);
  state_->transform(velocity, point.data());
  std::size_t nearest = 0;
  double squared = 0.0;
  nanoflann::KNNResultSet<double, std::size_t> result(1);
  result.init(&nearest, &squared);
  state_->tree.findNeighbors(result, point.data(), nanoflann::SearchParams());
  return std::sqrt(state_->points.squared_distance(nearest, point.data()));
}

Eigen::MatrixXd net_metric(const ImpactProblem& problem, Norm norm) {
  if (norm == Norm::euclidean) return {};
  return problem.mass_matrix.llt().matrixU();
}

}  // namespace carom
