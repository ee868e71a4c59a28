#pragma once

#include <vector>

#include "carom/note.hpp"
#include "carom/sampling_options.hpp"
#include "host/run/run_notes.hpp"

namespace carom {

/// Collects the notes on members of a family: each code once.
class FamilyNotes {
 public:
  explicit FamilyNotes(int max_steps) : max_steps_(max_steps) {}

  /// Members come in ascending order; those that were left out do not come.
  void add(std::uint64_t member, const StatusCounts& counts);
  /// In the order of note_codes(). "no_outcomes" is an error only where no member has outcomes.
  std::vector<FamilyNote> take();

 private:
  void add(std::uint64_t member, Note note);

  int max_steps_;
  std::uint64_t members_ = 0;
  std::vector<FamilyNote> notes_;
};

}  // namespace carom
