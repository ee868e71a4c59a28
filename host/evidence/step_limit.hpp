#pragma once

#include <cstdint>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// A larger step limit, tried with dropped trajectories of a run.
struct StepLimitTrial {
  std::uint64_t dropped = 0;  ///< trajectories that were tried; 0: none was found
  std::uint64_t left = 0;     ///< of these, still dropped with max_steps
  int max_steps = 0;          ///< the largest limit that was tried
  /// Of those left, trajectories that approach by less than 1e-8 of their slip. A step's residual
  /// is 1e-9 of the fastest speed and less, so that no impulse may stop so slow an approach.
  std::uint64_t sliding = 0;
};

/// Looks for dropped trajectories in the first part of a run and doubles max_steps until all of
/// them end, none of them ends any more, or max_step_limit is reached. This takes a part of the
/// run's own time.
/// @param options resolved
/// @param lcps of the whole run
StepLimitTrial try_step_limits(const ImpactProblem& problem, const SamplingOptions& options,
                               std::uint64_t lcps);

}  // namespace carom
