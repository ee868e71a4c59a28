#pragma once

#include <optional>

#include "carom/note.hpp"
#include "carom/roll.hpp"
#include "host/problem/mujoco/model.hpp"

namespace carom::mujoco {

/// The note on geoms that are deep in one another at a kept time: MuJoCo's contacts give way, and
/// with long steps too far.
/// @param start at the rollouts' start
std::optional<Note> note_on_penetration(const Model& start, int threads, const Rollouts& rollouts);

/// The note on joints that are at their limits at a kept time of rollouts with impacts, where
/// `options` leave limits out.
std::optional<Note> note_on_limits(const Model& start, const MujocoOptions& options, int threads,
                                   const Rollouts& rollouts);

}  // namespace carom::mujoco
