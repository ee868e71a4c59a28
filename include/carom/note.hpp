#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace carom {

/// How much a note matters.
enum class Severity : std::uint8_t {
  info,     ///< how the run was done; nothing is missing
  warning,  ///< the set may lack outcomes, or may not be the one that was meant
  error,    ///< there is no set
};

/// Name of a severity in JSON, files and Python.
constexpr const char* severity_name(Severity severity) {
  constexpr const char* names[] = {"info", "warning", "error"};
  return names[static_cast<int>(severity)];
}

/// What a user should know about a run beside its numbers. Notes are a function of problem and
/// options, the same on every backend and with any number of threads; only "cpu_fallback" and
/// "repeated_on_cpu" are about the machine.
struct Note {
  std::string code;  ///< a name of note_codes(), which does not change between versions
  Severity severity = Severity::warning;
  std::string text;  ///< one sentence
};

/// A note on members of a family (grid, data set).
struct FamilyNote {
  Note note;                  ///< the text is about the first of these members, or the scenario
  std::uint64_t members = 0;  ///< with a note of this code
  std::uint64_t first = 0;    ///< number of the first of them
  bool of_family = false;     ///< the text is about the family, not about its first member
};

/// A kind of notes.
struct NoteCode {
  const char* name;
  Severity severity;
  const char* meaning;
};

/// All codes, in the order of reports.
std::span<const NoteCode> note_codes();

}  // namespace carom
