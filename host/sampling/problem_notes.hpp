#pragma once

#include <optional>

#include "carom/impact_problem.hpp"
#include "carom/law.hpp"
#include "carom/note.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// How far the pyramid of friction in space is from the cone, if that shows.
/// @param directions k
/// @param friction the greatest coefficient
std::optional<Note> note_on_pyramid(int directions, double friction, const Law& law);

/// Distance below which two outcomes need not differ, in the net's norm: the termination tolerance
/// of the contact that moves most with it, or the residual of the LCPs.
double resolved_distance(const ImpactProblem& problem, const SamplingOptions& options);

}  // namespace carom
