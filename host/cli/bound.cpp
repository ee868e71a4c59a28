#include <unistd.h>

#include <memory>
#include <optional>

#include "carom/bounds.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_answers.hpp"
#include "host/cli/report_bound.hpp"
#include "host/cli/shown_stages.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

constexpr std::uint64_t default_trajectories = 4096;

struct BoundArguments {
  std::string scenario;
  OptionFlags options;
  std::optional<std::string> trajectories;
  bool json = false;
};

std::uint64_t wanted_trajectories(const BoundArguments& arguments) {
  if (!arguments.trajectories) return default_trajectories;
  return parse_integer("--trajectories", *arguments.trajectories, 0, UINT64_MAX);
}

BoundCheck find(const Scenario& scenario, std::uint64_t trajectories) {
  SamplingOptions options = scenario.sampling;
  options.trajectories = trajectories;
  return check_bound(scenario.problem, options, *scenario.evidence.bound, scenario.evidence.outputs,
                     shown_stages(false));
}

int run_bound(const BoundArguments& arguments) {
  Scenario scenario = load_scenario(arguments.scenario);
  if (!scenario.evidence.bound) scenario.evidence.bound.emplace();
  apply(arguments.options, scenario);
  settle_outputs(scenario);
  const std::uint64_t trajectories = wanted_trajectories(arguments);
  resolve(scenario, shown_stages(false));
  const BoundCheck check = find(scenario, trajectories);
  const Outputs& outputs = scenario.evidence.outputs;
  const std::vector<Answer> known = answers(scenario.problem, outputs, output_ends(outputs, check),
                                            &check.bound, scenario.sampling.termination_tolerance);
  if (arguments.json) {
    nlohmann::ordered_json document = {{"system", scenario.system},
                                       {"law", law_json(scenario.sampling.law)}};
    document.update(bound_json(scenario.problem, check));
    document["answers"] = answers_json(known);
    print(document);
  } else {
    print(Ink(STDOUT_FILENO).bold(title(scenario)) + "\n" +
          line("size", size_text(scenario.problem)) + bound_text(scenario.problem, check) +
          (known.empty() ? "" : "\n" + answers_text(scenario, known, &check.bound)));
  }
  return exit_success;
}

}  // namespace

void add_bound_command(CommandLine& line) {
  auto arguments = std::make_shared<BoundArguments>();
  Command command = line.add("bound",
                             "Prove what can not happen: bounds of all outcomes, beside what "
                             "trajectories find",
                             "bound rocking_block --direction \"A normal\"",
                             [arguments] { return run_bound(*arguments); });
  add_scenario_argument(command, arguments->scenario);
  add_flags(command, OptionDescription::Group::bound, arguments->options);
  add_direction_flags(command, arguments->options);
  command.option("--trajectories", arguments->trajectories, "M",
                 "trajectories to compare with (default 4096, 0: none)");
  add_json_flag(command, arguments->json);
}

}  // namespace carom::cli
