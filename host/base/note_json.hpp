#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "carom/note.hpp"

namespace carom {

/// [{"code", "severity", "text"}], as in reports and files.
nlohmann::ordered_json notes_json(const std::vector<Note>& notes);

/// The notes of notes_json() as text. @throws InputError if the text is nothing of the kind
std::vector<Note> parse_notes(const std::string& text);

}  // namespace carom
