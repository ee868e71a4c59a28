#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>

#include "carom/error.hpp"
#include "carom/progress_bar.hpp"
#include "host/base/clock.hpp"
#include "host/base/interrupt.hpp"
#include "host/base/progress.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/shown_stages.hpp"
#include "host/cli/terminal.hpp"
#include "host/families/family_notes.hpp"
#include "host/families/grid/state_answers.hpp"
#include "host/files/output_lock.hpp"
#include "host/files/output_place.hpp"
#include "host/ranks/family_jobs.hpp"

// carom grid and carom dataset: for each member of a family, the post-impact set in one file, or
// outcomes in shards.

namespace carom::cli {
namespace {

using nlohmann::ordered_json;
// Most work on a grid that is lost by a crash, or by an interrupt that ends the process at once.
constexpr std::chrono::seconds between_writes{30};

struct FamilyArguments {
  std::string spec;
  std::string output;
  OptionFlags machine;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

/// Exit code; tells on standard error the notes, and how to continue an interrupted run.
/// @param done "3 of 12 states"
int conclude_family(const FamilyArguments& arguments, const char* command,
                    const ProblemFamily& family, const std::vector<FamilyNote>& notes,
                    bool complete, const std::string& done) {
  bool lacks_outcomes = false;
  for (const FamilyNote& its : notes) {
    const Note& note = its.note;
    const bool error = note.severity == Severity::error;
    lacks_outcomes = lacks_outcomes || error;
    const std::string text = family_note_text(its, family);
    tell(error ? Ink(STDERR_FILENO).error("carom: error: ") + text + "\n"
               : note_lines({{note.code, note.severity, text}}, STDERR_FILENO));
  }
  if (complete) return lacks_outcomes ? exit_run_failed : exit_success;
  tell(fmt::format("{}interrupted after {}; 'carom {} {} -o {}' continues\n",
                   Ink(STDERR_FILENO).error("carom: "), done, command, arguments.spec,
                   arguments.output));
  return exit_run_failed;
}

/// Counts over all states.
struct Totals {
  std::uint64_t valid = 0;
  std::uint64_t colliding = 0;
  std::uint64_t outcomes = 0;
  std::uint64_t step_limit = 0;
  std::uint64_t failed = 0;
  std::uint64_t checksum = 0;  // sum of the states' checksums
  std::size_t widest = 0;      // state whose net has the greatest diameter
  std::map<std::vector<ContactMode>, std::uint64_t> modes;  // states in which a mode occurs
};

Totals add_up(const GridResult& result) {
  Totals totals;
  for (std::size_t i = 0; i < result.states.size(); ++i) {
    const GridState& state = result.states[i];
    if (!state.valid()) continue;
    ++totals.valid;
    totals.colliding += state.colliding;
    totals.outcomes += state.outcomes();
    totals.step_limit += state.status_counts[static_cast<std::size_t>(Status::step_limit)];
    for (const std::uint64_t count : state.status_counts) totals.failed += count;
    totals.checksum += state.checksum;
    if (state.net_diameter > result.states[totals.widest].net_diameter) totals.widest = i;
    if (state.colliding == 0) continue;
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
      {"colliding", totals.colliding}, {"trajectories", *spec.sampling.trajectories},
      {"outcomes", totals.outcomes},   {"step_limit", totals.step_limit},
      {"failed", totals.failed},       {"checksum", fmt::format("{:016x}", totals.checksum)},
      {"states_by_mode", modes}};
  auto answers = ordered_json::array();
  for (std::size_t i = 0; i < spec.ask.size(); ++i) {
    ordered_json its = {{"question", spec.ask[i]}};
    for (const auto& [verdict, states] : count_answers(result.states, i)) {
      its[verdict_name(verdict)] = states;
    }
    answers.push_back(its);
  }
  json["answers"] = answers;
  if (totals.valid > 0) {
    json["largest_net_diameter"] = {{"member", totals.widest},
                                    {"values", spec.family.values(totals.widest)},
                                    {"net_diameter", result.states[totals.widest].net_diameter}};
  }
  json["notes"] = notes_json(notes(spec, result), spec.family);
  json["output"] = file;
  json["seconds"] = seconds;
  return json;
}

/// The modes, those of most states first.
std::string modes_of_states(const Totals& totals, const std::vector<std::string>& names) {
  std::vector<std::pair<std::vector<ContactMode>, std::uint64_t>> modes(totals.modes.begin(),
                                                                        totals.modes.end());
  std::ranges::stable_sort(modes, std::ranges::greater{},
                           [](const auto& its) { return its.second; });
  const std::size_t shown = shown_modes(modes.size());
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [mode, states] = modes[i];
    text += line("mode", fmt::format("{}: in {} state{}", short_mode_text(mode, names), states,
                                     states == 1 ? "" : "s"));
  }
  if (shown == modes.size()) return text;
  return text + line("", fmt::format("{} other modes (--json lists them)", modes.size() - shown));
}

/// Of each question, in how many states it has which answer.
std::string asked_states(const GridSpec& spec, const GridResult& result) {
  if (spec.ask.empty()) return "";
  Table table({"question", "yes", "no", "no within N steps", "open"});
  for (std::size_t i = 0; i < spec.ask.size(); ++i) {
    const auto counts = count_answers(result.states, i);
    const auto count = [&](Answer::Verdict verdict) { return fmt::to_string(counts.at(verdict)); };
    table.add({spec.ask[i], count(Answer::Verdict::yes), count(Answer::Verdict::no),
               count(Answer::Verdict::no_within), count(Answer::Verdict::open)});
  }
  return "\nQuestions: colliding states by answer\n" + table.text() +
         (bound_options(spec).scope == BoundScope::inclusion
              ? "  no: proved that no path of the differential inclusion has it\n"
              : "  yes: an outcome was found that has it; no: proved that none has\n");
}

std::string grid_report(const GridSpec& spec, const GridResult& result, const std::string& file,
                        double seconds) {
  const Totals totals = add_up(result);
  std::string text = Ink(STDOUT_FILENO).bold("Grid " + file) + "\n";
  text += line("states", fmt::format("{} of {}, {} valid, {} of them collide", result.states.size(),
                                     title(spec.family.base()), totals.valid, totals.colliding));
  text += line("trajectories", fmt::format("{} per state", spec.sampling.trajectories));
  text += line("outcomes", fmt::format("{}; {} at the step limit, {} failed", totals.outcomes,
                                       totals.step_limit, totals.failed));
  if (totals.valid > 0) {
    text += line("widest net",
                 fmt::format("diameter {:.4g} at {}; its outcomes' is at most {:.4g} more",
                             result.states[totals.widest].net_diameter,
                             spec.family.description(totals.widest), 2.0 * *spec.sampling.epsilon));
  }
  text += modes_of_states(totals, spec.family.base().problem.contact_names);
  text += line("checksum", fmt::format("{:016x}", totals.checksum));
  text += line("time", fmt::format("{:.2g} s", seconds));
  return text + asked_states(spec, result);
}

/// The contents of an existing output file, if it is of this grid.
GridResult read_start(const FamilyArguments& arguments, const GridSpec& spec) {
  check_place(arguments.output, "--output");
  if (arguments.force || !std::filesystem::exists(arguments.output)) return {};
  try {
    return read_grid(arguments.output, spec);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("--output is {}: {}; --force overwrites it", arguments.output, error.what()));
  }
}

int run_grid(const FamilyArguments& arguments, Crew* crew) {
  const auto start = Clock::now();
  GridSpec spec = read_grid_spec(arguments.spec, shown_stages(arguments.quiet));
  apply(arguments.machine, spec);

  const InterruptGuard guard;
  const OutputLock lock(arguments.output);
  GridResult result = read_start(arguments, spec);
  const std::size_t found = result.states.size();
  if (found == 0)
    write_grid(arguments.output, spec, result);  // reports an unusable path before the work
  ProgressBar bar(found, spec.family.size(), !arguments.quiet, "states");
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
      continue_grid(spec, result, observer, grid_on_ranks(*crew, arguments.spec, spec));
    }
  } catch (const std::exception&) {
    if (result.states.empty()) {  // a file of this specification would refuse the corrected one
      std::filesystem::remove(arguments.output);
    } else {
      write_grid(arguments.output, spec, result);  // keeps the sampled states
    }
    throw;
  }
  write_grid(arguments.output, spec, result);
  const double seconds = seconds_since(start);
  if (arguments.json) {
    print(grid_json(spec, result, arguments.output, seconds));
  } else if (!arguments.quiet) {
    print(grid_report(spec, result, arguments.output, seconds));
  }
  return conclude_family(arguments, "grid", spec.family, notes(spec, result), result.complete,
                         fmt::format("{} of {} states", result.states.size(), spec.family.size()));
}

