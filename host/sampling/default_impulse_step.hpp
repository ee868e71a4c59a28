#pragma once

#include "carom/impact_problem.hpp"
#include "carom/law.hpp"

namespace carom {

/// h of a set under a law: the same, but where trajectories take any solution of their steps, and
/// SolutionMethod::modes finds them, at least 1.25 times the largest normal impulse of all
/// solutions of 16 free steps, if that is larger; where the law has no caps, the stopping impulse.
double default_impulse_step(const ImpactProblem& problem, const Law& law);

}  // namespace carom
