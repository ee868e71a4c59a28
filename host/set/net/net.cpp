#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "host/problem/decompositions.hpp"
#include "host/set/net/net_forest.hpp"
#include "host/set/net/net_points.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {

namespace {

/// Velocities offered to a net.
struct Rows {
  const std::uint64_t* index = nullptr;  // null: first + row
  std::uint64_t first = 0;
  const Status* status = nullptr;  // null: all are outcomes
  const std::vector<double>* velocity = nullptr;
  std::size_t size = 0;

  bool is_outcome(std::size_t row) const {
    return status == nullptr || status[row] == Status::separated;
  }
  std::uint64_t index_of(std::size_t row) const {
    return index == nullptr ? first + row : index[row];
  }
};

Rows rows_of(const SampleSet& samples, std::size_t nv) {
  if (samples.velocity.size() != samples.size() * nv) {
    throw InputError(
        fmt::format("the samples have {} velocity entries in {} rows (must be {}, rows "
                    "times nv)",
                    samples.velocity.size(), samples.size(), samples.size() * nv));
  }
  return {.first = samples.first,
          .status = samples.status.data(),
          .velocity = &samples.velocity,
          .size = samples.size()};
}

void require_numbers(const double* velocity) {
  if (velocity == nullptr) throw InputError("velocity is null (must have nv numbers)");
}

/// Checks that each index has a row, and that indices ascend.
void require_members(const std::vector<std::uint64_t>& index, const std::vector<double>& velocity,
                     std::size_t nv) {
  if (velocity.size() != index.size() * nv) {
    throw InputError(fmt::format("net has {} velocity entries (must be {}, members times nv)",
                                 velocity.size(), index.size() * nv));
  }
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!std::ranges::all_of(velocity, is_finite)) {
    throw InputError("a velocity has an entry that is no number (must be finite)");
  }
  if (std::adjacent_find(index.begin(), index.end(), std::greater_equal<>()) != index.end()) {
    throw InputError("the members' indices do not ascend (must, each once)");
  }
}

}  // namespace

struct EpsilonNet::State {
  State(int dimension, double eps, const Eigen::MatrixXd& f)
      : epsilon(eps), metric(f), points{static_cast<std::size_t>(dimension), {}}, forest(points) {}

  double epsilon;
  Eigen::MatrixXd metric;
  NetPoints points;
  NetForest forest;
  std::vector<std::uint64_t> index;
  std::vector<double> velocity;

  bool covered_by_settled(const double* point) const {
    return forest.covers(point, epsilon * epsilon);
  }

  bool covered_by_new(const double* point) const {
    for (std::size_t i = forest.settled(); i < index.size(); ++i) {
      if (points.squared_distance(i, point) <= epsilon * epsilon) return true;
    }
    return false;
  }

  void append(std::uint64_t trajectory, const double* velocity_row, const double* point) {
    const std::size_t nv = points.dimension;
    index.push_back(trajectory);
    velocity.insert(velocity.end(), velocity_row, velocity_row + nv);
    points.coordinates.insert(points.coordinates.end(), point, point + nv);
  }

  /// Members stay in the order of their indices.
  void require_next(std::uint64_t first, const char* what) const {
    if (index.empty() || first > index.back()) return;
    throw InputError(
        fmt::format("{} {} is offered to a net (must come after its members)", what, first));
  }

  /// Writes the points of rows [begin, end), and which of them no settled member covers.
  void find_open(const Rows& rows, std::size_t begin, std::size_t end, std::vector<double>& points,
                 std::vector<char>& open) const;
  void add_rows(const Rows& rows, std::size_t begin, std::size_t end);
  void add(const Rows& rows, int threads);
};

void require_metric(int dimension, const Eigen::MatrixXd& metric) {
  if (dimension < 1) {
    throw InputError(fmt::format("dimension is {} (must be at least 1)", dimension));
  }
  if (metric.size() == 0) return;
  if (metric.rows() != dimension || metric.cols() != dimension) {
    throw InputError(fmt::format("metric is {} x {} (must be {} x {}, or empty)", metric.rows(),
                                 metric.cols(), dimension, dimension));
  }
  if (!metric.allFinite()) throw InputError("metric has a nan or inf (must be finite)");
}

EpsilonNet::EpsilonNet(int dimension, double epsilon, const Eigen::MatrixXd& metric) {
  if (!(epsilon > 0.0) || !std::isfinite(epsilon)) {
    throw InputError(fmt::format("epsilon is {} (must be > 0)", epsilon));
  }
  require_metric(dimension, metric);
  state_ = std::make_unique<State>(dimension, epsilon, metric);
}

EpsilonNet::~EpsilonNet() = default;
EpsilonNet::EpsilonNet(EpsilonNet&&) noexcept = default;
EpsilonNet& EpsilonNet::operator=(EpsilonNet&&) noexcept = default;

void EpsilonNet::State::find_open(const Rows& rows, std::size_t begin, std::size_t end,
                                  std::vector<double>& its_points, std::vector<char>& open) const {
  const std::size_t nv = points.dimension;
  its_points.resize((end - begin) * nv);
  open.assign(end - begin, 0);
  constexpr std::size_t grain = 64;  // rows: about 0.1 ms in a large net
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(begin, end, grain),
                            [&](const auto& range) {
                              for (std::size_t row = range.begin(); row < range.end(); ++row) {
                                if (!rows.is_outcome(row)) continue;
                                double* const its_point = &its_points[(row - begin) * nv];
                                to_coordinates(metric, nv, &(*rows.velocity)[row * nv], its_point);
                                open[row - begin] = covered_by_settled(its_point) ? 0 : 1;
                              }
                            });
}

