#pragma once

#include <filesystem>
#include <string>

#include "carom/explore.hpp"
#include "carom/scenario.hpp"

namespace carom {

/// Contents of a file of an exploration.
struct ExplorationResult {
  Scenario scenario;    ///< complete with every default
  Exploration found;    ///< with its trees, so that it can be continued
  std::string version;  ///< version of Carom that wrote the file
};

/// Whether a file is an exploration's, by its first bytes.
bool is_exploration(const std::filesystem::path& file);

/// Writes an exploration (docs/result_file.md) to FILE.part, which then becomes FILE: FILE is
/// always whole, the old one or the new one.
/// @throws InputError if the folder is missing or not writable, or the file is in use by another
/// run; RunError if the disk is full
void write_exploration(const std::filesystem::path& file, const Scenario& scenario,
                       const Exploration& found);

/// Reads an exploration.
/// @throws InputError if the file is missing, no exploration, damaged, or of a newer format.
ExplorationResult read_exploration(const std::filesystem::path& file);

/// Refuses to continue an exploration as another run: another problem, another option but the
/// budget, or another version of Carom. @throws InputError
void check_continues(const ExplorationResult& earlier, const Scenario& scenario,
                     const std::filesystem::path& file);

}  // namespace carom
