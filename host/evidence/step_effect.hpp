#pragma once

#include <cstddef>
#include <optional>

#include "carom/impact_problem.hpp"
#include "carom/note.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// "step_effect": one contact has one outcome in the limit of small steps, and others by larger
/// ones, which are the set-valued law's all the same.
/// @param options resolved
/// @param members of the net of outcomes
std::optional<Note> note_on_step_effect(const ImpactProblem& problem,
                                        const SamplingOptions& options, std::size_t members);

}  // namespace carom
