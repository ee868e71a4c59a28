#include "host/cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "host/base/field_error.hpp"

namespace carom::cli {
namespace {

using Group = OptionDescription::Group;

/// "max_steps" -> "max-steps"
std::string hyphenated(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

}  // namespace

std::string flag_name(const OptionDescription& option) {
  const bool negates = option.kind == OptionKind::truth && option.default_value == "true";
  return (negates ? "--no-" : "--") + hyphenated(option.name);
}

void add_flags(Command& command, Group group, OptionFlags& flags,
               const std::set<std::string>& but) {
  for (const OptionDescription& option : options()) {
    if (option.group != group || but.contains(option.name)) continue;
    if (option.kind == OptionKind::truth) {
      const char* const negation = option.default_value == "true" ? "leave out: " : "";
      command.flag(flag_name(option).c_str(), flags.switched[option.name],
                   (negation + option.help).c_str());
    } else {
      command.option(flag_name(option).c_str(), flags.text[option.name], option.argument.c_str(),
                     option.help.c_str());
    }
  }
}

namespace {

/// Checks the library's rules; messages name the flag if one was given.
void check(const OptionFlags& flags, const Scenario& scenario) {
  try {
    validate_options(scenario);
  } catch (const FieldError& error) {
    const std::string option = error.path().substr(error.path().rfind('.') + 1);
    if (!flags.given(option)) throw;
    std::string message = error.what();
    if (message.starts_with(option)) message.erase(0, option.size());
    throw InputError("--" + hyphenated(option) + message);
  }
  if (scenario.evidence.miss > 0.0) return;
  for (const char* option : {"max_trajectories", "max_seconds"}) {
    if (!flags.given(option)) continue;
    throw InputError(fmt::format("--{} is given (must be with --miss: it ends a run that grows)",
                                 hyphenated(option)));
  }
}

}  // namespace

void add_scenario_argument(Command& command, std::string& scenario) {
  command.argument("SCENARIO", scenario,
                   "scenario file (.toml), or the name of a built-in system (carom systems)");
}

void add_json_flag(Command& command, bool& json) {
  command.flag("--json", json, "print one JSON document on standard output");
}

void add_output_flags(Command& command, OutputFlags& flags) {
  add_json_flag(command, flags.json);
  command.flag("-q,--quiet", flags.quiet, "print warnings, notes and errors only");
  command.flag("--verbose", flags.verbose, "print every count and option");
  command.exclude("--verbose", "--quiet");
}

bool OptionFlags::given(const std::string& option) const {
  const auto typed = text.find(option);
  const auto was = switched.find(option);
  return (typed != text.end() && typed->second) || (was != switched.end() && was->second);
}

void add_sampling_flags(Command& command, OptionFlags& flags) {
  command.group("What is sampled");
  add_flags(command, Group::sampling, flags);
  add_flags(command, Group::law, flags);
  command.group("What the result file keeps");
  add_flags(command, Group::storage, flags);
}

void add_evidence_flags(Command& command, OptionFlags& flags) {
  command.group("What is found out about the net");
  add_flags(command, Group::evidence, flags);
  add_direction_flags(command, flags);
}

void add_direction_flags(Command& command, OptionFlags& flags) {
  command.option(
      "--direction", flags.directions, "D",
      "a direction whose ends are wanted: \"CONTACT normal\", \"CONTACT tangential\" or nv "
      "numbers; may be repeated");
  command.option(
      "--ask", flags.questions, "QUESTION",
      "whether outcomes can have it: \"CONTACT normal > 0.1\", \"|DIRECTION| > 0.1\"; may "
      "be repeated");
}

void add_machine_flags(Command& command, OptionFlags& flags) {
  command.group("How it runs (changes no bit of an outcome)");
  add_flags(command, Group::machine, flags);
}

void apply(const OptionFlags& flags, Scenario& scenario) {
  for (const OptionDescription& option : options()) {
    if (!flags.given(option.name)) continue;
    const std::string text = option.kind != OptionKind::truth ? *flags.text.at(option.name)
                             : option.default_value == "true" ? "false"
                                                              : "true";
    set_option(scenario, option.name, text, flag_name(option));
  }
  for (const std::string& text : flags.directions) {
    add_direction(scenario.problem, text, "--direction", scenario.evidence.outputs);
  }
  for (const std::string& text : flags.questions) {
    add_question(scenario.problem, text, scenario.evidence.outputs);
  }
  check(flags, scenario);
}

void apply(const OptionFlags& flags, FamilySpec& spec) {
  Scenario scenario = spec.family.base();
  scenario.sampling = spec.sampling;
  apply(flags, scenario);
  spec.sampling = scenario.sampling;
}

}  // namespace carom::cli
