#pragma once

#include <filesystem>
#include <string>

#include "carom/scenario.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// The scenario that a document states. @throws InputError
Scenario read_document(const ScenarioDocument& document);

/// Reads and parses a TOML file. @throws InputError
ScenarioDocument open_document(const std::filesystem::path& file);

/// The scenario file of that name (relative to `folder`) or, if there is no such file, a text that
/// names the built-in system. @throws InputError
ScenarioDocument open_scenario(const std::string& file_or_system,
                               const std::filesystem::path& folder = {});

}  // namespace carom
