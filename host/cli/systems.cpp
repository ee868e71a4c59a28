#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "carom/mujoco.hpp"
#include "carom/scenario.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

const char* rule_text(SystemParameter::Rule rule) {
  switch (rule) {
    case SystemParameter::Rule::any:
      return "";
    case SystemParameter::Rule::positive:
      return "> 0";
    case SystemParameter::Rule::not_negative:
      return ">= 0";
  }
  return "";
}

std::string systems_text() {
  const Ink ink(STDOUT_FILENO);
  std::string text;
  for (const System& system : systems()) {
    text += ink.bold(system.name) + ": " + system.description + "\n";
    const SamplingOptions& sampling = system.sampling;
    if (sampling.impulse_step.is_preset()) {
      text +=
          fmt::format("  sampling: h = {} N·s, at most {} steps, {} trajectories\n",
                      number(*sampling.impulse_step), sampling.max_steps, sampling.trajectories);
    } else {
      text += fmt::format("  sampling: law {}\n", law_name(sampling.law));
    }
    Table table({"parameter", "default", "unit", "rule", "meaning"}, false);
    for (const SystemParameter& parameter : system.parameters) {
      table.add({parameter.name, fmt::format("{:.8g}", parameter.value), parameter.unit,
                 rule_text(parameter.rule), parameter.description});
    }
    text += table.text() + "\n";
  }
  text += ink.bold("matrices") +
          ": mass matrix, Jacobians, friction and velocity given in the scenario\n";
  const MujocoSupport mujoco = mujoco_support();
  const std::string state =
      mujoco.problem.empty()
          ? fmt::format("MuJoCo {}, {}", mujoco.loaded_version, mujoco.loaded_file)
          : "not here: " + mujoco.problem;
  return text + ink.bold("mujoco") + ": a MuJoCo model at a state given in the scenario\n  " +
         state + "\n";
}

nlohmann::ordered_json mujoco_json() {
  const MujocoSupport found = mujoco_support();
  return {{"built", found.built},
          {"available", found.problem.empty()},
          {"version", found.loaded_version},
          {"library", found.loaded_file},
          {"problem", found.problem}};
}

nlohmann::ordered_json systems_json() {
  auto list = nlohmann::ordered_json::array();
  for (const System& system : systems()) {
    auto parameters = nlohmann::ordered_json::array();
    for (const SystemParameter& parameter : system.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"default", parameter.value},
                            {"unit", parameter.unit},
                            {"rule", rule_text(parameter.rule)},
                            {"description", parameter.description}});
    }
    list.push_back({{"name", system.name},
                    {"description", system.description},
                    {"parameters", parameters},
                    {"sampling", sampling_json(system.sampling)}});
  }
  return {{"systems", list}, {"mujoco", mujoco_json()}};
}

}  // namespace

void add_systems_command(CommandLine& line) {
  auto json = std::make_shared<bool>(false);
  Command command =
      line.add("systems", "List the built-in systems with their parameters", "systems", [json] {
        if (*json) {
          print(systems_json());
        } else {
          print(systems_text());
        }
        return exit_success;
      });
  add_json_flag(command, *json);
}

}  // namespace carom::cli
