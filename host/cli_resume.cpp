#include <fmt/core.h>

#include <filesystem>
#include <limits>
#include <system_error>

#include "carom/error.hpp"
#include "host/cli_commands.hpp"
#include "host/cli_report.hpp"
#include "host/cli_run.hpp"
#include "host/interrupt.hpp"

namespace carom::cli {
namespace {

struct ResumeArguments {
  std::string file;
  std::string output;
  bool force = false;
  std::optional<std::string> trajectories;
  SamplingFlags machine;
  OutputFlags flags;
};

/// A copy of a result beside the place that it is meant for: ResultWriter continues files in
/// place, and a run that fails must leave the place as it was.
class CopyBeside {
 public:
  CopyBeside(const std::filesystem::path& from, std::filesystem::path to)
      : to_(std::move(to)), copy_(to_.string() + ".resume") {
    std::error_code error;
    std::filesystem::copy_file(from, copy_, std::filesystem::copy_options::overwrite_existing,
                               error);
    if (error) {
      throw InputError(fmt::format("--output is {} (must be a place to write to: {})", to_.string(),
                                   error.message()));
    }
  }
  CopyBeside(const CopyBeside&) = delete;
  CopyBeside& operator=(const CopyBeside&) = delete;
  ~CopyBeside() {
    std::error_code ignored;
    std::filesystem::remove(copy_, ignored);
  }

  const std::filesystem::path& path() const { return copy_; }

  void put_in_place() {
    std::error_code error;
    std::filesystem::rename(copy_, to_, error);
    if (error) {
      throw RunError(fmt::format("cannot write {} ({})", to_.string(), error.message()));
    }
  }

 private:
  std::filesystem::path to_;
  std::filesystem::path copy_;
};

std::uint64_t wanted_trajectories(const ResumeArguments& arguments, const Result& result) {
  const std::uint64_t done = result.set.summary.trajectories;
  if (!arguments.trajectories) {
    if (!result.set.complete) return result.scenario.sampling.trajectories;
    throw InputError(
        fmt::format("--trajectories is missing ({} is complete: say how many trajectories, more "
                    "than {}, it shall have)",
                    arguments.file, done));
  }
  const std::uint64_t wanted = parse_integer("--trajectories", *arguments.trajectories, 1,
                                             std::numeric_limits<std::uint64_t>::max());
  if (wanted <= done) {
    throw InputError(fmt::format("--trajectories is {} (must be above the {} that {} has)", wanted,
                                 done, arguments.file));
  }
  return wanted;
}

int run_resume(const ResumeArguments& arguments) {
  const std::filesystem::path file = arguments.file;
  Result result = read_result(file);
  Scenario& scenario = result.scenario;
  scenario.sampling.trajectories = wanted_trajectories(arguments, result);
  apply(arguments.machine, scenario);

  const InterruptGuard guard;  // before there is a file that a signal could leave behind
  std::optional<CopyBeside> copy;
  const std::filesystem::path place(arguments.output.empty() ? arguments.file : arguments.output);
  if (!arguments.output.empty()) {
    check_output(place, arguments.force);
    copy.emplace(file, place);
  }
  ResultWriter writer = ResultWriter::resume(copy ? copy->path() : file, scenario);
  const PostImpactSet set = run_sampling(scenario, std::move(result.set), &writer, arguments.flags);
  if (copy) copy->put_in_place();
  print_report({scenario, set, place}, arguments.flags);
  return conclude(set, place);
}

}  // namespace

void add_resume_command(CLI::App& app, Command& selected) {
  auto arguments = std::make_shared<ResumeArguments>();
  CLI::App* command = app.add_subcommand(
      "resume",
      "Continue an interrupted run, or add trajectories to a finished one: the result "
      "equals that of having asked for all of them at first");
  command->add_option("FILE", arguments->file, "result file of 'carom sample'")->required();
  command
      ->add_option("--trajectories", arguments->trajectories,
                   "number of trajectories in all; optional for an interrupted run")
      ->type_name("M");
  add_output_option(*command, "FILE", "result file, if not the same", arguments->output);
  command->add_flag("--force", arguments->force,
                    "overwrite the output file even if it is no result of Carom");
  add_machine_flags(*command, arguments->machine);
  add_output_flags(*command, arguments->flags);
  command->callback(
      [&selected, arguments] { selected = [arguments] { return run_resume(*arguments); }; });
}

}  // namespace carom::cli
