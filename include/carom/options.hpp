#pragma once

#include <string>
#include <vector>

#include "carom/scenario.hpp"

namespace carom {

/// What the value of an option is.
enum class OptionKind {
  integer,
  number,  ///< real
  truth,   ///< true or false
  text,
};

/// An option of a scenario, by the name that it has in TOML, JSON and Python; its flag has dashes
/// for underscores.
struct OptionDescription {
  enum class Group {
    sampling,  ///< what is sampled
    law,       ///< the law, and what one law alone has
    storage,   ///< what a result file keeps
    evidence,  ///< what is found out about the net
    machine,   ///< how a run is made; changes no bit of it
  };
  std::string name;
  Group group;
  OptionKind kind;
  std::string argument;            ///< what a usage shows for its value
  std::vector<std::string> words;  ///< that an integer may be, too
  std::string default_value;       ///< where a scenario states none, as text
  std::string help;
};

/// Every option, `law` before the options of the laws' own.
const std::vector<OptionDescription>& options();

/// The value of an option as text; empty for an option that the scenario's law does not have.
/// @throws InputError where no option has this name
std::string option_value(const Scenario& scenario, const std::string& name);

/// Sets an option from its text; what several options must fulfil together is left to validate().
/// @param place what messages call the option
/// @throws InputError naming place and rule, or where no option has this name
void set_option(Scenario& scenario, const std::string& name, const std::string& text,
                const std::string& place);

/// Checks sampling and evidence options, and whether they suit law and problem.
/// @throws InputError naming the option and the rule
void validate_options(const Scenario& scenario);

}  // namespace carom
