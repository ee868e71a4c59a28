#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "carom/note.hpp"
#include "carom/problem_family.hpp"
#include "carom/scenario.hpp"

namespace carom {

/// The note on a member whose contacts are not those of the scenario itself.
Note note_on_other_contacts(const ProblemFamily& family);

/// "single_set_tables", of a scenario that is not sampled alone.
std::optional<Note> note_on_single_sets(const Scenario& scenario);

/// As of single notes, with "members", "first_member" and the "sentence" of reports.
nlohmann::ordered_json notes_json(const std::vector<FamilyNote>& notes,
                                  const ProblemFamily& family);

/// Collects the notes on members of a family: each code once, but for each reason to leave members
/// out.
class FamilyNotes {
 public:
  /// Members come in ascending order; those that were left out do not come.
  void add(std::uint64_t member, const std::vector<Note>& notes);
  /// A note on tables of the scenario that do not count for members. It comes last.
  void add_of_scenario(const Scenario& scenario);
  /// A member that was left out, since it has no set.
  void add_left_out(std::uint64_t member, const std::string& refusal);
  /// In the order of note_codes(). "no_outcomes" is an error only where no member has outcomes;
  /// where all were left out, there are none either.
  std::vector<FamilyNote> take();

 private:
  void add(std::uint64_t member, Note note);

  std::uint64_t members_ = 0, first_ = 0, left_out_ = 0;
  std::vector<FamilyNote> notes_;
};

}  // namespace carom
