#pragma once

#include <string>
#include <vector>

#include "carom/scenario.hpp"

namespace carom {

/// Type of an option's value.
enum class OptionKind {
  integer,
  number,  ///< real
  truth,   ///< true or false
  text,
};

/// An option of a scenario. TOML, JSON and Python use its name as it is; its flag has dashes
/// instead of underscores.
struct OptionDescription {
  enum class Group {
    sampling,  ///< what is sampled
    law,       ///< the law and the options of single laws
    storage,   ///< what a result file keeps
    evidence,  ///< evidence about the net
    explore,   ///< how the set is explored
    bound,     ///< how outcomes are bounded
    roll,      ///< how a motion is computed
    machine,   ///< how a run is computed; results do not depend on it
  };
  std::string name;
  Group group;
  OptionKind kind;
  std::string argument;            ///< the value's placeholder in usage texts
  std::vector<std::string> words;  ///< words allowed instead of a number
  std::string default_value;       ///< value if a scenario states none, as text
  std::string help;
};

/// Every option; `law` comes before the laws' own options.
const std::vector<OptionDescription>& options();

/// The value of an option as text; empty for an option that the scenario's law does not have.
/// @throws InputError if no option has this name
std::string option_value(const Scenario& scenario, const std::string& name);

/// Sets an option from its text; what several options must fulfil together is left to validate().
/// @param place what messages call the option
/// @throws InputError naming place and rule, or if no option has this name
void set_option(Scenario& scenario, const std::string& name, const std::string& text,
                const std::string& place);

/// Checks sampling and evidence options, and whether they suit law and problem.
/// @throws InputError naming the option and the rule
void validate_options(const Scenario& scenario);

}  // namespace carom
