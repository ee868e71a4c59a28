#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "carom/post_impact_set.hpp"
#include "host/evidence/hold_out.hpp"

namespace carom {

/// What runs the trajectories of a set: this process alone, or many (host/ranks). The set is the
/// same, to the last bit.
class RunEngine {
 public:
  RunEngine() = default;
  virtual ~RunEngine() = default;
  RunEngine(const RunEngine&) = delete;
  RunEngine& operator=(const RunEngine&) = delete;

  /// continue_post_impact_set(). The observer is told of all trajectories; of each chunk it is
  /// handed those first rows at least that the engine was made to keep.
  virtual PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                             PostImpactSet start, const ChunkObserver& observer) = 0;
  /// hold_out() that reports how it comes on, as stage "hold-out"; nothing if the observer stops
  /// it.
  virtual std::optional<HoldOut> test(const ImpactProblem& problem, const SamplingOptions& options,
                                      const EpsilonNet& net, const HoldOutPlan& plan,
                                      const StageObserver& observer) = 0;
};

/// @param kept_rows rows of the first trajectories that observers shall see; those behind them may
/// stay on a CUDA device
std::unique_ptr<RunEngine> this_process(std::uint64_t kept_rows);

/// What grow() begins with: evidence about fewer trajectories goes, constants of the run are set.
void prepare_growth(const ImpactProblem& problem, const SamplingOptions& options,
                    PostImpactSet& set);

}  // namespace carom
