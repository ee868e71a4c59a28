#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "carom/roll_io.hpp"
#include "host/cli/options.hpp"
#include "host/ranks/crew.hpp"

namespace carom::cli {

/// Rolls a scenario, or continues `start`, and prints the report.
/// @param crew null: one process
/// @param file empty: none is written
int run_roll_report(Crew* crew, const Scenario& scenario, Rollouts start,
                    const std::filesystem::path& file, const std::optional<std::string>& checkpoint,
                    const OutputFlags& flags);

}  // namespace carom::cli
