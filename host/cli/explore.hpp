#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "carom/exploration_io.hpp"
#include "host/cli/options.hpp"
#include "host/cli/run.hpp"

namespace carom::cli {

/// carom sample --explore, and its options.
void add_explore_flags(Command& command, OptionFlags& flags);

/// Refuses flags that are about random trajectories. @throws InputError
void refuse_sampling_flags(const OptionFlags& flags);

/// Explores a scenario that states how instead of sampling it, or continues `start`, and prints
/// the report.
/// @param crew of a run on many ranks; null: this process alone
/// @param file empty: none is written
int run_explore(Crew* crew, Scenario& scenario, std::optional<Exploration> start,
                const std::filesystem::path& file, const std::optional<std::string>& checkpoint,
                const OutputFlags& flags);

}  // namespace carom::cli
