#include "host/cli/explore.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "carom/error.hpp"
#include "carom/explore.hpp"
#include "carom/options.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/version.hpp"
#include "host/base/interrupt.hpp"
#include "host/base/note_json.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_answers.hpp"
#include "host/cli/report_bound.hpp"
#include "host/cli/report_evidence.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/terminal.hpp"
#include "host/laws/law_list.hpp"
#include "host/ranks/slots_on_ranks.hpp"
#include "host/run/run_exploration.hpp"

namespace carom::cli {
namespace {

/// An exploration, for its report.
struct ExploreReport {
  const Scenario& scenario;
  const Exploration& found;
  const std::filesystem::path& file;  ///< empty if none was written
  double seconds;                     ///< of this call
};

std::vector<Note> all_notes(const ExploreReport& report) {
  std::vector<Note> list = notes(report.scenario.problem, report.scenario.sampling);
  list.insert(list.end(), report.found.notes.begin(), report.found.notes.end());
  return list;
}

std::string solutions_text(Solutions solutions) {
  switch (solutions) {
    case Solutions::all:
      return "any of each step";
    case Solutions::cover:
      return "Lemke's of each step, by any covering vector";
    case Solutions::first:
      return "Lemke's of each step: others may be missing";
    case Solutions::table:
      return "one of each step, from a table: others may be missing";
  }
  return "";
}

std::vector<Answer> answers_of(const Scenario& scenario, const Exploration& found) {
  return answers(scenario.problem, scenario.evidence.outputs, found,
                 scenario.sampling.termination_tolerance);
}

std::string text_of(const ExploreReport& report, bool verbose) {
  const auto& [scenario, found, file, seconds] = report;
  const OutcomeRanges ranges = ranges_of(scenario.problem, found);
  const double before = kinetic_energy(scenario.problem, scenario.problem.pre_impact_velocity);
  const ExplorationMark& mark = found.mark;
  const Law& law = scenario.sampling.law;
  const bool has_caps = has_impulse_step(law);
  const std::string steps = fmt::format("{}s", step_name(step_kind(law)));
  std::string text =
      Ink(STDOUT_FILENO).bold("Explored post-impact set of " + title(scenario)) + "\n";
  text += line("size", size_text(scenario.problem, step_kind(law)));
  const std::string h = number(*scenario.sampling.impulse_step);
  text += line("search", fmt::format("{}, at most {} steps, seed {}",
                                     has_caps ? fmt::format("h = {} N·s", h) : law_words(law, h),
                                     scenario.sampling.max_steps, scenario.sampling.seed));
  const auto restitution = restitution_of(scenario.problem, law);
  if (restitution && restitution->maxCoeff() > 0.0) {
    text += line("restitution", restitution_text(*restitution));
  }
  if (step_kind(law) == StepKind::lcp) text += line("solutions", solutions_text(found.solutions));
  if (found.most_repeats > 1) {
    text +=
        line("phases", fmt::format("steps of equal caps, up to {} at a time: h is far below the "
                                   "stopping impulse",
                                   found.most_repeats));
  }
  text += line(steps, fmt::format("{} for a budget of {}, {} rounds on {} islands", found.lcps,
                                  scenario.explore->budget, found.rounds, found.trees.size()));
  text += line("outcomes", fmt::format("{} of {} trajectories", found.outcomes,
                                       found.outcomes + found.dropped + found.failed));
  if (!ranges.energy.empty()) {
    text += line("kinetic energy", fmt::format("{} J before, {} ... {} J of members and ends",
                                               number(before), number(ranges.energy.least, before),
                                               number(ranges.energy.greatest, before)));
  }
  text += line("net", fmt::format("{} member{}, epsilon = {} ({} norm)", found.net.size(),
                                  found.net.size() == 1 ? "" : "s", number(found.net.epsilon()),
                                  norm_name(scenario.sampling.norm)));
  if (mark.lcps > 0) {
    text += line("islands", fmt::format("cover {:.1f} % of each other's members",
                                        percent * mark.islands_cover));
    text += line("last doubling",
                 fmt::format("to {} {}: {:.1f} % more members, an end moved by {:.2g} m/s",
                             mark.lcps, steps, percent * mark.growth, mark.support_moved));
  }
  text += line("stopped", found.stopped);
  if (!file.empty()) text += line("file", file.string());
  text += line("time", fmt::format("{:.3g} s", seconds));
  if (const std::string modes = modes_text(
          scenario.problem, modes_of_members(scenario.problem, found.net), verbose, true);
      !modes.empty()) {
    text += "\n" + modes;
  }
  text += "\n" + contact_text(scenario.problem, ranges);
  const std::vector<OutputEnds> ends = output_ends(scenario.evidence.outputs, found);
  if (!ends.empty()) text += "\n" + directions_text(ends);
  if (found.bound) {
    text +=
        "\nWhat can not happen\n" + bound_text(scenario.problem, *found.bound, "members and ends");
  }
  if (const std::vector<Answer> known = answers_of(scenario, found); !known.empty()) {
    text += "\n" + answers_text(scenario, known, found.bound ? &found.bound->bound : nullptr);
  }
  return text + note_lines(all_notes(report), STDOUT_FILENO) +
         fmt::format(
             "\nThese outcomes were found, and each has a script of {} that leads to it. "
             "Shares of them are\nno probabilities, and no search shows what it did not "
             "find.\n",
             has_caps ? "caps" : "choices");
}

/// `json` without the options that only random trajectories have.
nlohmann::ordered_json without_random(nlohmann::ordered_json json) {
  for (const char* name : {"trajectories", "trajectories_asked", "caps", "caps_asked"}) {
    json.erase(name);
  }
  return json;
}

nlohmann::ordered_json json_of(const ExploreReport& report) {
  const auto& [scenario, found, file, seconds] = report;
  const auto restitution = restitution_of(scenario.problem, scenario.sampling.law);
  const OutcomeRanges ranges = ranges_of(scenario.problem, found);
  const double before = kinetic_energy(scenario.problem, scenario.problem.pre_impact_velocity);
  return {
      {"version", version()},
      {"name", title(scenario)},
      {"system", scenario.system},
      {"complete", found.complete},
      {"size", size_json(scenario.problem)},
      {"law", without_random(law_json(scenario.sampling.law))},
      {"restitution", restitution ? vector_json(*restitution) : nlohmann::ordered_json()},
      {"sampling", without_random(sampling_json(scenario.sampling))},
      {"solutions", solutions_name(found.solutions)},
      {"outcomes", found.outcomes},
      {"dropped", found.dropped},
      {"failed", found.failed},
      {steps_key(step_kind(scenario.sampling.law)), {{"total", found.lcps}}},
      {"energy", {{"before", before}, {"after", range_json(ranges.energy)}}},
      {"contacts", contacts_json(scenario.problem, ranges)},
      {"directions", directions_json(output_ends(scenario.evidence.outputs, found))},
      {"bound",
       found.bound ? bound_json(scenario.problem, *found.bound) : nlohmann::ordered_json()},
      {"answers", answers_json(answers_of(scenario, found))},
      {"net",
       {{"size", found.net.size()},
        {"epsilon", found.net.epsilon()},
        {"norm", norm_name(scenario.sampling.norm)}}},
      {"modes", modes_json(scenario.problem, modes_of_members(scenario.problem, found.net), true)},
      {"explore",
       {{"budget", scenario.explore->budget},
        {"slots", scenario.explore->slots},
        {"islands", found.trees.size()},
        {"rounds", found.rounds},
        {"most_repeats", found.most_repeats},
        {"mark_lcps", found.mark.lcps},
        {"members_new", found.mark.members_new},
        {"islands_cover", found.mark.islands_cover},
        {"growth", found.mark.growth},
        {"support_moved", found.mark.support_moved},
        {"settled", found.settled},
        {"stopped", found.stopped}}},
      {"file", file.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(file.string())},
      {"seconds", seconds},
      {"notes", notes_json(all_notes(report))}};
}

}  // namespace

void refuse_sampling_flags(const OptionFlags& flags) {
  using Group = OptionDescription::Group;
  for (const OptionDescription& option : options()) {
    const bool random = option.group == Group::evidence || option.group == Group::storage ||
                        option.name == "trajectories" || option.name == "caps";
    if (!random || !flags.given(option.name)) continue;
    throw InputError(flag_name(option) +
                     " is given (must be without --explore: it is for random trajectories, and "
                     "what is made of them)");
  }
}

void add_explore_flags(Command& command, OptionFlags& flags) {
  command.group("How the set is explored");
  add_flags(command, OptionDescription::Group::explore, flags);
}

int run_explore(Crew* crew, Scenario& scenario, std::optional<Exploration> start,
                const std::filesystem::path& file, const std::optional<std::string>& checkpoint,
                const OutputFlags& flags) {
  const InterruptGuard guard;
  const auto begun = std::chrono::steady_clock::now();
  const Exploration found =
      run_exploration(scenario, std::move(start), file, run_control(crew, checkpoint, flags),
                      crew == nullptr ? RunSlots() : slots_on_ranks(*crew, scenario));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
  const ExploreReport report{scenario, found, file, seconds.count()};
  if (flags.json) {
    print(json_of(report));
  } else if (!flags.quiet) {
    print(text_of(report, flags.verbose));
  }
  if (flags.quiet || flags.json) tell(note_lines(all_notes(report), STDERR_FILENO));
  if (found.complete) return exit_success;
  tell(
      fmt::format("{}interrupted after {} of {} LCPs{}\n", Ink(STDERR_FILENO).error("carom: "),
                  found.lcps, scenario.explore->budget,
                  file.empty() ? "" : fmt::format("; 'carom resume {}' continues", file.string())));
  return exit_run_failed;
}

}  // namespace carom::cli
