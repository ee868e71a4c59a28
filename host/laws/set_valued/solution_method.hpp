#pragma once

#include <span>

#include "carom/impact_problem.hpp"
#include "carom/selection.hpp"

namespace carom {

/// Most contact modes of which a table is made: those of three contacts in the plane, in space of
/// two with k = 8. With the next contact in the plane, a step by a table takes nine times as long
/// as by a search over signs, and the table ten milliseconds.
inline constexpr int most_tabulated_modes = 1'500;

/// How Solutions::all finds the solutions of the steps of problems of one shape.
/// @throws InputError if the problems have too many contacts
SolutionMethod choose_solution_method(std::span<const ImpactProblem> problems);

/// The same for a problem of which there is one trajectory, for which no table is made.
SolutionMethod solution_method_of_one(const ImpactProblem& problem);

}  // namespace carom