/// Most outcomes lie near old members: finds these outcomes in parallel, and compares only the
/// others, in order, with the new members from these rows.
void EpsilonNet::State::add_rows(const Rows& rows, std::size_t begin, std::size_t end) {
  const std::size_t nv = points.dimension;
  std::vector<double> point;
  std::vector<char> open;
  find_open(rows, begin, end, point, open);
  for (std::size_t row = begin; row < end; ++row) {
    const double* const its_point = &point[(row - begin) * nv];
    if (open[row - begin] == 0 || covered_by_new(its_point)) continue;
    append(rows.index_of(row), &(*rows.velocity)[row * nv], its_point);
  }
}

void EpsilonNet::State::add(const Rows& rows, int threads) {
  if (rows.size == 0) return;
  require_next(rows.index_of(0), "trajectory");
  // Rows that few members of their own block must be compared with, one after the other.
  constexpr std::size_t few_members = 64;
  constexpr std::size_t many_members = 256;
  constexpr std::size_t most_rows = 65536;
  std::size_t block = many_members;
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] {
    for (std::size_t begin = 0; begin < rows.size;) {
      const std::size_t end = std::min(begin + block, rows.size);
      add_rows(rows, begin, end);
      begin = end;
      const std::size_t added = index.size() - forest.settled();
      if (added < few_members) block = std::min(2 * block, most_rows);
      if (added > many_members) block = std::max(block / 2, many_members);
      forest.settle();
    }
  });
}

void EpsilonNet::add(const SampleSet& samples, int threads) {
  state_->add(rows_of(samples, state_->points.dimension), threads);
}

void EpsilonNet::add(const std::vector<std::uint64_t>& index, const std::vector<double>& velocity,
                     int threads) {
  require_members(index, velocity, state_->points.dimension);
  state_->add({.index = index.data(), .velocity = &velocity, .size = index.size()}, threads);
}

std::vector<std::size_t> EpsilonNet::uncovered(const SampleSet& samples, int threads) const {
  std::vector<double> points;
  std::vector<char> open;
  const Rows offered = rows_of(samples, state_->points.dimension);
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] { state_->find_open(offered, 0, samples.size(), points, open); });
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < open.size(); ++row) {
    if (open[row] != 0) rows.push_back(row);
  }
  return rows;
}

bool EpsilonNet::add_found(std::uint64_t index, const double* velocity) {
  require_numbers(velocity);
  if (index < sought_index) {
    throw InputError(fmt::format("index of an outcome of no trajectory is {} (must be at least {})",
                                 index, sought_index));
  }
  state_->require_next(index, "outcome of no trajectory,");
  std::vector<double> point(state_->points.dimension);
  to_coordinates(state_->metric, point.size(), velocity, point.data());
  if (state_->covered_by_settled(point.data())) return false;
  state_->append(index, velocity, point.data());
  state_->forest.settle();
  return true;
}

void EpsilonNet::restore(const std::vector<std::uint64_t>& index,
                         const std::vector<double>& velocity) {
  const std::size_t nv = state_->points.dimension;
  require_members(index, velocity, nv);
  if (index.empty()) return;
  std::vector<double> point(nv);
  state_->require_next(index.front(), "member");
  for (std::size_t i = 0; i < index.size(); ++i) {
    to_coordinates(state_->metric, nv, &velocity[i * nv], point.data());
    state_->append(index[i], &velocity[i * nv], point.data());
  }
  state_->forest.settle();
}

std::size_t EpsilonNet::size() const { return state_->index.size(); }
double EpsilonNet::epsilon() const { return state_->epsilon; }
const Eigen::MatrixXd& EpsilonNet::metric() const { return state_->metric; }
const std::vector<std::uint64_t>& EpsilonNet::index() const { return state_->index; }
const std::vector<double>& EpsilonNet::velocity() const { return state_->velocity; }

RowMatrixView EpsilonNet::velocity_rows() const {
  return {velocity().data(), static_cast<Eigen::Index>(size()),
          static_cast<Eigen::Index>(state_->points.dimension)};
}

double EpsilonNet::distance(const double* velocity) const {
  require_numbers(velocity);
  std::vector<double> point(state_->points.dimension);
  to_coordinates(state_->metric, point.size(), velocity, point.data());
  NearestPoint nearest(state_->points, point.data());
  state_->forest.search(nearest);
  return std::sqrt(nearest.squared());
}

Eigen::MatrixXd net_metric(const ImpactProblem& problem, Norm norm) {
  if (norm == Norm::euclidean) return {};
  const Eigen::MatrixXd& mass = problem.mass_matrix;
  const bool is_square = mass.rows() == mass.cols() && mass.rows() > 0;
  const std::optional<Cholesky> factors = is_square ? std::optional<Cholesky>(mass) : std::nullopt;
  if (!factors || !factors->succeeded()) {
    throw InputError("mass_matrix is not positive definite (must be, for the kinetic norm)");
  }
  return factors->lower().transpose();
}

}  // namespace carom
