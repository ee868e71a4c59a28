#include "host/cli/explore.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "carom/error.hpp"
#include "carom/explore.hpp"
#include "carom/options.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/progress_bar.hpp"
#include "carom/version.hpp"
#include "host/base/interrupt.hpp"
#include "host/base/note_json.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/report.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

/// An exploration, for its report.
struct ExploreReport {
  const Scenario& scenario;
  const Exploration& found;
  std::uint64_t budget;
  double seconds;
};

/// Ranges of the contact speeds, and nothing else.
Summary ranges_of(const ImpactProblem& problem, const Exploration& found) {
  Summary summary;
  const auto d = static_cast<std::size_t>(problem.tangent_dimension());
  summary.normal_velocity.resize(static_cast<std::size_t>(problem.contacts()));
  summary.tangential_velocity.resize(d * summary.normal_velocity.size());
  for (const ExploredEnd& end : found.ends) {
    const auto contact = static_cast<std::size_t>(end.contact);
    Range& range =
        end.axis == 0
            ? summary.normal_velocity[contact]
            : summary.tangential_velocity[contact * d + static_cast<std::size_t>(end.axis) - 1];
    range.include(end.speed);
  }
  return summary;
}

std::size_t count_modes(const ImpactProblem& problem, const EpsilonNet& net) {
  const OutcomeModes modes(problem);
  std::set<std::vector<ContactMode>> found;
  const RowMatrixView members = net.velocity_rows();
  for (Eigen::Index i = 0; i < members.rows(); ++i) {
    found.insert(modes.classify(members.row(i).data()));
  }
  return found.size();
}

std::string text_of(const ExploreReport& report) {
  const auto& [scenario, found, budget, seconds] = report;
  const ExplorationState& state = found.state;
  std::string text =
      Ink(STDOUT_FILENO).bold("Explored post-impact set of " + title(scenario)) + "\n";
  text += line("size", size_text(scenario.problem));
  text += line("search", fmt::format("h = {} N·s, at most {} steps, seed {}",
                                     number(*scenario.sampling.impulse_step),
                                     scenario.sampling.max_steps, scenario.sampling.seed));
  const char* const solutions = found.solutions == Solutions::all
                                    ? "any of each step"
                                    : "Lemke's of each step: others may be missing";
  text += line("solutions", solutions);
  text += line("LCPs", fmt::format("{} of at most {}, {} rounds on two islands", state.lcps, budget,
                                   state.rounds));
  text += line("outcomes", fmt::format("{}", found.outcomes));
  text += line("net", fmt::format("{} member{}, epsilon = {} ({} norm)", found.net.size(),
                                  found.net.size() == 1 ? "" : "s", number(found.net.epsilon()),
                                  norm_name(scenario.sampling.norm)));
  text += line("contact modes", fmt::format("{}", count_modes(scenario.problem, found.net)));
  text += line("islands",
               fmt::format("cover {:.1f} % of each other's members", 100.0 * state.islands_cover));
  text += line("last doubling", fmt::format("{:.1f} % more members, an end moved by {:.2g} m/s",
                                            100.0 * state.growth, state.support_moved));
  text += line("stopped", found.stopped);
  text += line("time", fmt::format("{:.3g} s", seconds));
  text += "\n" + contact_text(scenario.problem, ranges_of(scenario.problem, found));
  return text +
         "\nThese outcomes were found, and each has a script of caps that leads to it. Shares "
         "of them are\nno probabilities, and no search shows what it did not find.\n";
}

/// `json` without the options that only random trajectories have.
nlohmann::ordered_json without_random(nlohmann::ordered_json json) {
  for (const char* name : {"trajectories", "trajectories_asked", "caps", "caps_asked"}) {
    json.erase(name);
  }
  return json;
}

nlohmann::ordered_json json_of(const ExploreReport& report) {
  const auto& [scenario, found, budget, seconds] = report;
  return {{"version", version()},
          {"name", title(scenario)},
          {"system", scenario.system},
          {"complete", found.complete},
          {"size", size_json(scenario.problem)},
          {"law", without_random(law_json(scenario.sampling.law))},
          {"sampling", without_random(sampling_json(scenario.sampling))},
          {"solutions", solutions_name(found.solutions)},
          {"outcomes", found.outcomes},
          {"lcps", {{"total", found.state.lcps}}},
          {"contacts", contacts_json(scenario.problem, ranges_of(scenario.problem, found))},
          {"net",
           {{"size", found.net.size()},
            {"epsilon", found.net.epsilon()},
            {"norm", norm_name(scenario.sampling.norm)}}},
          {"modes", count_modes(scenario.problem, found.net)},
          {"explore",
           {{"budget", budget},
            {"rounds", found.state.rounds},
            {"members_new", found.members_new},
            {"islands_cover", found.state.islands_cover},
            {"growth", found.state.growth},
            {"support_moved", found.state.support_moved},
            {"stopped", found.stopped}}},
          {"seconds", seconds},
          {"notes", notes_json(notes(scenario.problem, scenario.sampling))}};
}

/// Refuses flags that are about random trajectories.
void refuse_sampling_flags(const OptionFlags& flags) {
  using Group = OptionDescription::Group;
  for (const OptionDescription& option : options()) {
    const bool random = option.group == Group::evidence || option.group == Group::storage ||
                        option.name == "trajectories" || option.name == "caps";
    if (!random || !flags.given(option.name)) continue;
    throw InputError(flag_name(option) +
                     " is given (must be without --explore, which draws no random trajectories)");
  }
}

}  // namespace

void add_explore_flags(Command& command, ExploreArguments& arguments) {
  command.flag("--explore", arguments.wanted,
               "search for the set instead of drawing random caps (docs/explore.md)");
  command.option("--budget", arguments.budget, "LCPS",
                 "with --explore: the search ends at this number of LCPs (default: 1e6)");
}

int run_explore(const std::string& file, const ExploreArguments& arguments,
                const OptionFlags& options, const OutputFlags& flags) {
  refuse_sampling_flags(options);
  Scenario scenario = load_scenario(file);
  apply(options, scenario);
  resolve(scenario);
  ExploreOptions explored;
  if (arguments.budget)
    explored.budget = parse_integer("--budget", *arguments.budget, 1000, std::uint64_t{1} << 50);
  const InterruptGuard guard;
  std::unique_ptr<ProgressBar> bar;
  if (is_terminal(STDERR_FILENO) && !flags.quiet) {
    bar = std::make_unique<ProgressBar>(0, explored.budget, true, "exploring");
  }
  const auto start = std::chrono::steady_clock::now();
  const Exploration found = explore(scenario.problem, scenario.sampling, explored,
                                    [&](std::uint64_t done, std::uint64_t) {
                                      if (bar) bar->update(done, 0);
                                      return !interrupted();
                                    });
  bar.reset();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const ExploreReport report{scenario, found, explored.budget, seconds.count()};
  if (flags.json) {
    print(json_of(report));
  } else if (!flags.quiet) {
    print(text_of(report));
  }
  if (found.complete) return exit_success;
  tell(fmt::format("{}interrupted after {} of {} LCPs\n", Ink(STDERR_FILENO).error("carom: "),
                   found.state.lcps, explored.budget));
  return exit_run_failed;
}

}  // namespace carom::cli
