#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Least and greatest value seen; empty while least > greatest.
struct Range {
  double least = 1.0;
  double greatest = 0.0;
  bool empty() const { return least > greatest; }
  void include(double value);
};

/// Everything counted over a run. Adding trajectories one after the other in the order of their
/// index gives the same bits however they were chunked, so a run can be resumed.
struct Summary {
  std::uint64_t trajectories = 0;
  std::array<std::uint64_t, status_count> status_counts{};  ///< by Status
  std::uint64_t final_steps = 0;             ///< trajectories that needed Algorithm 2's final step
  std::uint64_t lcps = 0;                    ///< of Algorithm 1, all trajectories
  std::uint64_t max_lcps = 0;                ///< of one trajectory
  std::vector<std::uint64_t> lcp_histogram;  ///< N + 1: trajectories with 0, 1, ..., N LCPs
  std::uint64_t pivots = 0;
  std::uint64_t retries = 0;               ///< LCPs that double precision could not decide
  double energy_before = 0.0;              ///< J
  double energy_sum = 0.0;                 ///< over outcomes, J
  Range energy;                            ///< of outcomes, J
  std::vector<Range> normal_velocity;      ///< m, of outcomes, m/s
  std::vector<Range> tangential_velocity;  ///< m d, of outcomes, m/s
  std::uint64_t checksum = 0;              ///< of every trajectory's row
  double seconds = 0.0;                    ///< spent sampling; not reproducible

  std::uint64_t outcomes() const { return status_counts[0]; }
  double mean_lcps() const;
  double mean_energy() const;
  /// Adds the rows of `samples`, which must follow those added before.
  void add(const ImpactProblem& problem, const SampleSet& samples);
};

/// A greedy epsilon-net of velocities, built in the order of insertion: a velocity becomes a
/// member unless a member lies within epsilon of it. Hence every velocity offered is within
/// epsilon of a member (cover), and members are further than epsilon apart (packing).
class EpsilonNet {
 public:
  /// @param dimension nv
  /// @param metric nv x nv matrix F with distance |F (a - b)|_2; empty for the Euclidean norm
  EpsilonNet(int dimension, double epsilon, const Eigen::MatrixXd& metric = {});
  ~EpsilonNet();
  EpsilonNet(EpsilonNet&&) noexcept;
  EpsilonNet& operator=(EpsilonNet&&) noexcept;

  /// Offers the outcomes (status `separated`) of `samples` in order; threads 0 = all.
  void add(const SampleSet& samples, int threads = 0);
  /// Puts back members of an earlier net, in their order.
  void restore(const std::vector<std::uint64_t>& index, const std::vector<double>& velocity);

  std::size_t size() const;
  double epsilon() const;
  /// Trajectory index of each member, ascending.
  const std::vector<std::uint64_t>& index() const;
  /// size x nv, row-major.
  const std::vector<double>& velocity() const;
  /// Distance from a velocity (nv) to the nearest member; infinity while empty.
  double distance(const double* velocity) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The metric of a norm for EpsilonNet: empty for Euclidean, L' with M = L L' for kinetic.
Eigen::MatrixXd net_metric(const ImpactProblem& problem, Norm norm);

/// The approximate post-impact set of one problem (Algorithm 2).
struct PostImpactSet {
  EpsilonNet net;
  Summary summary;
  bool complete = true;  ///< false if stopped before all trajectories were sampled
  double psi = 0.0;
  double final_cap = 0.0;  ///< epsilon / (3 psi), N·s
  Backend backend = Backend::cpu;
  std::string device;
  std::string backend_note;  ///< why an automatic backend is not CUDA, if so
};

/// Told about every chunk in order; returns false to stop after it.
using ChunkObserver = std::function<bool(const SampleSet& chunk, const PostImpactSet& so_far)>;

/// Runs Algorithm 2 for trajectories [summary.trajectories, M): a fresh run, or, given what an
/// earlier one left in `start`, its continuation with the bits of a single run.
PostImpactSet post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                              const ChunkObserver& observer = {});
PostImpactSet continue_post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                                       PostImpactSet start, const ChunkObserver& observer = {});

}  // namespace carom