ordered_json dataset_json(const DatasetSpec& spec, const DatasetSummary& summary,
                          const std::string& folder, double seconds) {
  const auto known = [&](const auto& count) {  // unknown for an interrupted data set
    return summary.complete ? ordered_json(count) : ordered_json(nullptr);
  };
  return {{"complete", summary.complete},
          {"members", spec.family.size()},
          {"problems", known(summary.problems)},
          {"skipped", known(summary.skipped)},
          {"outcomes", known(summary.outcomes)},
          {"short_problems", known(summary.short_problems)},
          {spec.rolled ? "rollouts" : "trajectories",
           known(ordered_json::object_t(summary.ends.begin(), summary.ends.end()))},
          {"split",
           {{"train", known(summary.train)},
            {"validation", known(summary.validation)},
            {"test", known(summary.test)}}},
          {"shards", summary.shards},
          {"shards_found", summary.found},
          {"shards_damaged", summary.damaged},
          {"bytes", known(summary.bytes)},
          {"notes", notes_json(summary.notes, spec.family)},
          {"folder", folder},
          {"seconds", seconds}};
}

std::string dataset_report(const DatasetSpec& spec, const DatasetSummary& summary,
                           const std::string& folder, double seconds) {
  const double made =
      static_cast<double>(summary.problems) *
      (1.0 - static_cast<double>(summary.found) / static_cast<double>(summary.shards));
  std::string text = Ink(STDOUT_FILENO).bold("Data set " + folder) + "\n";
  text += line("members", fmt::format("{} of {}", spec.family.size(), title(spec.family.base())));
  text += line("problems", fmt::format("{} ({} train, {} validation, {} test)", summary.problems,
                                       summary.train, summary.validation, summary.test));
  text += line("left out", fmt::format("{} members", summary.skipped));
  if (spec.rolled) {
    std::string ends;
    for (const auto& [name, count] : summary.ends) {
      if (count > 0) ends += fmt::format("{}{} {}", ends.empty() ? "" : ", ", count, name);
    }
    text += line("rollouts", fmt::format("{} are whole, {} of a problem at most; all ended: {}",
                                         summary.outcomes, spec.rows_per_problem(), ends));
  } else {
    text += line("outcomes", fmt::format("{}, {} of a problem at most, chosen {}", summary.outcomes,
                                         spec.content.outcomes, choice_name(spec.content.choice)));
  }
  text += line("short", fmt::format("{} problems with fewer", summary.short_problems));
  const std::string repaired =
      summary.damaged > 0 ? fmt::format(", {} damaged and made again", summary.damaged) : "";
  text += line("shards",
               fmt::format("{}, {} of them found{}, {:.1f} MiB", summary.shards, summary.found,
                           repaired, static_cast<double>(summary.bytes) / 1048576.0));
  text += line(
      "time",
      fmt::format("{:.2g} s{}", seconds,
                  made > 0.0 ? fmt::format(", {} problems/s", short_count(made / seconds)) : ""));
  return text;
}

