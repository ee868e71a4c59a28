#pragma once

#include <span>

#include "carom/impact_problem.hpp"
#include "carom/selection.hpp"

namespace carom {

/// How Solutions::all finds the solutions of the steps of problems of one shape.
/// @throws InputError if the problems have too many contacts
SolutionMethod choose_solution_method(std::span<const ImpactProblem> problems);

}  // namespace carom
