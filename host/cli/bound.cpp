#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "carom/bounds.hpp"
#include "carom/sampler.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

constexpr std::uint64_t default_trajectories = 4096;

struct BoundArguments {
  std::string scenario;
  std::string scope = scope_name(BoundScope::any_h);
  std::optional<std::string> rounds;
  std::optional<std::string> trajectories;
  bool json = false;
};

/// A bound, and beside it what trajectories find.
struct Found {
  const Scenario& scenario;
  OuterBound bound;
  RowMatrix outcomes;  // outcomes x nv

  bool any() const { return outcomes.rows() > 0; }
  double low(const BoundedQuantity& of) const { return (outcomes * of.row).minCoeff(); }
  double high(const BoundedQuantity& of) const { return (outcomes * of.row).maxCoeff(); }
};

/// Five digits, rounded outwards: what a bound says holds for what is printed.
std::string outward(double value, bool up, double scale) {
  if (!std::isfinite(value) || number(value, scale) == "0") return number(value, scale);
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 4.0);
  return number(unit * (up ? std::ceil(value / unit) : std::floor(value / unit)));
}

std::string quantity_table(const Found& found) {
  double scale = 0.0;
  for (const BoundedQuantity& quantity : found.bound.directions) {
    scale = std::max({scale, std::abs(quantity.low), std::abs(quantity.high)});
  }
  std::vector<std::string> header = {"quantity", "bound low", "high"};
  if (found.any()) header.insert(header.end(), {"found low", "high", "gap low", "high"});
  Table table(std::move(header));
  for (const BoundedQuantity& quantity : found.bound.directions) {
    std::vector<std::string> row = {quantity.name, outward(quantity.low, false, scale),
                                    outward(quantity.high, true, scale)};
    if (found.any()) {
      const double low = found.low(quantity);
      const double high = found.high(quantity);
      for (const double value : {low, high, low - quantity.low, quantity.high - high}) {
        row.push_back(number(value, scale));
      }
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string reach_text(const OuterBound& bound) {
  const std::string of = bound.scope == BoundScope::any_h
                             ? "steps with any caps, any h, any solution"
                             : "the differential inclusion, h -> 0";
  if (bound.status == BoundStatus::none)
    return fmt::format("none of {}: beyond the limits in docs/bounds.md", of);
  if (bound.closed())
    return fmt::format("closed: any number of {}",
                       bound.scope == BoundScope::any_h ? of : "impulses, " + of);
  return fmt::format("at most {} {}", bound.steps, of);
}

std::string bound_text(const Found& found) {
  const OuterBound& bound = found.bound;
  std::string text = Ink(STDOUT_FILENO).bold(title(found.scenario)) + "\n";
  text += line("size", size_text(found.scenario.problem));
  text += line("bound", reach_text(bound));
  if (bound.status == BoundStatus::none) return text;
  text += line("verified", bound.verified == Verified::exact
                               ? "exact: rational arithmetic"
                               : "no: in cells that are not widened, a path might leave it");
  text += line("rounds", fmt::format("{}, {} convex pieces", bound.rounds, bound.pieces.size()));
  text +=
      line("kinetic energy",
           fmt::format("at most {} J", outward(bound.kinetic_energy, true, bound.kinetic_energy)));
  if (found.any()) text += line("found", fmt::format("in {} outcomes", found.outcomes.rows()));
  return text + "\nWhat outcomes can have, m/s\n" + quantity_table(found);
}

nlohmann::ordered_json interval(const BoundedQuantity& quantity) {
  return {quantity.low, quantity.high};
}

nlohmann::ordered_json contacts_json(const Found& found) {
  auto list = nlohmann::ordered_json::array();
  auto quantity = found.bound.directions.begin();
  if (quantity == found.bound.directions.end()) return list;
  for (const std::string& name : found.scenario.problem.contact_names) {
    nlohmann::ordered_json contact = {{"name", name}, {"normal", interval(*quantity++)}};
    auto& tangential = contact["tangential"] = nlohmann::ordered_json::array();
    for (int t = 0; t < found.scenario.problem.tangent_dimension(); ++t) {
      tangential.push_back(interval(*quantity++));
    }
    list.push_back(std::move(contact));
  }
  return list;
}

nlohmann::ordered_json bound_json(const Found& found) {
  const OuterBound& bound = found.bound;
  auto directions = nlohmann::ordered_json::array();
  for (const BoundedQuantity& quantity : bound.directions) {
    nlohmann::ordered_json entry = {{"name", quantity.name},
                                    {"low", quantity.low},
                                    {"high", quantity.high},
                                    {"found_low", nullptr},
                                    {"found_high", nullptr}};
    if (found.any()) {
      entry["found_low"] = found.low(quantity);
      entry["found_high"] = found.high(quantity);
    }
    directions.push_back(std::move(entry));
  }
  nlohmann::ordered_json energy;
  if (bound.status != BoundStatus::none) energy = bound.kinetic_energy;
  nlohmann::ordered_json steps;
  if (bound.status == BoundStatus::n_steps) steps = bound.steps;
  return {{"system", found.scenario.system},
          {"law", law_json(found.scenario.sampling.law)},
          {"scope", scope_name(bound.scope)},
          {"closed", bound.closed()},
          {"status", status_text(bound)},
          {"steps", steps},
          {"verified", verified_name(bound.verified)},
          {"rounds", bound.rounds},
          {"kinetic_energy", energy},
          {"outcomes", found.outcomes.rows()},
          {"contacts", contacts_json(found)},
          {"directions", directions}};
}

RowMatrix sampled_outcomes(const Scenario& scenario, const BoundArguments& arguments) {
  SamplingOptions options = scenario.sampling;
  options.trajectories = default_trajectories;
  if (arguments.trajectories) {
    options.trajectories = parse_integer("--trajectories", *arguments.trajectories, 0, UINT64_MAX);
  }
  if (options.trajectories == 0) return {};
  return sample(scenario.problem, options).outcomes();
}

int run_bound(const BoundArguments& arguments) {
  Scenario scenario = load_scenario(arguments.scenario);
  BoundOptions options;
  options.scope = scope_named(arguments.scope, "--scope");
  if (arguments.rounds) {
    constexpr std::uint64_t most = 1000;
    options.rounds = static_cast<int>(parse_integer("--rounds", *arguments.rounds, 1, most));
  }
  options.termination_tolerance = scenario.sampling.termination_tolerance;
  OuterBound bound = outer_bound(scenario.problem, options, scenario.sampling.law);
  resolve(scenario);
  const Found found{scenario, std::move(bound), sampled_outcomes(scenario, arguments)};
  if (arguments.json) {
    print(bound_json(found));
  } else {
    print(bound_text(found));
  }
  return exit_success;
}

}  // namespace

void add_bound_command(CommandLine& line) {
  auto arguments = std::make_shared<BoundArguments>();
  Command command = line.add("bound",
                             "Prove what can not happen: bounds of all outcomes, beside what "
                             "trajectories find",
                             [arguments] { return run_bound(*arguments); });
  add_scenario_argument(command, arguments->scenario);
  command.option("--scope", arguments->scope, "SCOPE",
                 "any-h: steps with any caps (default); inclusion: the limit h -> 0");
  command.option("--rounds", arguments->rounds, "N",
                 "a bound that does not close holds for N steps (default 10)");
  command.option("--trajectories", arguments->trajectories, "M",
                 "trajectories to compare with (default 4096, 0: none)");
  add_json_flag(command, arguments->json);
}

}  // namespace carom::cli