int run_dataset(const FamilyArguments& arguments, Crew* crew) {
  const auto start = Clock::now();
  DatasetSpec spec = read_dataset_spec(arguments.spec, shown_stages(arguments.quiet));
  apply(arguments.machine, spec);

  const InterruptGuard guard;
  std::unique_ptr<ProgressBar> bar;
  const DatasetObserver observer = [&](const DatasetProgress& progress) {
    if (!bar) {
      bar = std::make_unique<ProgressBar>(progress.members, progress.total, !arguments.quiet,
                                          "problems");
    }
    bar->update(progress.members, 0);
    return !interrupted();
  };
  const std::string& folder = arguments.output;
  const DatasetSummary summary =
      crew == nullptr ? generate_dataset(spec, folder, observer)
                      : generate_dataset(spec, folder, observer,
                                         dataset_on_ranks(*crew, arguments.spec, spec, folder));
  bar.reset();
  const double seconds = seconds_since(start);
  if (arguments.json) {
    print(dataset_json(spec, summary, folder, seconds));
  } else if (summary.complete && !arguments.quiet) {
    print(dataset_report(spec, summary, folder, seconds));
  }
  return conclude_family(arguments, "dataset", spec.family, summary.notes, summary.complete,
                         fmt::format("{} of {} shards", summary.shards, spec.shards()));
}

/// Flags of both commands. @param page page of docs/ with the specification's keys
Command add_family_command(CommandLine& line, const char* name, const char* help,
                           const char* example, const char* page,
                           const std::pair<const char*, const char*>& output,
                           const std::shared_ptr<FamilyArguments>& arguments,
                           const std::function<int(const FamilyArguments&)>& run) {
  Command command = line.add(name, help, example, [arguments, run] { return run(*arguments); });
  command.argument("SPEC", arguments->spec,
                   fmt::format("specification (TOML, see docs/{})", page).c_str());
  command.output(arguments->output, output.first, output.second);
  command.require("--output");
  add_json_flag(command, arguments->json);
  command.flag("-q,--quiet", arguments->quiet, "print notes and errors only");
  return command;
}

}  // namespace

void add_grid_command(CommandLine& line, Crew* crew) {
  const auto arguments = std::make_shared<FamilyArguments>();
  Command command = add_family_command(
      line, "grid", "Sample the post-impact sets of a grid of states; run again, it goes on",
      "grid examples/rocking_block_grid.toml -o rocking_block_grid.h5", "grid.md",
      {"FILE", "grid file"}, arguments,
      [crew](const FamilyArguments& its) { return run_grid(its, crew); });
  command.flag("--force", arguments->force, "overwrite whatever the file holds");
  add_machine_flags(command, arguments->machine);
}

void add_dataset_command(CommandLine& line, Crew* crew) {
  const auto arguments = std::make_shared<FamilyArguments>();
  Command command = add_family_command(
      line, "dataset",
      "Sample a family of problems into a data set for learning; run again, it goes on where it "
      "was stopped",
      "dataset examples/quick_states.toml -o quick_states", "datasets.md",
      {"DIR", "folder of the data set; made if missing"}, arguments,
      [crew](const FamilyArguments& its) { return run_dataset(its, crew); });
  add_machine_flags(command, arguments->machine);
}

}  // namespace carom::cli
