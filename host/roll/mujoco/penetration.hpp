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

}  // namespace carom::mujoco
