#pragma once

#include <optional>

#include "carom/note.hpp"
#include "carom/post_impact_set.hpp"

namespace carom {

/// Whether random caps of this law may be any up to h, as those of a search.
bool is_searched(const Law& law);

/// Whether a run has outcomes, and enough LCPs for a search.
bool is_searched(const Summary& summary);

/// Sets set.search: explores the set, with twice as many LCPs as the run's, 320,000 at most, and
/// adds to the net what lies outside. More trajectories have a longer search, which begins alike.
/// @param options resolved, with a law and a summary that are searched
/// @param outputs whose ends are sought, too, where the set has what trajectories reach of them
/// @throws StageStopped if the observer stops it; the set is then as before
void search_beyond(const ImpactProblem& problem, const SamplingOptions& options,
                   const Outputs& outputs, const SampleObserver& observer, PostImpactSet& set);

/// The note on a search whose islands still found outcomes far from all others.
std::optional<Note> note_on(const NetSearch& search, const EpsilonNet& net);

}  // namespace carom
