#pragma once

#include <optional>

#include "carom/law.hpp"
#include "carom/note.hpp"

namespace carom {

/// How far the pyramid of friction in space is from the cone, if that shows.
/// @param directions k
/// @param friction the greatest coefficient
std::optional<Note> note_on_pyramid(int directions, double friction, const Law& law);

}  // namespace carom
