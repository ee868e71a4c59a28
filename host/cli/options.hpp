#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/problem_family.hpp"
#include "carom/scenario.hpp"
#include "host/numbers.hpp"
#include "host/option_words.hpp"

namespace carom::cli {

inline constexpr int exit_success = 0;
inline constexpr int exit_run_failed = 1;
inline constexpr int exit_bad_input = 2;

/// What a subcommand does once the command line is parsed; returns the exit code.
using Command = std::function<int()>;

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
  Text caps, solutions, precision;
  Text seed, problem_id, samples, paths, shard_rows;
  Text backend, threads, device, chunk;
};

void add_scenario_argument(CLI::App& command, std::string& scenario);
void add_output_flags(CLI::App& command, OutputFlags& flags);
/// -o, --output; refuses an empty name and one that looks like a flag.
void add_output_option(CLI::App& command, const char* type, const char* help, std::string& file);
void add_json_flag(CLI::App& command, bool& json);
/// Flags that change what is sampled or stored.
void add_sampling_flags(CLI::App& command, SamplingFlags& flags);
/// Flags that change no bit of an outcome: backend, threads, device, chunk.
void add_machine_flags(CLI::App& command, SamplingFlags& flags);

/// Overrides the scenario's options and checks them.
/// @throws InputError naming the flag and the rule it breaks.
void apply(const SamplingFlags& flags, Scenario& scenario);

/// The same for the machine flags of what samples a family. @throws InputError
void apply(const SamplingFlags& flags, const ProblemFamily& family, SamplingOptions& sampling);

}  // namespace carom::cli
