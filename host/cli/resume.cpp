#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "carom/error.hpp"
#include "carom/roll_io.hpp"
#include "carom/version.hpp"
#include "host/base/interrupt.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/explore.hpp"
#include "host/cli/report.hpp"
#include "host/cli/roll.hpp"
#include "host/cli/run.hpp"
#include "host/run/evidence.hpp"

namespace carom::cli {
namespace {

struct ResumeArguments {
  std::string file;
  std::string output;
  bool force = false;
  std::optional<std::string> checkpoint;
  std::optional<std::string> trajectories;
  OptionFlags options;
  OutputFlags flags;
};

/// Refuses a size that is not above what the file has, stated by a flag or not.
[[noreturn]] void refuse_size(const std::string& flag, bool given, std::uint64_t wanted,
                              std::uint64_t done, const char* unit, const std::string& file) {
  if (given) {
    throw InputError(fmt::format("{} is {} (must be above the {} {} that {} has)", flag, wanted,
                                 done, unit, file));
  }
  throw InputError(
      fmt::format("{} is missing ({} is complete: say how many {}, more than {}, it shall have)",
                  flag, file, unit, done));
}

std::uint64_t wanted_trajectories(const ResumeArguments& arguments, const Result& result) {
  const std::uint64_t done = result.set.summary.trajectories;
  const bool lacking =
      !missing_evidence(result.scenario.sampling, result.scenario.evidence, result.set).empty();
  if (!arguments.trajectories) {
    if (!result.set.complete || lacking) return result.scenario.sampling.trajectories;
    refuse_size("--trajectories", false, 0, done, "trajectories", arguments.file);
  }
  const std::uint64_t wanted = parse_integer("--trajectories", *arguments.trajectories, 1,
                                             std::numeric_limits<std::uint64_t>::max());
  if (wanted < done || (wanted == done && !lacking)) {
    refuse_size("--trajectories", true, wanted, done, "trajectories", arguments.file);
  }
  return wanted;
}

int resume_exploration(const ResumeArguments& arguments, Crew* crew) {
  if (arguments.trajectories || arguments.options.given("rollouts")) {
    throw InputError(
        fmt::format("{} is given (must be without: {} is an exploration, whose size is --budget)",
                    arguments.trajectories ? "--trajectories" : "--rollouts", arguments.file));
  }
  ExplorationResult result = read_exploration(arguments.file);
  Scenario& scenario = result.scenario;
  apply(arguments.options, scenario);
  check_continues(result, scenario, arguments.file);
  const Exploration& found = result.found;
  if (found.settled) {
    throw InputError(fmt::format("{} has settled after {} LCPs: there is nothing to resume",
                                 arguments.file, found.lcps));
  }
  if (scenario.explore->budget <= found.lcps) {
    refuse_size("--budget", arguments.options.given("budget"), scenario.explore->budget, found.lcps,
                "LCPs", arguments.file);
  }
  const std::filesystem::path place(arguments.output.empty() ? arguments.file : arguments.output);
  if (!arguments.output.empty()) check_output(place, arguments.force);
  return run_explore(crew, scenario, std::move(result.found), place, arguments.checkpoint,
                     arguments.flags);
}

int resume_rollouts(const ResumeArguments& arguments, Crew* crew) {
  if (arguments.trajectories || arguments.options.given("budget")) {
    throw InputError(
        fmt::format("{} is given (must be without: {} holds rollouts, whose number is --rollouts)",
                    arguments.trajectories ? "--trajectories" : "--budget", arguments.file));
  }
  RollResult result = read_rollouts(arguments.file);
  Scenario& scenario = result.scenario;
  apply(arguments.options, scenario);
  const std::uint64_t done = result.rollouts.size();
  if (result.version != version()) {
    throw InputError(
        fmt::format("{} was written by Carom {} (must be {}: another version may give other bits)",
                    arguments.file, result.version, version()));
  }
  scenario.sampling = sampling_in_time(scenario);
  scenario.roll = roll_options_in_time(scenario);
  if (scenario.roll->rollouts <= done) {
    refuse_size("--rollouts", arguments.options.given("rollouts"), scenario.roll->rollouts, done,
                "rollouts", arguments.file);
  }
  const std::filesystem::path place(arguments.output.empty() ? arguments.file : arguments.output);
  if (!arguments.output.empty()) check_output(place, arguments.force);
  return run_roll_report(crew, scenario, std::move(result.rollouts), place, arguments.checkpoint,
                         arguments.flags);
}

int run_resume(const ResumeArguments& arguments, Crew* crew) {
  const std::filesystem::path file = arguments.file;
  if (is_rollouts(file)) return resume_rollouts(arguments, crew);
  if (is_exploration(file)) return resume_exploration(arguments, crew);
  Result result = read_result(file);
  for (const std::string name : {"rollouts", "budget"}) {
    if (!arguments.options.given(name)) continue;
    throw InputError(
        fmt::format("--{} is given (must be without: {} is a result, whose size is --trajectories)",
                    name, arguments.file));
  }
  Scenario& scenario = result.scenario;
  scenario.sampling.trajectories = wanted_trajectories(arguments, result);
  EvidenceOptions& evidence = scenario.evidence;
  if (arguments.trajectories && !evidence.hold_out.is_stated()) {
    evidence.hold_out = {};  // depends on how many trajectories there are
    evidence = resolved(evidence, scenario.sampling);
  }
  apply(arguments.options, scenario);

  const bool tested_before = result.set.certificate.has_value();
  const InterruptGuard guard;  // created before a file that a signal could leave behind
  const std::filesystem::path place(arguments.output.empty() ? arguments.file : arguments.output);
  if (!arguments.output.empty()) check_output(place, arguments.force);
  ResultWriter writer = ResultWriter::resume(file, scenario, place);
  RunMeans means(crew, scenario, &writer, arguments.checkpoint, arguments.flags);
  const PostImpactSet set = means.run(scenario, std::move(result.set), &writer);
  print_report({scenario, set, place}, arguments.flags);
  if (tested_before && set.certificate) {
    tell(note_line(fmt::format("{} had been tested before: each certificate holds with its "
                               "confidence, not both together",
                               file.string()),
                   STDERR_FILENO));
  }
  return conclude(scenario, set, place);
}

}  // namespace

void add_resume_command(CommandLine& line, Crew* crew) {
  auto arguments = std::make_shared<ResumeArguments>();
  Command command =
      line.add("resume",
               "Continue an interrupted run, or add trajectories (or LCPs) to a finished one: the "
               "result equals that of having asked for all of them at first",
               "resume rocking_block.h5 --trajectories 1e5",
               [arguments, crew] { return run_resume(*arguments, crew); });
  command.argument("FILE", arguments->file, "result file of 'carom sample' or 'carom roll'");
  command.option("--trajectories", arguments->trajectories, "M",
                 "number of trajectories in all; optional for an interrupted run");
  command.option("--budget", arguments->options.text["budget"], "LCPS",
                 "of an exploration: LCPs in all; optional for an interrupted one");
  command.option("--rollouts", arguments->options.text["rollouts"], "R",
                 "of rollouts: how many in all; optional for an interrupted run");
  command.output(arguments->output, "FILE", "result file, if not the same");
  command.flag("--force", arguments->force,
               "overwrite the output file even if it is no result of Carom");
  add_checkpoint_flag(command, arguments->checkpoint);
  add_output_flags(command, arguments->flags);
  add_machine_flags(command, arguments->options);
}

}  // namespace carom::cli
