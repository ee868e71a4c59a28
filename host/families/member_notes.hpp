#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "carom/note.hpp"
#include "carom/sampling_options.hpp"
#include "carom/summary.hpp"
#include "host/files/hdf5_tools.hpp"

namespace carom {

/// What the trajectories of a member showed, besides how they ended.
struct MemberFindings {
  Range energy = {};                   ///< of outcomes, kinetic, J
  std::uint64_t incomplete_steps = 0;  ///< of which not all solutions were found
};

/// The notes on a member's problem, options and outcomes: those of carom sample that need no
/// further trajectories, but for the notes on trajectories without an outcome. A problem in which
/// no contact approaches has none.
std::vector<Note> member_notes(const ImpactProblem& problem, const SamplingOptions& options,
                               const MemberFindings& findings);

/// The notes on many members, as files hold them: each text once.
struct NoteTable {
  std::vector<std::string> code, text;
  std::vector<std::uint64_t> member;
  std::vector<std::uint32_t> which;  ///< row of code and text, for each entry of `member`

  void add(std::uint64_t its_member, const std::vector<Note>& notes);
  /// Writes the group `notes`.
  void write(hid_t file) const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint32_t> row_of_;
};

/// The notes on each member in the group `notes` of a file; older files have no such group.
/// @throws hdf5::Error
std::map<std::uint64_t, std::vector<Note>> read_member_notes(hid_t file);

}  // namespace carom
