#pragma once

#include <optional>
#include <vector>

#include "carom/explore.hpp"

namespace carom {

/// What a search leaves open.
/// @param asked the law that was asked for
std::vector<Note> notes_of(const Exploration& found, const Law& asked, int max_steps);

/// The note on random trajectories whose outcomes the net lacks, if these are more than a few.
/// @param options of the exploration
std::optional<Note> note_on_random(const ImpactProblem& problem, SamplingOptions options,
                                   const Exploration& found);

}  // namespace carom
