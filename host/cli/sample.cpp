#include "host/base/interrupt.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/explore.hpp"
#include "host/cli/options.hpp"
#include "host/cli/report.hpp"
#include "host/cli/run.hpp"
#include "host/cli/shown_stages.hpp"

namespace carom::cli {
namespace {

struct SampleArguments {
  std::string scenario;
  std::string output;
  bool force = false;
  std::optional<std::string> checkpoint;
  bool explore = false;
  bool bound = false;
  OptionFlags options;
  OutputFlags flags;
};

/// Refuses flags that have no effect without an output file.
void refuse_file_flags(const SampleArguments& arguments, const Scenario& scenario) {
  const OptionFlags& options = arguments.options;
  const std::pair<const char*, bool> given[] = {
      {"--samples", options.given("samples") && scenario.storage.samples > 0},
      {"--paths", options.given("paths") && scenario.storage.paths > 0},
      {"--shard-rows", options.given("shard_rows")},
      {"--checkpoint", arguments.checkpoint.has_value()},
      {"--force", arguments.force}};
  for (const auto& [flag, stands] : given) {
    if (stands) throw InputError(std::string(flag) + " is given (must be with --output)");
  }
}

int run_sample(const SampleArguments& arguments, Crew* crew) {
  Scenario scenario = load_scenario(arguments.scenario);
  if (arguments.explore && !scenario.explore) scenario.explore.emplace();
  if (arguments.bound && !scenario.evidence.bound) scenario.evidence.bound.emplace();
  if (scenario.explore) refuse_sampling_flags(arguments.options);
  apply(arguments.options, scenario);
  settle_outputs(scenario);
  resolve(scenario, shown_stages(arguments.flags.quiet));
  const std::filesystem::path file = arguments.output;
  if (file.empty()) refuse_file_flags(arguments, scenario);
  if (scenario.explore) {
    if (!file.empty()) check_output(file, arguments.force);
    return run_explore(crew, scenario, std::nullopt, file, arguments.checkpoint, arguments.flags);
  }
  const InterruptGuard guard;  // created before a file that a signal could leave behind
  std::optional<ResultWriter> writer;
  if (!file.empty()) {
    check_output(file, arguments.force);
    writer.emplace(file, scenario);
  }
  RunMeans means(crew, scenario, writer ? &*writer : nullptr, arguments.checkpoint,
                 arguments.flags);
  const PostImpactSet set = means.run(scenario, std::nullopt, writer ? &*writer : nullptr);
  print_report({scenario, set, file}, arguments.flags);
  return conclude(scenario, set, file);
}

}  // namespace

void add_sample_command(CommandLine& line, Crew* crew) {
  auto arguments = std::make_shared<SampleArguments>();
  Command command = line.add(
      "sample", "Sample the post-impact set of a scenario; options override the scenario's",
      "sample rocking_block -o rocking_block.h5",
      [arguments, crew] { return run_sample(*arguments, crew); });
  add_scenario_argument(command, arguments->scenario);
  command.output(arguments->output, "FILE", "result file (HDF5); without it, the summary only");
  command.flag("--force", arguments->force,
               "overwrite the output file even if it is no result of Carom");
  command.flag("--explore", arguments->explore,
               "search for the set instead of drawing random caps (docs/explore.md)");
  add_checkpoint_flag(command, arguments->checkpoint);
  add_output_flags(command, arguments->flags);
  add_sampling_flags(command, arguments->options);
  add_evidence_flags(command, arguments->options);
  add_explore_flags(command, arguments->options);
  command.group("What can not happen");
  command.flag("--bound", arguments->bound,
               "prove bounds of the outcomes, and compare all of them (docs/bounds.md)");
  add_flags(command, OptionDescription::Group::bound, arguments->options);
  add_machine_flags(command, arguments->options);
}

}  // namespace carom::cli
