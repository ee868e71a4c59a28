#pragma once

#include <vector>

#include "carom/note.hpp"
#include "carom/problem_family.hpp"
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

/// The same with "members", "first_member" and the "sentence" of reports.
inline nb::list note_dicts(const std::vector<FamilyNote>& notes, const ProblemFamily& family) {
  nb::list list;
  for (const FamilyNote& its : notes) {
    nb::dict item = note_dict(its.note);
    item["members"] = its.members;
    item["first_member"] = its.first;
    item["sentence"] = family_note_text(its, family);
    list.append(item);
  }
  return list;
}

}  // namespace carom::python
