#pragma once

#include <cstdint>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/sampler.hpp"
#include "carom/summary.hpp"
#include "kernels/launch/launch_digest.hpp"

namespace carom {

/// What trajectories add to a set whose rows nobody wants.
struct SampleDigest {
  Summary summary;
  std::vector<OutcomeMode> modes;
  std::vector<std::uint64_t> open_index;  ///< outcomes that no member of the net covers, ascending
  std::vector<double> open_velocity;      ///< as many x nv
};

/// Adds what the trajectories that follow add.
void join(const ImpactProblem& problem, const SampleDigest& next, SampleDigest& digest);

/// Of rows in memory. @param threads 0 = all
SampleDigest digest_rows(const ImpactProblem& problem, const SampleSet& samples,
                         const EpsilonNet& net, int threads);

/// Of rows that stayed on a device; the first one is trajectory `first`.
SampleDigest digest_of(const ImpactProblem& problem, std::uint64_t first, const RowDigest& rows);

/// The members of a net, as a device searches them.
class SortedMembers {
 public:
  /// The view is good until the next call, which is quick where the net is still the same.
  NetMembers of(const EpsilonNet& net);

 private:
  std::size_t known_ = 0;
  std::uint64_t last_ = 0;  // index of the last one
  std::uint64_t version_ = 0;
  int axis_ = 0;
  std::vector<double> metric_;  // by rows; empty: the identity
  std::vector<double> point_;
};

/// What a device is asked about rows of a problem. The plan points into this.
class DigestRequest {
 public:
  /// @param shape with the steps' friction directions; @param max_steps N
  DigestRequest(const ImpactProblem& problem, const ProblemShape& shape, int max_steps);
  DigestRequest(const DigestRequest&) = delete;
  DigestRequest& operator=(const DigestRequest&) = delete;

  /// Good until the next call.
  const DigestPlan& plan(const EpsilonNet& net);

 private:
  std::vector<double> contact_rows_;
  DigestPlan plan_;
  SortedMembers members_;
};

/// Samples trajectories of one problem and keeps what a growing set needs of them: on a CUDA device
/// the rows stay there, and what comes back does not grow with their number.
class DigestSampler {
 public:
  /// @param sampler of this problem alone; it lives as long as this
  DigestSampler(const ImpactProblem& problem, const SamplingOptions& options,
                const Sampler& sampler);

  /// Trajectories [first, first + summary.trajectories), of which there are count at most, and one
  /// at least. @throws RunError if the device fails
  SampleDigest sample(std::uint64_t first, std::uint64_t count, const EpsilonNet& net);

  /// All trajectories [first, first + count), whose rows come back, too.
  SampleDigest sample_rows(std::uint64_t first, std::uint64_t count, const EpsilonNet& net,
                           SampleSet& rows) const;

  /// The same on the device, without velocities and open rows, but for their number; rows is 0
  /// where it has no room, or where no device is in use.
  RowDigest count(std::uint64_t first, std::uint64_t count, const EpsilonNet& net);

  /// Whether rows stay on a device; on the CPU, rows and what is kept of them are both here.
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
