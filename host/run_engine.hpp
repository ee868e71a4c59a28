#pragma once

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

  /// continue_post_impact_set(). The observer is told of all trajectories; an engine of many
  /// processes hands it those rows only that it was asked for, the first of each chunk.
  virtual PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                             PostImpactSet start, const ChunkObserver& observer) = 0;
  /// hold_out() that reports how it comes on, as stage "hold-out"; nothing if the observer stops
  /// it.
  virtual std::optional<HoldOut> test(const ImpactProblem& problem, const SamplingOptions& options,
                                      const EpsilonNet& net, const HoldOutPlan& plan,
                                      const StageObserver& observer) = 0;
};

RunEngine& this_process();

/// What grow() begins with: evidence about fewer trajectories goes, constants of the run are set.
void prepare_growth(const ImpactProblem& problem, const SamplingOptions& options,
                    PostImpactSet& set);

}  // namespace carom
