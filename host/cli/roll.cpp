#include "host/cli/roll.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "carom/error.hpp"
#include "carom/options.hpp"
#include "carom/version.hpp"
#include "host/base/interrupt.hpp"
#include "host/base/note_json.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/run.hpp"
#include "host/cli/terminal.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_text.hpp"
#include "host/ranks/rollouts_on_ranks.hpp"

namespace carom::cli {
namespace {

struct RollArguments {
  std::string scenario;
  std::string output;
  bool force = false;
  std::optional<std::string> checkpoint;
  std::vector<std::string> ask;
  OptionFlags options;
  OutputFlags flags;
};

/// Rollouts, for their report.
struct RollReport {
  const Scenario& scenario;
  const RolledSystem& system;
  const Rollouts& rollouts;
  const RollSummary& summary;
  const std::filesystem::path& file;  ///< empty if none was written
  double seconds;                     ///< of this call
};

std::string status_text(const RollSummary& summary) {
  std::string text;
  for (int s = 0; s < rollout_status_count; ++s) {
    if (summary.by_status[s] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", summary.by_status[s],
                        rollout_status_name(static_cast<RolloutStatus>(s)));
  }
  return text;
}

/// The quantiles of a row of five numbers, in a table's cells.
void add_quantiles(const std::string& name, const double* levels, double scale, Table& table) {
  std::vector<std::string> cells = {name};
  for (int level = 0; level < roll_level_count; ++level) {
    cells.push_back(number(levels[level] * scale, 1.0));
  }
  table.add(std::move(cells));
}

/// The law of the impacts with its options, those that differ from their defaults or are auto, and
/// what their random numbers depend on.
std::string impact_words(const Scenario& scenario) {
  const SamplingOptions& sampling = scenario.sampling;
  std::string text = law_name(sampling.law);
  const auto defaults = law_options(law_named(text));
  const auto own = law_options(sampling.law);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto& [name, value] = own[i];
    if (value == auto_word) {
      text += fmt::format(", {} by the contacts of each", name);
    } else if (value != defaults[i].second) {
      text += fmt::format(", {} {}", name, value);
    }
  }
  if (const auto restitution = restitution_in_time(scenario)) {
    text += fmt::format(", restitution {}", number(*restitution));
  }
  if (has_impulse_step(sampling.law)) {
    text += sampling.impulse_step.has_value()
                ? fmt::format(", h = {} N·s", number(*sampling.impulse_step))
                : ", h = auto, of each its own";
  }
  return text + fmt::format(", seed {}, problem id {}", sampling.seed, sampling.problem_id);
}

/// How events are located, and what the starts depend on.
std::string compliant_words(const Scenario& scenario, bool has_file) {
  const char* const derivatives = !scenario.roll->derivative ? ""
                                  : has_file                 ? ", with derivatives in the file"
                                             : ", with derivatives, which only a file (-o) shows";
  return fmt::format("compliant, crossing {}{}, seed {}, problem id {}",
                     crossing_name(scenario.roll->crossing), derivatives, scenario.sampling.seed,
                     scenario.sampling.problem_id);
}

std::string end_table(const RollReport& report) {
  constexpr double degrees = 57.29577951308232;  // per rad
  const auto nq = static_cast<std::size_t>(report.rollouts.coordinates);
  const double* const last =
      &report.summary.position[(report.rollouts.time.size() - 1) * nq * roll_level_count];
  Table table({"", "least", "5 %", "median", "95 %", "greatest"});
  const bool compliant = report.rollouts.compliant;
  for (std::size_t i = 0; i < nq; ++i) {
    const std::string& unit = report.system.units[i];
    const bool angle = unit == "rad";
    add_quantiles(report.system.coordinates[i] + (unit.empty() ? ""
                                                  : angle      ? ", deg"
                                                               : ", " + unit),
                  last + i * roll_level_count, angle ? degrees : 1.0, table);
  }
  add_quantiles(compliant ? "end_time (last event), s" : "end_time (last normal motion), s",
                report.summary.end_time, 1.0, table);
  return table.text();
}

std::string answer_table(const std::vector<RollAnswer>& answers) {
  if (answers.empty()) return "";
  Table table({"question", "yes", "share, %", "95 % interval, %"});
  for (const RollAnswer& answer : answers) {
    const auto share = [&](std::uint64_t yes) {
      return number(percent * static_cast<double>(yes) / static_cast<double>(answer.rollouts));
    };
    const bool is_open = answer.open > 0;
    table.add({answer.question,
               fmt::format("{} of {}{}", answer.yes, answer.rollouts,
                           is_open ? fmt::format(" ({} failed before)", answer.open) : ""),
               share(answer.yes) + (is_open ? " ... " + share(answer.yes + answer.open) : ""),
               fmt::format("{} ... {}", number(percent * answer.interval.low),
                           number(percent * answer.interval.high))});
  }
  return "\n" + table.text();
}

std::string tube_table(const RollReport& report) {
  const std::optional<Tube>& tube = report.summary.tube;
  if (!tube) return "";
  Table table({"net at, s", "members", "missed by others", "miss bound, 95 %"});
  for (std::size_t k = 0; k < tube->nets.size(); ++k) {
    const TubeNet& net = tube->nets[k];
    table.add({number(report.rollouts.time[k]), std::to_string(net.members.size()),
               fmt::format("{} of {}", net.missed, net.tested), number(net.miss_bound)});
  }
  return fmt::format("\nStates within {} J^(1/2) of a member, positions over {} s\n{}",
                     number(tube->epsilon), number(tube->time), table.text());
}

nlohmann::ordered_json tube_json(const std::optional<Tube>& tube) {
  if (!tube) return nullptr;
  auto nets = nlohmann::ordered_json::array();
  for (const TubeNet& net : tube->nets) {
    nets.push_back({{"members", net.members.size()},
                    {"tested", net.tested},
                    {"missed", net.missed},
                    {"miss_bound", net.miss_bound}});
  }
  return {{"time", tube->time}, {"epsilon", tube->epsilon}, {"nets", std::move(nets)}};
}

std::string text_of(const RollReport& report) {
  const auto& [scenario, system, rollouts, summary, file, seconds] = report;
  const RollOptions& options = *scenario.roll;
  std::string text = Ink(STDOUT_FILENO).bold("Motion of " + title(scenario)) + "\n";
  const bool has_limits = scenario.mujoco && scenario.mujoco->limits;
  text +=
      line("size", fmt::format("{} coordinates, {} pairs that can touch{}", rollouts.coordinates,
                               system.contacts.size(), has_limits ? " (and limits)" : ""));
  text += rollouts.compliant ? line("contact", compliant_words(scenario, !file.empty()))
                             : line("impacts", impact_words(scenario));
  if (scenario.mujoco) {
    text +=
        line("contact",
             fmt::format("MuJoCo's; what approaches faster than {} m/s within {} m has an impact",
                         number(options.impact_speed), number(scenario.mujoco->distance)));
  }
  text += line(
      "time", fmt::format("{} s in steps of {} s", number(options.duration), number(options.step)));
  text += line(
      "rollouts",
      fmt::format("{}{}: {}", summary.rollouts,
                  rollouts.complete ? "" : fmt::format(" of {}, interrupted", options.rollouts),
                  status_text(summary)));
  const std::uint64_t whole = summary.whole();
  if (whole > 0) {
    text += line(rollouts.compliant ? "events of each" : "impacts of each",
                 fmt::format("{} on average, at most {}", number(summary.impacts_mean),
                             summary.impacts_most));
  }
  if (!file.empty()) text += line("file", file.string());
  text += line("computed in", fmt::format("{:.3g} s", seconds));
  if (whole == 0) {
    text += "\nNo rollout came to its end, so there are no numbers of any.\n" +
            answer_table(summary.answers);
  } else {
    text += fmt::format("\nAt {} s, of {} rollout{}\n", number(options.duration), whole,
                        whole == 1 ? "" : "s") +
            end_table(report) + answer_table(summary.answers) + tube_table(report);
  }
  return text + note_lines(rollouts.notes, STDOUT_FILENO);
}

/// Quantiles of a column: for each time and coordinate an array of one number per level.
nlohmann::ordered_json quantiles_json(const std::vector<double>& numbers, std::size_t width) {
  auto times = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < numbers.size(); i += width * roll_level_count) {
    auto row = nlohmann::ordered_json::array();
    for (std::size_t c = 0; c < width; ++c) {
      const double* const levels = &numbers[i + c * roll_level_count];
      row.push_back(std::vector<double>(levels, levels + roll_level_count));
    }
    times.push_back(std::move(row));
  }
  return times;
}

