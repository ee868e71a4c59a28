#include "host/families/family_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base/nearest_name.hpp"
#include "host/base/note_json.hpp"
#include "host/base/note_list.hpp"

namespace carom {
namespace {

constexpr const char* left_out_note = "left_out";

}  // namespace

Note note_on_other_contacts(const ProblemFamily& family) {
  return make_note(
      "other_contacts",
      fmt::format("other contacts touch than in the scenario itself, or in another order: names "
                  "are those of the latter, {}",
                  first_names(family.base().problem.contact_names)));
}

nlohmann::ordered_json notes_json(const std::vector<FamilyNote>& notes,
                                  const ProblemFamily& family) {
  auto list = nlohmann::ordered_json::array();
  for (const FamilyNote& its : notes) {
    nlohmann::ordered_json item = notes_json({its.note}).front();
    item["members"] = its.members;
    item["first_member"] = its.first;
    item["sentence"] = family_note_text(its, family);
    list.push_back(std::move(item));
  }
  return list;
}

std::string family_note_text(const FamilyNote& note, const ProblemFamily& family) {
  const std::string& text = note.note.text;
  if (note.of_family) return text;
  const std::string first = family.description(note.first);
  const std::string members = fmt::format("{} of {} members", note.members, family.size());
  return note.note.code == left_out_note
             ? fmt::format("{} are left out, the first is {}: {}", members, first, text)
             : fmt::format("in {}, the first is {}: {}", members, first, text);
}

namespace {

/// The rule that a text tells, whatever the numbers that break it.
std::string without_numbers(std::string text) {
  constexpr std::string_view of_numbers = "0123456789.+-";
  std::erase_if(text,
                [&](char letter) { return of_numbers.find(letter) != std::string_view::npos; });
  return text;
}

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
  // Members are left out for different reasons, each of which is told.
  const bool by_reason = note.code == left_out_note;
  const auto known = std::find_if(notes_.begin(), notes_.end(), [&](const FamilyNote& its) {
    return its.note.code == note.code &&
           (!by_reason || without_numbers(its.note.text) == without_numbers(note.text));
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

std::optional<Note> note_on_single_sets(const Scenario& scenario) {
  const std::string tables = tables_of_single_sets(scenario);
  if (tables.empty()) return std::nullopt;
  return make_note("single_set_tables",
                   fmt::format("{} of the scenario count for carom sample alone: the sets here are "
                               "computed without",
                               tables));
}

void FamilyNotes::add_of_scenario(const Scenario& scenario) {
  std::optional<Note> note = note_on_single_sets(scenario);
  if (members_ == 0 || !note) return;
  notes_.push_back({*std::move(note), members_, first_, /*of_family=*/true});
}

void FamilyNotes::add_left_out(std::uint64_t member, const std::string& refusal) {
  ++left_out_;
  // The note itself says which member the first one is, with its values.
  const bool names_it = refusal.starts_with(fmt::format("member {} (", member));
  const std::size_t end = names_it ? refusal.find("): ") : std::string::npos;
  add(member,
      make_note(left_out_note, end == std::string::npos ? refusal : refusal.substr(end + 3)));
}

std::vector<FamilyNote> FamilyNotes::take() {
  if (members_ == 0 && left_out_ > 0) {
    add(0, make_note("no_outcomes", fmt::format("all {} members are left out, so there are no "
                                                "outcomes",
                                                left_out_)));
    notes_.back().members = left_out_;
    notes_.back().of_family = true;
  }
  for (FamilyNote& its : notes_) {
    const bool some_have_outcomes = its.members < members_;
    if (its.note.severity == Severity::error && some_have_outcomes) {
      its.note.severity = Severity::warning;
    }
  }
  std::stable_sort(notes_.begin(), notes_.end(),
                   [](const FamilyNote& one, const FamilyNote& other) {
                     return place_of(one.note) < place_of(other.note);
                   });
  return std::move(notes_);
}

}  // namespace carom
