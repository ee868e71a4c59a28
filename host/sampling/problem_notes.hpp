#pragma once

#include <optional>

#include "carom/impact_problem.hpp"
#include "carom/law.hpp"
#include "carom/note.hpp"

namespace carom {

/// How far the pyramid of friction in space is from the cone, if that shows.
/// @param directions k
/// @param friction the greatest coefficient
std::optional<Note> note_on_pyramid(int directions, double friction, const Law& law);

/// ImpactProblem::doubtful_normals, if there are any.
std::optional<Note> note_on_normals(const ImpactProblem& problem);

}  // namespace carom
