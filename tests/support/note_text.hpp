#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "carom/note.hpp"

namespace carom {

/// The text of the note with this code; empty if there is none.
inline std::string text_of(const std::vector<Note>& notes, const std::string& code) {
  const auto found =
      std::find_if(notes.begin(), notes.end(), [&](const Note& note) { return note.code == code; });
  return found == notes.end() ? "" : found->text;
}

}  // namespace carom
