#pragma once

#include <optional>

#include "carom/note.hpp"
#include "carom/post_impact_set.hpp"

namespace carom {

/// The note on outcomes that a short exploration finds far outside the net: rare ones, which random
/// caps hardly ever reach. The exploration takes a quarter of the run's LCPs, some 20,000 at most;
/// shorter runs have no such note, nor have those whose caps may not be any up to h.
/// @param options resolved, with the set-valued law
std::optional<Note> note_on_search(const ImpactProblem& problem, const SamplingOptions& options,
                                   const PostImpactSet& set);

}  // namespace carom
