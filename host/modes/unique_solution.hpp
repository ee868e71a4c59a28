#pragma once

#include "carom/impact_problem.hpp"

namespace carom {

/// Whether every step of a validated problem is proved to have a single velocity after it, see
/// Orientation. Faster than orientation() where it is not.
bool has_one_solution(const ImpactProblem& problem);

}  // namespace carom
