#pragma once

#include <vector>

#include "carom/note.hpp"
#include "python/bindings/bindings.hpp"

namespace carom::python {

inline nb::dict note_dict(const Note& note) {
  nb::dict item;
  item["code"] = note.code;
  item["severity"] = severity_name(note.severity);
  item["text"] = note.text;
  return item;
}

/// [{"code", "severity", "text"}], as in reports and files.
inline nb::list note_dicts(const std::vector<Note>& notes) {
  nb::list list;
  for (const Note& note : notes) list.append(note_dict(note));
  return list;
}

/// The same with "members" and "first_member".
inline nb::list note_dicts(const std::vector<FamilyNote>& notes) {
  nb::list list;
  for (const auto& [note, members, first] : notes) {
    nb::dict item = note_dict(note);
    item["members"] = members;
    item["first_member"] = first;
    list.append(item);
  }
  return list;
}

}  // namespace carom::python
