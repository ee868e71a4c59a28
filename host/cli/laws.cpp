#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "carom/error.hpp"
#include "carom/law_sets.hpp"
#include "carom/numbers.hpp"
#include "carom/options.hpp"
#include "carom/progress_bar.hpp"
#include "carom/result_io.hpp"
#include "carom/run_sampling.hpp"
#include "host/base/interrupt.hpp"
#include "host/base/note_json.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/step_input.hpp"
#include "host/cli/terminal.hpp"
#include "host/families/family_notes.hpp"
#include "host/laws/law_list.hpp"

namespace carom::cli {
namespace {

constexpr std::uint64_t usual_trajectories = 4096;  // a second or two for all laws together

struct LawsArguments {
  std::string scenario;
  std::optional<std::string> trajectories, restitutions, epsilon, norm, seed, output;
  bool force = false;
  bool json = false;
};

/// "set_valued, e = 0.5"
std::string label(const LawSet& one) {
  const std::string name = law_name(one.sampling.law);
  return one.restitution ? fmt::format("{}, e = {}", name, restitution_text(*one.restitution))
                         : name;
}

std::string range_text(const Range& range, double scale) {
  if (range.empty()) return "-";
  const std::string least = number(range.least, scale);
  const std::string greatest = number(range.greatest, scale);
  return least == greatest ? least : least + " ... " + greatest;
}

std::string set_table(const LawSets& found) {
  Table table({"", "law", "outcomes", "net", "epsilon", "energy, J", "modes", "steps", "seconds"},
              false);
  std::string refusals;
  for (std::size_t i = 0; i < found.laws.size(); ++i) {
    const LawSet& one = found.laws[i];
    const std::string place = std::to_string(i + 1);
    if (!one.set) {
      table.add({place, label(one), "-", "-", "-", "-", "-", "-", "-"});
      if (!one.refusal.empty()) refusals += fmt::format("  {}  {}\n", place, one.refusal);
      continue;
    }
    const Summary& summary = one.set->summary;
    table.add(
        {place, label(one), fmt::format("{} of {}", summary.outcomes(), summary.trajectories),
         std::to_string(one.set->net.size()), number(one.set->net.epsilon()),
         range_text(ranges_of(one.problem, *one.set).energy, summary.energy_before),
         std::to_string(one.set->modes.table().size()),
         fmt::format("{:.3g} {}{}", summary.mean_lcps(), step_name(step_kind(one.sampling.law)),
                     summary.mean_lcps() == 1.0 ? "" : "s"),
         fmt::format("{:.3g}", summary.seconds)});
  }
  return table.text() + (refusals.empty() ? "" : "\nNot taken by a law:\n" + refusals);
}

/// A row of one law's members beside the nets of all: share inside, and the farthest.
std::string inside_table(const LawSets& found) {
  std::vector<std::string> header = {"members of"};
  for (std::size_t j = 0; j < found.laws.size(); ++j) {
    if (found.laws[j].set) header.push_back(std::to_string(j + 1));
  }
  Table table(std::move(header));
  for (std::size_t i = 0; i < found.laws.size(); ++i) {
    if (!found.laws[i].set) continue;
    std::vector<std::string> row = {fmt::format("{}  {}", i + 1, label(found.laws[i]))};
    for (std::size_t j = 0; j < found.laws.size(); ++j) {
      if (!found.laws[j].set) continue;
      const auto r = static_cast<Eigen::Index>(i);
      const auto c = static_cast<Eigen::Index>(j);
      const double share = found.inside(r, c);
      constexpr double small = 1e-3;
      const std::string part = share == 1.0 ? "all" : fmt::format("{:.3g} %", percent * share);
      row.push_back(std::isnan(share) ? "-"
                    : found.farthest(r, c) > small * found.laws[j].set->net.epsilon()
                        ? fmt::format("{}, {:.2g}", part, found.farthest(r, c))
                        : part);
    }
    table.add(std::move(row));
  }
  return "Share within its epsilon of the net of law 1, 2, ..., and the farthest\n" + table.text();
}

/// Each note once, with the laws that it is about; none on the machine.
std::string note_text(const Scenario& scenario, const LawSets& found) {
  std::vector<Note> notes;
  std::map<std::string, std::string> laws;  // of each text
  for (const LawSet& one : found.laws) {
    if (!one.set) continue;
    for (const Note& note : one.set->notes) {
      if (note.code == "cpu_fallback" || note.code == "repeated_on_cpu") continue;
      std::string& its = laws[note.text];
      if (its.empty()) notes.push_back(note);
      its += (its.empty() ? "" : "; ") + label(one);
    }
  }
  std::ranges::stable_sort(notes, std::greater(), &Note::severity);
  for (Note& note : notes) {  // a law without outcomes is no failure of the others
    if (note.severity == Severity::error) note.severity = Severity::warning;
  }
  for (Note& note : notes) note.text += fmt::format(" ({})", laws.at(note.text));
  if (auto note = note_on_single_sets(scenario)) notes.push_back(*std::move(note));
  return note_lines(notes, STDOUT_FILENO);
}

/// The laws that an interrupt left whole; all, if there was none.
std::ptrdiff_t whole_laws(const LawSets& found) {
  return std::ranges::count_if(found.laws, [](const LawSet& one) {
    return one.set ? one.set->complete : !one.refusal.empty();
  });
}

nlohmann::ordered_json laws_json(const Scenario& scenario, const LawSets& found) {
  auto laws = nlohmann::ordered_json::array();
  for (const LawSet& one : found.laws) {
    nlohmann::ordered_json entry = {{"law", law_json(one.sampling.law)}};
    entry["restitution"] =
        one.restitution ? vector_json(*one.restitution) : nlohmann::ordered_json();
    entry["refusal"] = one.refusal;
    if (one.set) {
      const Summary& summary = one.set->summary;
      entry["trajectories"] = summary.trajectories;
      entry["outcomes"] = summary.outcomes();
      entry["members"] = one.set->net.size();
      entry["epsilon"] = one.set->net.epsilon();
      const OutcomeRanges reached = ranges_of(one.problem, *one.set);
      entry["energy"] = range_json(reached.energy);
      entry["modes"] = modes_json(one.problem, one.set->modes);
      entry["contacts"] = contacts_json(one.problem, reached);
      entry["steps"] = summary.mean_lcps();
      entry["seconds"] = summary.seconds;
      entry["notes"] = notes_json(one.set->notes);
    }
    laws.push_back(std::move(entry));
  }
  const auto rows = [](const Eigen::MatrixXd& matrix) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& row : matrix.rowwise()) {
      auto numbers = nlohmann::ordered_json::array();
      for (const double value : row) {
        numbers.push_back(std::isfinite(value) ? nlohmann::ordered_json(value) : nullptr);
      }
      list.push_back(std::move(numbers));
    }
    return list;
  };
  std::vector<Note> notes;
  if (auto note = note_on_single_sets(scenario)) notes.push_back(*std::move(note));
  return {{"name", title(scenario)},
          {"notes", notes_json(notes)},
          {"complete", whole_laws(found) == std::ssize(found.laws)},
          {"norm", norm_name(scenario.sampling.norm)},
          {"laws", std::move(laws)},
          {"inside", rows(found.inside)},
          {"farthest", rows(found.farthest)}};
}

