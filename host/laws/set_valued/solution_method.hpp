#pragma once

#include <span>

#include "carom/impact_problem.hpp"
#include "carom/selection.hpp"

namespace carom {

/// Most contact modes of which a table is made: those of four contacts in the plane, in space of
/// two with k = 8. With the next contact, a table is some five times slower than a search over
/// signs, and takes a second to make.
inline constexpr int most_tabulated_modes = 2'500;

/// How Solutions::all finds the solutions of the steps of problems of one shape.
/// @throws InputError if the problems have too many contacts
SolutionMethod choose_solution_method(std::span<const ImpactProblem> problems);

}  // namespace carom
