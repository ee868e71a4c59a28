#include "carom/dataset.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>

#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/terminal.hpp"
#include "host/interrupt.hpp"
#include "host/progress.hpp"
#include "host/ranks/family_jobs.hpp"
#include "host/standard_error.hpp"

namespace carom::cli {
namespace {

struct DatasetArguments {
  std::string spec;
  std::string output;
  SamplingFlags machine;
  bool json = false;
  bool quiet = false;
};

using nlohmann::ordered_json;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ordered_json dataset_json(const DatasetSpec& spec, const DatasetSummary& summary,
                          const std::string& folder, double seconds) {
  const auto known = [&](std::uint64_t count) {  // of a data set that was interrupted, nothing is
    return summary.complete ? ordered_json(count) : ordered_json(nullptr);
  };
  return {{"complete", summary.complete},
          {"members", spec.family.size()},
          {"problems", known(summary.problems)},
          {"skipped", known(summary.skipped)},
          {"outcomes", known(summary.outcomes)},
          {"short_problems", known(summary.short_problems)},
          {"split",
           {{"train", known(summary.train)},
            {"validation", known(summary.validation)},
            {"test", known(summary.test)}}},
          {"shards", summary.shards},
          {"shards_found", summary.found},
          {"bytes", known(summary.bytes)},
          {"folder", folder},
          {"seconds", seconds}};
}

std::string report(const DatasetSpec& spec, const DatasetSummary& summary,
                   const std::string& folder, double seconds) {
  const double made =
      static_cast<double>(summary.problems) *
      (1.0 - static_cast<double>(summary.found) / static_cast<double>(summary.shards));
  std::string text = Ink(STDOUT_FILENO).bold("Data set " + folder) + "\n";
  text += line("members",
               fmt::format("{} of {}", spec.family.size(), system_title(spec.family.base())));
  text += line("problems", fmt::format("{} ({} train, {} validation, {} test)", summary.problems,
                                       summary.train, summary.validation, summary.test));
  text += line("left out", fmt::format("{} members", summary.skipped));
  text += line("outcomes", fmt::format("{}, {} of a problem at most, chosen {}", summary.outcomes,
                                       spec.content.outcomes, choice_name(spec.content.choice)));
  text += line("short", fmt::format("{} problems with fewer", summary.short_problems));
  text +=
      line("shards", fmt::format("{}, {} of them found, {:.1f} MiB", summary.shards, summary.found,
                                 static_cast<double>(summary.bytes) / 1048576.0));
  text += line(
      "time",
      fmt::format("{:.2g} s{}", seconds,
                  made > 0.0 ? fmt::format(", {} problems/s", short_count(made / seconds)) : ""));
  return text;
}

int run_dataset(const DatasetArguments& arguments, Crew* crew) {
  DatasetSpec spec = read_dataset_spec(arguments.spec);
  apply(arguments.machine, spec.family, spec.sampling);

  const InterruptGuard guard;
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<ProgressBar> bar;
  const DatasetObserver observer = [&](const DatasetProgress& progress) {
    if (!bar) {
      bar =
          std::make_unique<ProgressBar>(progress.members, progress.total,
                                        is_terminal(STDERR_FILENO) && !arguments.quiet, "problems");
    }
    bar->update(progress.members, 0);
    return !interrupted();
  };
  const DatasetSummary summary =
      crew == nullptr ? generate_dataset(spec, arguments.output, observer)
                      : generate_dataset(*crew, arguments.spec, spec, arguments.output, observer);
  bar.reset();
  const double seconds = seconds_since(start);
  if (arguments.json) {
    print(dataset_json(spec, summary, arguments.output, seconds));
  } else if (summary.complete && !arguments.quiet) {
    print(report(spec, summary, arguments.output, seconds));
  }
  if (summary.complete) return exit_success;
  tell(fmt::format("{}interrupted after {} of {} shards; 'carom dataset {} -o {}' continues\n",
                   Ink(STDERR_FILENO).error("carom: "), summary.shards, spec.shards(),
                   arguments.spec, arguments.output));
  return exit_run_failed;
}

}  // namespace

void add_dataset_command(CommandLine& line, Crew* crew) {
  auto arguments = std::make_shared<DatasetArguments>();
  Command command = line.add("dataset",
                             "Sample a family of problems into a data set for learning; run again, "
                             "it goes on where it was stopped",
                             [arguments, crew] { return run_dataset(*arguments, crew); });
  command.argument("SPEC", arguments->spec, "specification (TOML, see docs/datasets.md)");
  command.output(arguments->output, "DIR", "folder of the data set; made if missing");
  command.require("--output");
  add_json_flag(command, arguments->json);
  command.flag("-q,--quiet", arguments->quiet, "print errors only");
  add_machine_flags(command, arguments->machine);
}

}  // namespace carom::cli
