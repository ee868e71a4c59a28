#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "carom/error.hpp"
#include "carom/numbers.hpp"
#include "carom/options.hpp"
#include "carom/propagative.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_verdict.hpp"
#include "host/cli/step_input.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

constexpr const char* propagative = "propagative";
constexpr std::size_t most_outcome_rows = 24;  // readable at a glance

struct OutcomesArguments {
  std::string scenario;
  std::string law = propagative;
  std::optional<std::string> restitution, plastic, max_states;
  bool json = false;
};

/// The outcomes of a scenario, for their report.
struct OutcomesReport {
  const Scenario& scenario;
  const PropagativeOptions& options;
  const PropagativeOutcomes& found;
};

std::string minimal_text(const PropagativeOutcome& outcome) {
  return !outcome.minimal ? "-" : *outcome.minimal ? "yes" : "no";
}

std::string impacts_text(const PropagativeOutcome& outcome) {
  return outcome.fewest_impacts == outcome.most_impacts
             ? std::to_string(outcome.fewest_impacts)
             : fmt::format("{} to {}", outcome.fewest_impacts, outcome.most_impacts);
}

std::string outcome_table(const OutcomesReport& report) {
  const double scale = report.scenario.problem.pre_impact_velocity.norm();
  Table table({"", "probability", "sequences", "impacts", "minimal", "energy, J", "velocity"});
  const auto& outcomes = report.found.outcomes;
  for (std::size_t i = 0; i < std::min(outcomes.size(), most_outcome_rows); ++i) {
    const PropagativeOutcome& outcome = outcomes[i];
    table.add({std::to_string(i + 1), number(outcome.probability), outcome.sequences,
               impacts_text(outcome), minimal_text(outcome), number(outcome.energy),
               list_text(outcome.velocity, scale)});
  }
  std::string text = table.text();
  if (outcomes.size() > most_outcome_rows) {
    text +=
        fmt::format("  ... and {} more (--json has all)\n", outcomes.size() - most_outcome_rows);
  }
  return text;
}

std::string text_of(const OutcomesReport& report) {
  const auto& [scenario, options, found] = report;
  std::string text = Ink(STDOUT_FILENO).bold("Impacts in turn of " + title(scenario)) + "\n";
  text += line("size", fmt::format("{} contacts, {} velocities", scenario.problem.contacts(),
                                   scenario.problem.velocities()));
  text += line("law", fmt::format("propagative, restitution {}, plastic {}",
                                  number(propagative_restitution(scenario.problem)),
                                  plastic_name(options.plastic)));
  text += verdict_text(found.verdict);
  text += line("states", std::to_string(found.states));
  if (!found.complete) return text;
  text += line("outcomes", std::to_string(found.outcomes.size()));
  if (found.outcomes.size() > 1) {
    text += line("indeterminacy",
                 fmt::format("{} of the velocity's length, between outcomes {} and {}",
                             number(found.indeterminacy), found.most_different.first + 1,
                             found.most_different.second + 1));
  }
  return text + "\n" + outcome_table(report);
}

nlohmann::ordered_json outcome_json(const PropagativeOutcome& outcome) {
  nlohmann::ordered_json minimal;
  if (outcome.minimal) minimal = *outcome.minimal;
  return {{"velocity", vector_json(outcome.velocity)},
          {"energy", outcome.energy},
          {"probability", outcome.probability},
          {"sequences", outcome.sequences},
          {"fewest_impacts", outcome.fewest_impacts},
          {"most_impacts", outcome.most_impacts},
          {"example", outcome.example},
          {"minimal", minimal}};
}

