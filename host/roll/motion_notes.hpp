#pragma once

#include <optional>

#include "carom/note.hpp"
#include "carom/roll.hpp"

namespace carom {

/// The note on bodies in space that overlap at a kept time: they touch floors alone, and pass
/// through one another. Boxes and balls are looked at as they are, other bodies as boxes could be
/// around their points, so that some of these may not quite overlap.
std::optional<Note> note_on_overlaps(const SpatialWorld& world, int threads,
                                     const Rollouts& rollouts);

/// The note on the shortest body beside which the window, or the gap of kept contacts, is not
/// small.
std::optional<Note> note_on_window(const RigidWorld& world, double window, double hold);

/// The note on contacts that are deeper at a kept time than their tolerances explain.
std::optional<Note> note_on_penetration(const RigidWorld& world, const RollOptions& options,
                                        int threads, const Rollouts& rollouts);

/// The note on energy that grows from one kept time to the next: law plus bounds no energy.
std::optional<Note> note_on_energy(const RigidWorld& world, const SamplingOptions& sampling,
                                   const Rollouts& rollouts);

}  // namespace carom
