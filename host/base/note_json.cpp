#include "host/base/note_json.hpp"

#include "carom/error.hpp"
#include "host/base/note_list.hpp"

namespace carom {

std::span<const NoteCode> note_codes() { return note_list; }

namespace {

nlohmann::ordered_json note_json(const Note& note) {
  return {{"code", note.code}, {"severity", severity_name(note.severity)}, {"text", note.text}};
}

}  // namespace

nlohmann::ordered_json notes_json(const std::vector<Note>& notes) {
  auto list = nlohmann::ordered_json::array();
  for (const Note& note : notes) list.push_back(note_json(note));
  return list;
}

std::vector<Note> parse_notes(const std::string& text) {
  std::vector<Note> notes;
  try {
    for (const auto& item : nlohmann::ordered_json::parse(text)) {
      Note note{item.at("code").get<std::string>(), Severity::info,
                item.at("text").get<std::string>()};
      const std::string severity = item.at("severity").get<std::string>();
      while (severity != severity_name(note.severity)) {
        if (note.severity == Severity::error) throw InputError("unknown severity " + severity);
        note.severity = static_cast<Severity>(static_cast<int>(note.severity) + 1);
      }
      notes.push_back(std::move(note));
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(std::string("notes are not readable: ") + error.what());
  }
  return notes;
}

}  // namespace carom
