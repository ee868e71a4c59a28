#pragma once

#include <optional>
#include <string>

#include "host/cli/options.hpp"

namespace carom::cli {

/// Flags that override a scenario's [evidence], as typed: they are read by apply(), whose messages
/// name them.
struct EvidenceFlags {
  using Text = std::optional<std::string>;
  Text hold_out, confidence, miss, max_trajectories, max_seconds, net_size, seek_extremes;
  bool verify_net = false;
  bool no_comparison = false;
};

void add_evidence_flags(Command& command, EvidenceFlags& flags);

/// Overrides the scenario's evidence options and checks them.
/// @throws InputError naming the flag and the rule it breaks.
void apply(const EvidenceFlags& flags, Scenario& scenario);

}  // namespace carom::cli
