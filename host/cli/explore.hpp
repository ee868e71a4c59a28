#pragma once

#include <optional>
#include <string>

#include "host/cli/options.hpp"

namespace carom::cli {

/// Flags of `carom sample --explore`.
struct ExploreArguments {
  bool wanted = false;
  std::optional<std::string> budget;  ///< as typed
};

void add_explore_flags(Command& command, ExploreArguments& arguments);

/// Explores a scenario and prints the report. Returns the exit code.
/// @throws InputError if a flag breaks a rule, or is about random trajectories
int run_explore(const std::string& scenario, const ExploreArguments& arguments,
                const OptionFlags& options, const OutputFlags& flags);

}  // namespace carom::cli