/// "set_valued_e0.5.h5"
std::string file_name(const LawSet& one) {
  std::string name = law_name(one.sampling.law);
  if (one.restitution) name += "_e" + restitution_text(*one.restitution);
  std::erase(name, ' ');
  return name + ".h5";
}

/// Refuses a folder that holds anything but a result under a name that a law's file may have.
void check_folder(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& file = entry.path();
    const bool is_of_a_law = std::ranges::any_of(all_laws(), [&](const Law& law) {
      return file.extension() == ".h5" && file.stem().string().starts_with(law_name(law));
    });
    if (is_of_a_law) check_output(file, false);
  }
}

/// Writes a result file for each law into a folder; returns the command that draws them, if any.
std::string write_sets(const Scenario& scenario, const LawSets& found,
                       const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(fmt::format("--output is \"{}\" ({})", folder.string(), error.message()));
  }
  std::string files;
  for (const LawSet& one : found.laws) {
    if (!one.set || one.set->summary.outcomes() == 0) continue;
    Scenario own = scenario;
    own.problem = one.problem;
    own.sampling = one.sampling;
    own.evidence = {};
    own.explore.reset();
    const std::filesystem::path file = folder / file_name(one);
    ResultWriter writer(file, own);
    const Sampler sampler(std::span(&own.problem, 1), own.sampling);
    SampleSet rows;
    sampler.sample(0, one.set->summary.trajectories, rows);
    writer.append(rows);
    writer.finish(*one.set);
    files += " " + file.string();
  }
  return files.empty() ? files : "carom plot" + files;
}

