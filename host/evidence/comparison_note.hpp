#pragma once

#include <optional>

#include "carom/comparison.hpp"
#include "carom/note.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Why there is no comparison, without the article.
inline constexpr const char* comparison_needs_no_restitution =
    "simultaneous and the sequential law have no restitution";

/// compare_laws() with the options of a run, and distances to its net.
Comparison compare_laws(const ImpactProblem& problem, const SamplingOptions& options,
                        const EpsilonNet& net);

/// Which outcomes of other laws are farther than epsilon from the net of the set-valued law, and
/// what may reach them.
/// @param comparison with distances to the net
/// @param impulse_step h
std::optional<Note> note_on(const Comparison& comparison, const EpsilonNet& net,
                            double impulse_step);

}  // namespace carom
