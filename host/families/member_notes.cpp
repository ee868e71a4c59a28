#include "host/families/member_notes.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "carom/scenario.hpp"
#include "host/base/note_list.hpp"
#include "host/run/run_notes.hpp"

namespace carom {
namespace {

template <class T>
std::vector<T> read_column(hid_t group, const char* name, std::size_t rows) {
  std::vector<T> column(rows);
  if (rows > 0) {
    hdf5::read_array(group, name, hdf5::number_type<T>(), {rows}, column.data());
  }
  return column;
}

template <class T>
void write_column(hid_t group, const char* name, const std::vector<T>& column) {
  hdf5::write_array(group, name, hdf5::number_type<T>(), {column.size()}, column.data());
}

}  // namespace

std::vector<Note> member_notes(const ImpactProblem& problem, const SamplingOptions& options,
                               const MemberFindings& findings) {
  if (!colliding(problem, problem.pre_impact_velocity, options.termination_tolerance)) return {};
  std::vector<Note> found = notes(problem, options);
  // Each member's first impact is at a time of its own.
  std::erase_if(found, [](const Note& note) { return note.code == "first_impact"; });
  for (std::optional<Note> note :
       {note_on_small_impulse_step(problem, options),
        note_on_energy_gain(kinetic_energy(problem, problem.pre_impact_velocity), findings.energy,
                            options.law),
        note_on_missed_solutions(findings.incomplete_steps)}) {
    if (note) found.push_back(*std::move(note));
  }
  return found;
}

void NoteTable::add(std::uint64_t its_member, const std::vector<Note>& notes) {
  for (const Note& note : notes) {
    const auto next = static_cast<std::uint32_t>(code.size());
    const auto [known, is_new] = row_of_.try_emplace({note.code, note.text}, next);
    if (is_new) {
      code.push_back(note.code);
      text.push_back(note.text);
    }
    member.push_back(its_member);
    which.push_back(known->second);
  }
}

void NoteTable::write(hid_t file) const {
  const hdf5::Handle group = hdf5::create_group(file, "notes");
  hdf5::write_strings(group, "code", code);
  hdf5::write_strings(group, "text", text);
  write_column(group, "member", member);
  write_column(group, "which", which);
}

std::map<std::uint64_t, std::vector<Note>> read_member_notes(hid_t file) {
  std::map<std::uint64_t, std::vector<Note>> notes;
  if (!hdf5::exists(file, "notes")) return notes;
  const hdf5::Handle group = hdf5::open_group(file, "notes");
  const std::vector<std::string> code = hdf5::read_strings(group, "code");
  const std::vector<std::string> text = hdf5::read_strings(group, "text");
  const std::size_t rows = hdf5::array_shape(group, "member").front();
  const auto member = read_column<std::uint64_t>(group, "member", rows);
  const auto which = read_column<std::uint32_t>(group, "which", rows);
  for (std::size_t i = 0; i < rows; ++i) {
    notes[member[i]].push_back(note_of(code.at(which[i]), text.at(which[i])));
  }
  return notes;
}

}  // namespace carom
