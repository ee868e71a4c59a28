#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// A greedy epsilon-net of velocities, built in the order of insertion: a velocity becomes a member
/// unless an earlier member lies within epsilon of it. Hence every offered velocity is within
/// epsilon of a member (cover), and members are farther than epsilon apart (packing).
class EpsilonNet {
 public:
  /// @param dimension nv
  /// @param epsilon > 0, in units of the metric
  /// @param metric nv x nv matrix F: the distance of a and b is |F (a - b)|_2; empty for the
  /// Euclidean norm
  /// @throws InputError unless epsilon is finite and > 0
  EpsilonNet(int dimension, double epsilon, const Eigen::MatrixXd& metric = {});
  ~EpsilonNet();
  EpsilonNet(EpsilonNet&&) noexcept;
  EpsilonNet& operator=(EpsilonNet&&) noexcept;

  /// Offers the outcomes (status `separated`) of `samples` in order; threads 0 = all.
  /// @throws InputError if the rows do not come after the members
  void add(const SampleSet& samples, int threads = 0);
  /// Offers outcomes of other trajectories, in the order of their indices.
  /// @param index ascending
  /// @param velocity rows of nv numbers, one per index, m/s
  /// @throws InputError if sizes do not agree, or the rows do not come after the members
  void add(const std::vector<std::uint64_t>& index, const std::vector<double>& velocity,
           int threads = 0);
  /// Rows of `samples` whose outcome lies farther than epsilon from every member. Among rows that
  /// come after the members' trajectories, only these can still become members.
  std::vector<std::size_t> uncovered(const SampleSet& samples, int threads = 0) const;
  /// Offers an outcome (nv) that is none of a trajectory. Returns whether it becomes a member.
  /// @param index sought_index or searched_index plus its number, above those of the members
  /// @throws InputError if the index is another, or there is no velocity
  bool add_found(std::uint64_t index, const double* velocity);
  /// Restores the members of an earlier net, in their order: ascending indices, velocity size x nv.
  /// @throws InputError if sizes do not agree or indices do not ascend
  void restore(const std::vector<std::uint64_t>& index, const std::vector<double>& velocity);

  /// Indices from this value on belong to outcomes of PostImpactSet::sought, ...
  static constexpr std::uint64_t sought_index = std::uint64_t{1} << 63;
  /// ... and from this one on to those of PostImpactSet::search.
  static constexpr std::uint64_t searched_index = sought_index + (sought_index >> 1);

  /// Number of members.
  std::size_t size() const;
  /// Epsilon as given to the constructor, in units of the metric.
  double epsilon() const;
  /// Metric F as given to the constructor; empty for the Euclidean norm.
  const Eigen::MatrixXd& metric() const;
  /// Trajectory index of each member, ascending; sought_index or searched_index + number for one
  /// of no trajectory.
  const std::vector<std::uint64_t>& index() const;
  /// Velocities of the members, size x nv, row-major, in the order of index().
  const std::vector<double>& velocity() const;
  /// velocity() as a matrix, size x nv; valid until the net changes.
  RowMatrixView velocity_rows() const;
  /// Distance from a velocity (nv) to the nearest member; infinity while the net is empty.
  /// @throws InputError if there is no velocity
  double distance(const double* velocity) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The metric of a norm for EpsilonNet: empty for Euclidean, L' with M = L L' for kinetic.
/// @throws InputError if M is not positive definite
Eigen::MatrixXd net_metric(const ImpactProblem& problem, Norm norm);

/// K outcomes chosen one after the other, each the farthest from the previous ones.
struct NetSelection {
  std::vector<std::uint64_t> index;  ///< K trajectories, in the order of their choice
  std::vector<double> velocity;      ///< K x nv, row-major: their outcomes
  double epsilon = 0.0;  ///< every outcome of the run lies within epsilon of a chosen one

  /// `velocity` as a matrix, K x nv.
  RowMatrixView velocity_rows() const {
    const auto rows = static_cast<Eigen::Index>(index.size());
    return {velocity.data(), rows,
            rows == 0 ? 0 : static_cast<Eigen::Index>(velocity.size()) / rows};
  }
};

/// Farthest-point selection among the outcomes of trajectories [0, trajectories), starting with the
/// first outcome; ties take the lower index. The trajectories are sampled again.
/// @throws InputError if K is above the number of distinct outcomes, or if the distinct outcomes do
/// not fit into memory (2 GiB).
NetSelection farthest_points(const ImpactProblem& problem, const SamplingOptions& options,
                             std::uint64_t size);

/// Result of checking a net against all outcomes, sampled again.
struct NetCheck {
  double cover = 0.0;    ///< greatest distance from an outcome of the run to the net
  double packing = 0.0;  ///< least distance between two members; infinity for one member
  bool holds = false;    ///< cover <= epsilon < packing
};

/// Samples trajectories [0, trajectories) again and finds the nearest member of each outcome with a
/// static k-d tree.
/// @throws InputError if problem or options break a rule, or the net has another nv
NetCheck check_net(const ImpactProblem& problem, const SamplingOptions& options,
                   const EpsilonNet& net);

/// Greatest distance from a row of `from` (rows x nv) to the nearest row of `to`, in the metric F
/// (see EpsilonNet); infinity if `to` is empty and `from` is not.
/// @throws InputError if a size is no multiple of the dimension
double directed_hausdorff(const std::vector<double>& from, const std::vector<double>& to,
                          int dimension, const Eigen::MatrixXd& metric = {});

}  // namespace carom