nlohmann::ordered_json graph_json(const std::optional<PropagativeGraph>& graph) {
  if (!graph) return nullptr;
  auto states = nlohmann::ordered_json::array();
  for (const PropagativeGraph::State& state : graph->states) {
    states.push_back({{"speeds", state.speeds},
                      {"probability", state.probability},
                      {"impacts", state.impacts},
                      {"outcome", state.outcome}});
  }
  auto impacts = nlohmann::ordered_json::array();
  for (const PropagativeGraph::Impact& impact : graph->impacts) {
    impacts.push_back({{"from", impact.from}, {"to", impact.to}, {"contact", impact.contact}});
  }
  return {{"states", std::move(states)}, {"impacts", std::move(impacts)}};
}

nlohmann::ordered_json json_of(const OutcomesReport& report) {
  const auto& [scenario, options, found] = report;
  auto outcomes = nlohmann::ordered_json::array();
  for (const PropagativeOutcome& outcome : found.outcomes)
    outcomes.push_back(outcome_json(outcome));
  nlohmann::ordered_json verdict = verdict_json(found.verdict);
  verdict["indeterminacy"] = found.indeterminacy;
  verdict["most_different"] = {found.most_different.first, found.most_different.second};
  return {{"name", title(scenario)},
          {"law", propagative},
          {"restitution", propagative_restitution(scenario.problem)},
          {"plastic", plastic_name(options.plastic)},
          {"complete", found.complete},
          {"states", found.states},
          {"outcomes", std::move(outcomes)},
          {"verdict", std::move(verdict)},
          {"contact_names", report.scenario.problem.contact_names},
          {"graph", graph_json(found.graph)}};
}

/// Puts the flags into the scenario.
PropagativeOptions apply(const OutcomesArguments& arguments, Scenario& scenario) {
  set_option(scenario, "law", propagative, "--law");
  if (arguments.restitution) {
    set_option(scenario, "restitution", *arguments.restitution, "--restitution");
  }
  if (arguments.plastic) set_option(scenario, "plastic", *arguments.plastic, "--plastic");
  PropagativeOptions options;
  options.termination_tolerance = scenario.sampling.termination_tolerance;
  options.plastic = std::get<law::Propagative>(scenario.sampling.law).plastic;
  if (arguments.max_states) {
    options.max_states = parse_integer("--max-states", *arguments.max_states, 1, 1'000'000'000);
  }
  return options;
}

int run_outcomes(const OutcomesArguments& arguments) {
  if (arguments.law != propagative) {
    throw InputError(
        fmt::format("--law is \"{}\" (must be propagative: outcomes of other laws are "
                    "sampled, not listed)",
                    arguments.law));
  }
  Scenario scenario = load_scenario(arguments.scenario);
  const PropagativeOptions options = apply(arguments, scenario);
  const PropagativeOutcomes found = propagative_outcomes(scenario.problem, options);
  const OutcomesReport report{scenario, options, found};
  if (arguments.json) {
    print(json_of(report));
  } else {
    print(text_of(report));
  }
  if (found.complete) return exit_success;
  tell(
      fmt::format("{}the graph has more than {} states, so its outcomes are not known "
                  "(--max-states allows more)\n",
                  Ink(STDERR_FILENO).error("carom: "), options.max_states));
  return exit_run_failed;
}

}  // namespace

void add_outcomes_command(CommandLine& line) {
  auto arguments = std::make_shared<OutcomesArguments>();
  Command command =
      line.add("outcomes", "List all outcomes of impacts in turn, with exact probabilities",
               "outcomes billiards", [arguments] { return run_outcomes(*arguments); });
  add_scenario_argument(command, arguments->scenario);
  command.option("--law", arguments->law, "LAW", "propagative (the default, and only one)");
  command.option("--restitution", arguments->restitution, "R",
                 "of the energy, 0 to 1 (default: the scenario's, else 1: elastic)");
  command.option(
      "--plastic", arguments->plastic, "unilateral|projection",
      "the outcome of R = 0 (default: the scenario's, else unilateral: contacts only push)");
  command.option("--max-states", arguments->max_states, "K",
                 "states of the graph at most (default 1e6)");
  add_json_flag(command, arguments->json);
}

}  // namespace carom::cli
