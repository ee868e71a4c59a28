#pragma once

#include <span>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "carom/stage_observer.hpp"
#include "kernels/problem/default_steps.hpp"

namespace carom {

/// Chooses h and epsilon of a single trajectory of a problem with this stopping impulse, where they
/// are not stated.
void choose_steps(double stopping_impulse, SamplingOptions& options);

/// The options without those that a system brings along for its own impact.
SamplingOptions without_presets(SamplingOptions options);

/// resolved() of problems that are sampled together.
/// @param pilots is told of the pilot runs
/// @throws RunError if it stops them
SamplingOptions resolved(SamplingOptions options, std::span<const ImpactProblem> problems,
                         const StageObserver& pilots);

}  // namespace carom