nlohmann::ordered_json json_of(const RollReport& report) {
  const auto& [scenario, system, rollouts, summary, file, seconds] = report;
  nlohmann::ordered_json status;
  for (int s = 0; s < rollout_status_count; ++s) {
    status[rollout_status_name(static_cast<RolloutStatus>(s))] = summary.by_status[s];
  }
  auto answers = nlohmann::ordered_json::array();
  for (const RollAnswer& answer : summary.answers) {
    answers.push_back({{"question", answer.question},
                       {"yes", answer.yes},
                       {"open", answer.open},
                       {"rollouts", answer.rollouts},
                       {"interval", {answer.interval.low, answer.interval.high}}});
  }
  nlohmann::ordered_json law;  // of contacts that give way there is none
  if (!rollouts.compliant) law = law_json(scenario.sampling.law);
  const std::optional<double> restitution = restitution_in_time(scenario);
  const auto nq = static_cast<std::size_t>(rollouts.coordinates);
  const auto nv = static_cast<std::size_t>(rollouts.velocities);
  return {{"version", version()},
          {"name", title(scenario)},
          {"system", scenario.system},
          {"complete", rollouts.complete},
          {"law", std::move(law)},
          {"restitution", restitution ? nlohmann::ordered_json(*restitution) : nullptr},
          {"roll", roll_options_json(*scenario.roll)},
          {"coordinates", system.coordinates},
          {"rollouts", summary.rollouts},
          {"status", std::move(status)},
          {"impacts", {{"mean", summary.impacts_mean}, {"most", summary.impacts_most}}},
          {"levels", roll_levels},
          {"time", rollouts.time},
          {"position", quantiles_json(summary.position, nq)},
          {"velocity", quantiles_json(summary.velocity, nv)},
          {"end_time", summary.end_time},
          {"answers", std::move(answers)},
          {"tube", tube_json(summary.tube)},
          {"file", file.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(file.string())},
          {"seconds", seconds},
          {"notes", notes_json(rollouts.notes)}};
}

