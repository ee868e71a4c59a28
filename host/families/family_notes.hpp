#pragma once

#include <cstdint>
#include <vector>

#include "carom/note.hpp"
#include "carom/problem_family.hpp"

namespace carom {

/// The note on a member whose contacts are not those of the scenario itself.
Note note_on_other_contacts(const ProblemFamily& family);

/// Collects the notes on members of a family: each code once.
class FamilyNotes {
 public:
  /// Members come in ascending order; those that were left out do not come.
  void add(std::uint64_t member, const std::vector<Note>& notes);
  /// Notes on the scenario itself, which are likely to be about members, too. They come last.
  void add_of_scenario(const std::vector<Note>& notes);
  /// In the order of note_codes(). "no_outcomes" is an error only where no member has outcomes.
  /// @param left_out members that were; where all were, there are no outcomes either
  std::vector<FamilyNote> take(std::uint64_t left_out = 0);

 private:
  void add(std::uint64_t member, Note note);

  std::uint64_t members_ = 0, first_ = 0;
  std::vector<FamilyNote> notes_;
};

}  // namespace carom
