#include "host/families/family_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/nearest_name.hpp"
#include "host/base/note_list.hpp"

namespace carom {

Note note_on_other_contacts(const ProblemFamily& family) {
  return make_note(
      "other_contacts",
      fmt::format("other contacts touch than in the scenario itself, or in another order: names "
                  "are those of the latter, {}",
                  first_names(family.base().problem.contact_names)));
}

namespace {

/// The stated tables that are for a single set: "[explore], [bound]".
std::string tables_of_single_sets(const Scenario& scenario) {
  const EvidenceOptions& evidence = scenario.evidence;
  std::vector<std::string> tables;
  if (scenario.explore) tables.emplace_back("[explore]");
  if (evidence.bound) tables.emplace_back("[bound]");
  if (evidence.outputs.size() > 0) tables.emplace_back("[outputs]");
  if (evidence.miss > 0.0 || evidence.seek_extremes >= 0 || evidence.net_size > 0 ||
      evidence.verify_net) {
    tables.emplace_back("[evidence]");
  }
  return fmt::format("{}", fmt::join(tables, ", "));
}

}  // namespace

void FamilyNotes::add(std::uint64_t member, Note note) {
  const auto known = std::find_if(notes_.begin(), notes_.end(), [&](const FamilyNote& its) {
    return its.note.code == note.code;
  });
  if (known == notes_.end()) {
    notes_.push_back({std::move(note), 1, member});
  } else {
    ++known->members;
  }
}

void FamilyNotes::add(std::uint64_t member, const std::vector<Note>& notes) {
  if (members_++ == 0) first_ = member;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const auto begin = notes.begin();
    const auto at = begin + static_cast<std::ptrdiff_t>(i);
    const auto has_its_code = [&](const Note& other) { return other.code == at->code; };
    if (std::none_of(begin, at, has_its_code)) add(member, *at);  // a member counts once
  }
}

void FamilyNotes::add_of_scenario(const Scenario& scenario, bool rolled) {
  if (members_ == 0) return;
  std::vector<Note> notes;
  if (!rolled) notes = scenario.problem.doubts;
  if (const std::string tables = tables_of_single_sets(scenario); !tables.empty()) {
    notes.push_back(make_note("single_set_tables",
                              fmt::format("{} count for carom sample alone: members are computed "
                                          "without",
                                          tables)));
  }
  for (Note note : notes) {
    if (note.code == "first_impact") continue;  // each member's is at a time of its own
    note.text = "of the scenario itself: " + note.text;
    notes_.push_back({std::move(note), members_, first_});
  }
}

void FamilyNotes::add_left_out(std::uint64_t member, const std::string& refusal) {
  ++left_out_;
  // The note itself says which member the first one is, with its values.
  const bool names_it = refusal.starts_with(fmt::format("member {} (", member));
  const std::size_t end = names_it ? refusal.find("): ") : std::string::npos;
  add(member, make_note("left_out", end == std::string::npos ? refusal : refusal.substr(end + 3)));
}

std::vector<FamilyNote> FamilyNotes::take() {
  if (members_ == 0 && left_out_ > 0) {
    add(0, make_note("no_outcomes", "all members are left out"));
    notes_.back().members = left_out_;
  }
  for (FamilyNote& its : notes_) {
    const bool some_have_outcomes = its.members < members_;
    if (its.note.severity == Severity::error && some_have_outcomes) {
      its.note.severity = Severity::warning;
    }
  }
  std::sort(notes_.begin(), notes_.end(), [](const FamilyNote& one, const FamilyNote& other) {
    return place_of(one.note) < place_of(other.note);
  });
  return std::move(notes_);
}

}  // namespace carom
