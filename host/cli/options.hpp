#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "carom/numbers.hpp"
#include "carom/options.hpp"
#include "carom/problem_family.hpp"
#include "carom/scenario.hpp"
#include "host/cli/command_line.hpp"

namespace carom::cli {

/// Options of a command's output.
struct OutputFlags {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// Flags that override options, as typed: apply() reads them, and its messages name them.
struct OptionFlags {
  std::map<std::string, std::optional<std::string>> text;  ///< by the option's name
  std::map<std::string, bool> switched;                    ///< of options that are true or false
  std::vector<std::string> directions;                     ///< each --direction
  std::vector<std::string> questions;                      ///< each --ask

  /// Whether the flag of an option was given.
  bool given(const std::string& option) const;
};

/// "--max-steps"; "--no-comparison" for an option whose default is true.
std::string flag_name(const OptionDescription& option);

void add_scenario_argument(Command& command, std::string& scenario);
void add_output_flags(Command& command, OutputFlags& flags);
void add_json_flag(Command& command, bool& json);
/// Flags of a group of options, but for some.
void add_flags(Command& command, OptionDescription::Group group, OptionFlags& flags,
               const std::set<std::string>& but = {});
/// Flags that change what is sampled or stored.
void add_sampling_flags(Command& command, OptionFlags& flags);
/// Flags that change the evidence about the net.
void add_evidence_flags(Command& command, OptionFlags& flags);
/// --direction and --ask, which may be repeated.
void add_direction_flags(Command& command, OptionFlags& flags);
/// Flags on which outcomes do not depend.
void add_machine_flags(Command& command, OptionFlags& flags);

/// Overrides the scenario's options and checks them.
/// @throws InputError naming the flag and the rule it breaks.
void apply(const OptionFlags& flags, Scenario& scenario);

/// The same for the options of a family's sampling. @throws InputError
void apply(const OptionFlags& flags, FamilySpec& spec);

}  // namespace carom::cli
