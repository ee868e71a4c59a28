#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "carom/problem_family.hpp"
#include "carom/scenario.hpp"
#include "host/base/numbers.hpp"
#include "host/base/option_words.hpp"
#include "host/cli/command_line.hpp"

namespace carom::cli {

/// What a command prints.
struct OutputFlags {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// Flags that override a scenario, as typed: they are read by apply(), whose messages name them.
struct SamplingFlags {
  using Text = std::optional<std::string>;
  Text trajectories, max_steps, impulse_step, epsilon, norm, termination_tolerance;
  Text law;
  std::map<std::string, Text> law_options;  ///< by name, of all laws
  Text seed, problem_id, samples, paths, shard_rows;
  Text backend, threads, device, chunk;

  /// Whether an option of a law's own was given.
  bool law_option(const std::string& name) const {
    const auto found = law_options.find(name);
    return found != law_options.end() && found->second;
  }
};

void add_scenario_argument(Command& command, std::string& scenario);
void add_output_flags(Command& command, OutputFlags& flags);
void add_json_flag(Command& command, bool& json);
/// Flags that change what is sampled or stored.
void add_sampling_flags(Command& command, SamplingFlags& flags);
/// Flags that change no bit of an outcome: backend, threads, device, chunk.
void add_machine_flags(Command& command, SamplingFlags& flags);

/// Overrides the scenario's options and checks them.
/// @throws InputError naming the flag and the rule it breaks.
void apply(const SamplingFlags& flags, Scenario& scenario);

/// The same for the machine flags of what samples a family. @throws InputError
void apply(const SamplingFlags& flags, FamilySpec& spec);

}  // namespace carom::cli
