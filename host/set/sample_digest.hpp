#pragma once

#include <cstdint>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/sampler.hpp"
#include "carom/summary.hpp"
#include "kernels/launch/launch_digest.hpp"

namespace carom {

/// The contribution of trajectories to a set if their rows are not needed.
struct SampleDigest {
  Summary summary;
  std::vector<OutcomeMode> modes;
  std::vector<std::uint64_t> open_index;  ///< outcomes that no member of the net covers, ascending
  std::vector<double> open_velocity;      ///< open x nv
};

/// Adds the digest of the trajectories that follow.
void join(const ImpactProblem& problem, const SampleDigest& next, SampleDigest& digest);

/// The digest of rows in memory. @param threads 0 = all
SampleDigest digest_rows(const ImpactProblem& problem, const SampleSet& samples,
                         const EpsilonNet& net, int threads);

/// The digest of rows that stayed on a device; the first row is trajectory `first`.
SampleDigest digest_of(const ImpactProblem& problem, std::uint64_t first, const RowDigest& rows);

/// The members of a net, in the form that a device searches.
class SortedMembers {
 public:
  /// The view is valid until the next call, which is fast if the net has not changed.
  NetMembers of(const EpsilonNet& net);

 private:
  std::size_t known_ = 0;
  std::uint64_t last_ = 0;  // index of the last member
  std::uint64_t version_ = 0;
  int axis_ = 0;
  std::vector<double> metric_;  // by rows; empty: the identity
  std::vector<double> point_;
};

/// The digest plan for a problem on a device. The plan points into this object.
class DigestRequest {
 public:
  /// @param shape with the steps' friction directions; @param max_steps N
  DigestRequest(const ImpactProblem& problem, const ProblemShape& shape, int max_steps,
                bool counts_solutions = false);
  DigestRequest(const DigestRequest&) = delete;
  DigestRequest& operator=(const DigestRequest&) = delete;

  /// Valid until the next call.
  const DigestPlan& plan(const EpsilonNet& net);

 private:
  std::vector<double> contact_rows_;
  DigestPlan plan_;
  SortedMembers members_;
};

/// Samples trajectories of one problem and returns the data that a growing set needs: on a CUDA
/// device the rows stay there, and the returned data does not grow with their number.
class DigestSampler {
 public:
  /// @param sampler of this problem only; must outlive this object
  DigestSampler(const ImpactProblem& problem, const SamplingOptions& options,
                const Sampler& sampler);

  /// Samples trajectories [first, first + summary.trajectories): at least one, at most count.
  /// @throws RunError if the device fails
  SampleDigest sample(std::uint64_t first, std::uint64_t count, const EpsilonNet& net);

  /// Samples all trajectories [first, first + count) and returns their rows, too.
  SampleDigest sample_rows(std::uint64_t first, std::uint64_t count, const EpsilonNet& net,
                           SampleSet& rows) const;

  /// The same on the device, without velocities and open rows, but with the number of open rows;
  /// rows is 0 if the device has too little memory, or if no device is in use.
  RowDigest count(std::uint64_t first, std::uint64_t count, const EpsilonNet& net);

  /// Whether rows stay on a device; on the CPU, rows and digest are both in memory.
  bool stays_on_device() const { return on_device_; }

 private:
  const ImpactProblem& problem_;
  const Sampler& sampler_;
  int threads_;
  bool on_device_;
  DigestRequest request_;
  SampleSet rows_;
};

}  // namespace carom
