#pragma once

#include <span>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "carom/stage_observer.hpp"
#include "kernels/problem/default_steps.hpp"

namespace carom {

/// Chooses h and epsilon of a single trajectory, where they are not stated.
/// @param needed_impulse AssemblyReport::needed_impulse()
void choose_steps(double needed_impulse, SamplingOptions& options);

/// A small epsilon that needs no pilot: for the final steps of trajectories that are sampled before
/// epsilon is chosen. 0 where nothing moves.
double epsilon_before_pilots(const ImpactProblem& problem, Norm norm);

/// The options without those that a system brings along for its own impact.
SamplingOptions without_presets(SamplingOptions options);

/// resolved() of problems that are sampled together.
/// @param pilots is told of the pilot runs
/// @throws RunError if it stops them
SamplingOptions resolved(SamplingOptions options, std::span<const ImpactProblem> problems,
                         const StageObserver& pilots);

}  // namespace carom
