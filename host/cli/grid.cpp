#include "carom/grid.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "carom/error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/terminal.hpp"
#include "host/interrupt.hpp"
#include "host/progress.hpp"
#include "host/ranks/family_jobs.hpp"
#include "host/result/output_place.hpp"
#include "host/standard_error.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// What an interrupt that ends the process at once, or a crash, loses at most.
constexpr std::chrono::seconds between_writes{30};

struct GridArguments {
  std::string spec;
  std::string output;
  SamplingFlags machine;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

/// Counts over all states.
struct Totals {
  std::uint64_t valid = 0;
  std::uint64_t colliding = 0;
  std::uint64_t outcomes = 0;
  std::uint64_t step_limit = 0;
  std::uint64_t failed = 0;
  std::uint64_t checksum = 0;                               // the sum of the states'
  std::size_t widest = 0;                                   // state of the greatest diameter
  std::map<std::vector<ContactMode>, std::uint64_t> modes;  // states in which a mode occurs
};

Totals add_up(const GridResult& result) {
  Totals totals;
  for (std::size_t i = 0; i < result.states.size(); ++i) {
    const GridState& state = result.states[i];
    if (!state.valid()) continue;
    ++totals.valid;
    totals.colliding += state.colliding ? 1 : 0;
    totals.outcomes += state.outcomes();
    totals.step_limit += state.status_counts[static_cast<std::size_t>(Status::step_limit)];
    for (const std::uint64_t count : state.status_counts) totals.failed += count;
    totals.checksum += state.checksum;
    if (state.diameter > result.states[totals.widest].diameter) totals.widest = i;
    for (const auto& [mode, count] : state.modes) ++totals.modes[mode];
  }
  totals.failed -= totals.outcomes + totals.step_limit;
  return totals;
}

ordered_json grid_json(const GridSpec& spec, const GridResult& result, const std::string& file,
                       double seconds) {
  const Totals totals = add_up(result);
  ordered_json modes = ordered_json::object();
  for (const auto& [mode, states] : totals.modes) {
    modes[mode_text(mode, spec.family.base().problem.contact_names)] = states;
  }
  ordered_json json = {
      {"complete", result.complete},   {"states", spec.family.size()},
      {"done", result.states.size()},  {"valid", totals.valid},
      {"colliding", totals.colliding}, {"trajectories", spec.sampling.trajectories},
      {"outcomes", totals.outcomes},   {"step_limit", totals.step_limit},
      {"failed", totals.failed},       {"checksum", fmt::format("{:016x}", totals.checksum)},
      {"states_by_mode", modes}};
  if (totals.valid > 0) {
    json["largest_diameter"] = {{"member", totals.widest},
                                {"values", spec.family.values(totals.widest)},
                                {"diameter", result.states[totals.widest].diameter}};
  }
  json["output"] = file;
  json["seconds"] = seconds;
  return json;
}

std::string report(const GridSpec& spec, const GridResult& result, const std::string& file,
                   double seconds) {
  const Totals totals = add_up(result);
  std::string text = Ink(STDOUT_FILENO).bold("Grid " + file) + "\n";
  text +=
      line("states", fmt::format("{} of {}, {} valid, {} of them collide", result.states.size(),
                                 system_title(spec.family.base()), totals.valid, totals.colliding));
  text += line("trajectories", fmt::format("{} per state", spec.sampling.trajectories));
  text += line("outcomes", fmt::format("{}; {} at the step limit, {} failed", totals.outcomes,
                                       totals.step_limit, totals.failed));
  if (totals.valid > 0) {
    text += line("largest diameter",
                 fmt::format("{:.4g} at {} (within {:.4g})", result.states[totals.widest].diameter,
                             spec.family.description(totals.widest), 2.0 * spec.sampling.epsilon));
  }
  for (const auto& [mode, states] : totals.modes) {
    text += line("mode",
                 fmt::format("{}: in {} states",
                             mode_text(mode, spec.family.base().problem.contact_names), states));
  }
  text += line("checksum", fmt::format("{:016x}", totals.checksum));
  text += line("time", fmt::format("{:.2g} s", seconds));
  return text;
}

/// What the file to write holds already, if it is of this grid.
GridResult read_start(const GridArguments& arguments, const GridSpec& spec) {
  check_place(arguments.output, "--output");
  if (arguments.force || !std::filesystem::exists(arguments.output)) return {};
  try {
    return read_grid(arguments.output, spec);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("--output is {}: {}; --force overwrites it", arguments.output, error.what()));
  }
}

int run_grid(const GridArguments& arguments, Crew* crew) {
  GridSpec spec = read_grid_spec(arguments.spec);
  apply(arguments.machine, spec.family, spec.sampling);

  const InterruptGuard guard;
  const auto start = Clock::now();
  GridResult result = read_start(arguments, spec);
  const std::size_t found = result.states.size();
  if (found == 0)
    write_grid(arguments.output, spec, result);  // a bad place is told before the work
  ProgressBar bar(found, spec.family.size(), is_terminal(STDERR_FILENO) && !arguments.quiet,
                  "states");
  auto written = Clock::now();
  const GridObserver observer = [&](const GridResult& so_far) {
    bar.update(so_far.states.size(), 0);
    if (Clock::now() - written > between_writes) {
      write_grid(arguments.output, spec, so_far);
      written = Clock::now();
    }
    return !interrupted();
  };
  try {
    if (crew == nullptr) {
      continue_grid(spec, result, observer);
    } else {
      continue_grid(*crew, arguments.spec, spec, result, observer);
    }
  } catch (const std::exception&) {
    write_grid(arguments.output, spec, result);  // what was sampled is not lost
    throw;
  }
  write_grid(arguments.output, spec, result);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (arguments.json) {
    print(grid_json(spec, result, arguments.output, seconds));
  } else if (!arguments.quiet) {
    print(report(spec, result, arguments.output, seconds));
  }
  if (result.complete) return exit_success;
  tell(fmt::format("{}interrupted after {} of {} states; 'carom grid {} -o {}' continues\n",
                   Ink(STDERR_FILENO).error("carom: "), result.states.size(), spec.family.size(),
                   arguments.spec, arguments.output));
  return exit_run_failed;
}

}  // namespace

void add_grid_command(CommandLine& line, Crew* crew) {
  auto arguments = std::make_shared<GridArguments>();
  Command command =
      line.add("grid", "Sample the post-impact sets of a grid of states; run again, it goes on",
               [arguments, crew] { return run_grid(*arguments, crew); });
  command.argument("SPEC", arguments->spec, "specification (TOML, see docs/grid.md)");
  command.output(arguments->output, "FILE", "grid file");
  command.require("--output");
  command.flag("--force", arguments->force, "overwrite whatever the file holds");
  add_json_flag(command, arguments->json);
  command.flag("-q,--quiet", arguments->quiet, "print errors only");
  add_machine_flags(command, arguments->machine);
}

}  // namespace carom::cli
