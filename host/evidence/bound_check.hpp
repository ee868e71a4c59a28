#pragma once

#include <optional>

#include "carom/bounds.hpp"
#include "carom/note.hpp"

namespace carom {

/// The note on outcomes outside a bound, if there are any.
std::optional<Note> note_on(const BoundCheck& check);

}  // namespace carom