int run_roll_command(const RollArguments& arguments, Crew* crew) {
  Scenario scenario = load_motion(arguments.scenario);
  if (!scenario.roll) scenario.roll.emplace();
  if (!arguments.ask.empty()) scenario.roll->ask = arguments.ask;
  apply(arguments.options, scenario);
  scenario.sampling = sampling_in_time(scenario);
  scenario.roll = roll_options_in_time(scenario);
  const std::filesystem::path file = arguments.output;
  if (file.empty()) {
    for (const auto& [flag, given] : {std::pair("--checkpoint", arguments.checkpoint.has_value()),
                                      {"--force", arguments.force}}) {
      if (given) throw InputError(std::string(flag) + " is given (must be with --output)");
    }
  } else {
    check_motion(scenario);  // before the file is touched
    check_output(file, arguments.force);
  }
  return run_roll_report(crew, scenario, {}, file, arguments.checkpoint, arguments.flags);
}

}  // namespace

int run_roll_report(Crew* crew, const Scenario& scenario, Rollouts start,
                    const std::filesystem::path& file, const std::optional<std::string>& checkpoint,
                    const OutputFlags& flags) {
  const InterruptGuard guard;
  const auto begun = std::chrono::steady_clock::now();
  Rollouts rollouts =
      run_roll(scenario, file, run_control(crew, checkpoint, flags), std::move(start),
               crew == nullptr ? RollPart() : rollouts_on_ranks(*crew, scenario));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
  const RolledSystem system = rolled_system(scenario);
  const RollSummary summary = summarise(system, *scenario.roll, rollouts);
  if (auto note = note_on_tube(summary, rollouts)) rollouts.notes.push_back(std::move(*note));
  const RollReport report{scenario, system, rollouts, summary, file, seconds.count()};
  if (flags.json) {
    print(json_of(report));
  } else if (!flags.quiet) {
    print(text_of(report));
  }
  if (flags.quiet || flags.json) tell(note_lines(rollouts.notes, STDERR_FILENO));
  if (rollouts.complete) return summary.whole() > 0 ? exit_success : exit_run_failed;
  tell(
      fmt::format("{}interrupted after {} of {} rollouts{}\n", Ink(STDERR_FILENO).error("carom: "),
                  rollouts.size(), scenario.roll->rollouts,
                  file.empty() ? "" : fmt::format("; 'carom resume {}' continues", file.string())));
  return exit_run_failed;
}

void add_roll_command(CommandLine& line, Crew* crew) {
  auto arguments = std::make_shared<RollArguments>();
  Command command = line.add("roll",
                             "Move a scenario's bodies in time, again and again, with set-valued "
                             "impacts (docs/time.md)",
                             "roll scenarios/falling_boxes.toml -o falling_boxes.h5",
                             [arguments, crew] { return run_roll_command(*arguments, crew); });
  add_scenario_argument(command, arguments->scenario);
  command.output(arguments->output, "FILE",
                 "file of rollouts (HDF5); without it, the summary only");
  command.flag("--force", arguments->force,
               "overwrite the output file even if it is no result of Carom");
  add_checkpoint_flag(command, arguments->checkpoint);
  add_output_flags(command, arguments->flags);
  command.group("How it moves");
  add_flags(command, OptionDescription::Group::roll, arguments->options);
  command.option(
      "--ask", arguments->ask, "QUESTION",
      "a share with its interval: \"angle > 30 deg by 2 s\", \"|x| < 0.1 m at 1 s\"; may "
      "be repeated");
  command.group("Its impacts");
  add_flags(command, OptionDescription::Group::sampling, arguments->options,
            {"trajectories", "epsilon", "norm"});
  add_flags(command, OptionDescription::Group::law, arguments->options);
  command.group("How it runs (changes no bit)");
  add_flags(command, OptionDescription::Group::machine, arguments->options, {"chunk"});
}

}  // namespace carom::cli
