#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "host/run/hold_out.hpp"
#include "host/set/sample_digest.hpp"

namespace carom {

/// The backend and processor that sampled trajectories.
struct SamplerInfo {
  Backend backend = Backend::cpu;
  std::string device;
  std::string note;
  TableInfo table;
  std::uint64_t repeated = 0;  ///< trajectories that the device left to the CPU
};

/// The contribution of a range of trajectories to a set.
struct TrajectoryDigest {
  SampleDigest counted;
  SampleSet rows;  ///< rows of the first of these trajectories for the observer, or none
  SamplerInfo info;
};

/// Runs the trajectories of a set in this process, or in many (host/ranks). The set is the same to
/// the last bit.
class RunEngine {
 public:
  RunEngine() = default;
  virtual ~RunEngine() = default;
  RunEngine(const RunEngine&) = delete;
  RunEngine& operator=(const RunEngine&) = delete;

  /// Samples trajectories [start.summary.trajectories, M) of a valid problem, as grow() does. The
  /// observer is called for all chunks; each chunk has at least those first rows that the engine
  /// was constructed to keep.
  PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                     PostImpactSet start, const ChunkObserver& observer);
  /// hold_out() of a valid problem that reports its progress as stage "hold-out"; nothing if the
  /// observer stops it.
  std::optional<HoldOut> test(const ImpactProblem& problem, const SamplingOptions& options,
                              const EpsilonNet& net, const HoldOutPlan& plan,
                              const StageObserver& observer);

  // Steps of both functions. They return false if a signal requests a stop.

  /// Prepares sampling for a net that has grown or is new.
  virtual void begin(const ImpactProblem& problem, const SamplingOptions& options,
                     bool other_net) = 0;
  /// Sets `digests` to those of trajectories from `first` on, in order: at least one trajectory, at
  /// most `most`.
  virtual bool sample(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                      std::vector<TrajectoryDigest>& digests) = 0;
  virtual void begin_trials(const ImpactProblem& problem, const SamplingOptions& options) = 0;
  /// Adds the trials of trajectories from `first` on: at least one, at most `most`.
  virtual bool add_trials(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                          HoldOut& test) = 0;
};

/// @param kept_rows number of first trajectories whose rows observers receive; later rows may stay
/// on a CUDA device
std::unique_ptr<RunEngine> this_process(std::uint64_t kept_rows);

}  // namespace carom
