#pragma once

#include <cstddef>
#include <optional>

#include "carom/impact_problem.hpp"
#include "carom/note.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// "step_effect": in the limit of small steps, one contact has one outcome, and restitution fewer
/// than by larger ones, which are the set-valued law's all the same. Of several contacts that
/// rebound, trajectories are compared with the same ones in finer steps.
/// @param options resolved
/// @param members of the net of outcomes
std::optional<Note> note_on_step_effect(const ImpactProblem& problem,
                                        const SamplingOptions& options, std::size_t members);

/// "shared_impulse": several impulses of contacts that rebound have the same effect.
std::optional<Note> note_on_shared_impulse(const ImpactProblem& problem, const Law& law);

}  // namespace carom
