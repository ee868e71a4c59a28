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

/// What sampled trajectories.
struct SamplerInfo {
  Backend backend = Backend::cpu;
  std::string device;
  std::string note;
  TableInfo table;
};

/// What a range of trajectories adds to a set.
struct TrajectoryDigest {
  SampleDigest counted;
  SampleSet rows;  ///< for the observer: those of the first of these trajectories, or none
  SamplerInfo info;
};

/// What runs the trajectories of a set: this process alone, or many (host/ranks). The set is the
/// same, to the last bit.
class RunEngine {
 public:
  RunEngine() = default;
  virtual ~RunEngine() = default;
  RunEngine(const RunEngine&) = delete;
  RunEngine& operator=(const RunEngine&) = delete;

  /// Samples trajectories [start.summary.trajectories, M) of a valid problem, as grow() does. The
  /// observer is told of all of them; of each chunk it is handed those first rows at least that the
  /// engine was made to keep.
  PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                     PostImpactSet start, const ChunkObserver& observer);
  /// hold_out() of a valid problem that reports its progress as stage "hold-out"; nothing if the
  /// observer stops it.
  std::optional<HoldOut> test(const ImpactProblem& problem, const SamplingOptions& options,
                              const EpsilonNet& net, const HoldOutPlan& plan,
                              const StageObserver& observer);

  // The parts of both. False if a signal asks to stop.

  /// Gets ready to sample for a net that has grown since, or is another one.
  virtual void begin(const ImpactProblem& problem, const SamplingOptions& options,
                     bool other_net) = 0;
  /// Makes `digests` those of trajectories from `first` on, in their order: one at least, `most` at
  /// most.
  virtual bool sample(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                      std::vector<TrajectoryDigest>& digests) = 0;
  virtual void begin_trials(const ImpactProblem& problem, const SamplingOptions& options) = 0;
  /// Adds the trials of trajectories from `first` on: one at least, `most` at most.
  virtual bool add_trials(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                          HoldOut& test) = 0;
};

/// @param kept_rows rows of the first trajectories that observers shall see; those behind them may
/// stay on a CUDA device
std::unique_ptr<RunEngine> this_process(std::uint64_t kept_rows);

}  // namespace carom