int run_laws(const LawsArguments& arguments) {
  Scenario scenario = load_scenario(arguments.scenario);
  scenario.sampling.trajectories = usual_trajectories;
  scenario.sampling.epsilon = {};    // that of the scenario is for one law
  scenario.sampling.max_steps = {};  // laws with restitution need more
  const auto set = [&](const char* name, const std::optional<std::string>& text) {
    if (text) set_option(scenario, name, *text, std::string("--") + name);
  };
  set("trajectories", arguments.trajectories);
  set("epsilon", arguments.epsilon);
  set("norm", arguments.norm);
  set("seed", arguments.seed);
  if (arguments.output && !arguments.force) check_folder(*arguments.output);
  std::vector<double> restitutions;
  if (arguments.restitutions) restitutions = parse_reals("--restitutions", *arguments.restitutions);
  const InterruptGuard guard;
  const LawSets found = [&] {
    std::unique_ptr<ProgressBar> bar;
    return sets_of_laws(scenario.problem, scenario.sampling, restitutions,
                        [&](std::size_t done, std::size_t all) {
                          if (!bar) bar = std::make_unique<ProgressBar>(0, all, true, "laws");
                          bar->update(done, 0);
                          return !interrupted();
                        });
  }();
  std::string command;
  if (arguments.output) command = write_sets(scenario, found, *arguments.output);
  if (arguments.json) {
    print(laws_json(scenario, found));
  } else {
    print(Ink(STDOUT_FILENO).bold("Laws side by side: " + title(scenario)) + "\n" +
          line("size", size_text(scenario.problem, StepKind::impact)) + set_table(found) + "\n" +
          inside_table(found) + note_text(scenario, found) +
          (command.empty() ? "" : "\nTo draw them: " + command + "\n"));
  }
  const auto whole = whole_laws(found);
  if (whole < std::ssize(found.laws)) {
    tell(fmt::format("{}interrupted after {} of {} laws\n", Ink(STDERR_FILENO).error("carom: "),
                     whole, found.laws.size()));
    return exit_run_failed;
  }
  const bool any = std::ranges::any_of(
      found.laws, [](const LawSet& one) { return one.set && one.set->summary.outcomes() > 0; });
  return any ? exit_success : exit_run_failed;
}

}  // namespace

void add_laws_command(CommandLine& line) {
  auto arguments = std::make_shared<LawsArguments>();
  Command command = line.add("laws", "Sample one problem under every impact law, side by side",
                             "laws rocking_block --restitutions 0,0.5",
                             [arguments] { return run_laws(*arguments); });
  add_scenario_argument(command, arguments->scenario);
  command.option("--trajectories", arguments->trajectories, "M", "of each law (default 4,096)");
  command.option("--restitutions", arguments->restitutions, "E,...",
                 "each for all contacts, for laws that have it (default: 0 and the problem's, else "
                 "0, 0.5 and 1)");
  command.option("--epsilon", arguments->epsilon, "EPS|auto",
                 "resolution of all nets (default: each law chooses its own)");
  command.option("--norm", arguments->norm, "euclidean|kinetic",
                 "norm of velocities that all nets are measured in");
  command.option("--seed", arguments->seed, "SEED", "seed, 32 bits");
  command.option("-o,--output", arguments->output, "FOLDER", "write a result file for each law");
  command.flag("--force", arguments->force, "overwrite files of the folder that are no results");
  add_json_flag(command, arguments->json);
}

}  // namespace carom::cli
