#include "carom/derivative.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>

#include "carom/error.hpp"
#include "carom/example_motion.hpp"
#include "carom/numbers.hpp"
#include "carom/planar_motion.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_verdict.hpp"
#include "host/cli/step_input.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

using Names = std::vector<std::string>;

std::string names_text(const Names& names, const std::vector<int>& contacts) {
  std::string text;
  for (const int contact : contacts) {
    text += (text.empty() ? "" : ", ") + names[static_cast<std::size_t>(contact)];
  }
  return text.empty() ? "none" : text;
}

bool has_all_orders(const OutcomeDerivative& found) {
  const auto has_all = [](const SidedOutcome& side) {
    return std::ranges::all_of(side.impacts, &ImpactInMotion::all_orders);
  };
  return has_all(found.right) && has_all(found.left);
}

std::string verdict_of(bool continuous, bool differentiable, bool all_orders) {
  if (differentiable) return "one, whatever the order of contacts";
  if (continuous && !all_orders) {
    return "not known: contacts have more than 1,000 orders, of which some were followed";
  }
  return continuous ? "none: from the right and from the left they differ"
                    : "none: the outcome jumps with the order of contacts";
}

std::string matrix_text(const Eigen::MatrixXd& matrix) {
  std::string text;
  const double scale = matrix.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    text += "    " + list_text(Eigen::VectorXd(matrix.row(i)), scale) + "\n";
  }
  return text;
}

std::string orders_text(const ImpactInMotion& impact, const Names& names) {
  // What an impact leaves of a velocity may be its rounding.
  const double scale =
      std::max(impact.orders.front().velocity.cwiseAbs().maxCoeff(), impact.slowest);
  Table table({"order", "closed afterwards", "velocity afterwards"}, false);
  for (const ImpactOrder& order : impact.orders) {
    table.add({names_text(names, order.contacts), names_text(names, order.closed),
               list_text(order.velocity, scale)});
  }
  return table.text();
}

nlohmann::ordered_json impact_json(const ImpactInMotion& impact) {
  auto orders = nlohmann::ordered_json::array();
  for (const ImpactOrder& order : impact.orders) {
    orders.push_back({{"contacts", order.contacts},
                      {"velocity", vector_json(order.velocity)},
                      {"closed", order.closed},
                      {"saltation", rows_json(order.saltation)}});
  }
  return {{"time", impact.time},
          {"contacts", impact.contacts},
          {"slowest", impact.slowest},
          {"all_orders", impact.all_orders},
          {"continuous", impact.continuous},
          {"differentiable", impact.differentiable},
          {"orders", std::move(orders)}};
}

nlohmann::ordered_json side_json(const SidedOutcome& side) {
  auto impacts = nlohmann::ordered_json::array();
  for (const ImpactInMotion& impact : side.impacts) impacts.push_back(impact_json(impact));
  return {{"state", vector_json(side.state)},
          {"slope", vector_json(side.slope)},
          {"impacts", std::move(impacts)}};
}

nlohmann::ordered_json motion_json(const std::string& name, const StartedMotion& motion,
                                   const OutcomeDerivative& found) {
  nlohmann::ordered_json matrix;
  if (found.derivative) matrix = rows_json(*found.derivative);
  return {{"name", name},
          {"coordinates", motion.coordinates},
          {"contact_names", motion.motion.contact_names},
          {"end", motion.end},
          {"start", vector_json(motion.start)},
          {"direction", vector_json(motion.direction)},
          {"continuous", found.continuous},
          {"differentiable", found.differentiable},
          {"not_kept", found.not_kept},
          {"derivative", std::move(matrix)},
          {"right", side_json(found.right)},
          {"left", side_json(found.left)}};
}

/// Title, impacts and verdict.
std::string motion_text(const std::string& name, const OutcomeDerivative& found,
                        const Names& names) {
  std::string text = Ink(STDOUT_FILENO).bold("Derivative of " + name) + "\n";
  for (const ImpactInMotion& impact : found.right.impacts) {
    text += line("impact",
                 fmt::format("{} s: {}{}, {} m/s at least", number(impact.time),
                             names_text(names, impact.contacts),
                             impact.contacts.size() > 1 ? " at once" : "", number(impact.slowest)));
  }
  text +=
      line("derivative", verdict_of(found.continuous, found.differentiable, has_all_orders(found)));
  if (!found.not_kept.empty()) {
    text += line("disturbance",
                 fmt::format("opens or presses together {}, closed at the start: its slope is that "
                             "of no motion (ranges of [start] are another one)",
                             names_text(names, found.not_kept)));
  }
  return text + "\n";
}

std::string all_orders_text(const OutcomeDerivative& found, const Names& names) {
  std::string text;
  for (const ImpactInMotion& impact : found.right.impacts) {
    if (impact.orders.size() > 1) text += "\n" + orders_text(impact, names);
  }
  return text;
}

void print_example(const std::string& name, const ExampleMotion& example, bool json) {
  const OutcomeDerivative found = derivative(example);
  const Eigen::Index at = example.outcome;
  if (json) {
    nlohmann::ordered_json document = motion_json(name, example, found);
    document["outcome"] = at;
    print(document);
    return;
  }
  const Names& names = example.motion.contact_names;
  const std::string entry =
      example.coordinates[static_cast<std::size_t>(at) % example.coordinates.size()] + "'";
  Table table({fmt::format("{} at {} s", entry, number(example.end)), "outcome, rad/s",
               "slope by the angle at the start, 1/s"});
  const auto row = [&](const char* side, const SidedOutcome& of) {
    table.add({side, number(of.state(at), 1.0), fmt::format("{:.10g}", of.slope(at))});
  };
  if (found.differentiable) {
    row("", found.right);
  } else {
    row("from the right", found.right);
    row("from the left", found.left);
  }
  print(motion_text(name, found, names) + table.text() + all_orders_text(found, names));
}

void print_motion(const std::string& name, const StartedMotion& motion, bool json) {
  const OutcomeDerivative found = derivative(motion);
  if (json) {
    print(motion_json(name, motion, found));
    return;
  }
  Names heads = {fmt::format("at {} s", number(motion.end))};
  const auto both = [&](const char* what) {
    heads.push_back(what + std::string(" from the right"));
    heads.push_back("from the left");
  };
  if (found.differentiable) {
    heads.insert(heads.end(), {"outcome", "slope by the disturbance"});
  } else {
    both("outcome");
    both("slope");
  }
  Table table(heads);
  const Eigen::Index n = motion.start.size() / 2;
  for (Eigen::Index i = 0; i < 2 * n; ++i) {
    Names row = {motion.coordinates[static_cast<std::size_t>(i % n)] + (i < n ? "" : "'")};
    for (const Eigen::VectorXd SidedOutcome::*const part :
         {&SidedOutcome::state, &SidedOutcome::slope}) {
      for (const SidedOutcome* const side : {&found.right, &found.left}) {
        if (side == &found.left && found.differentiable) continue;
        const Eigen::VectorXd& values = side->*part;
        row.push_back(number(values(i), values.cwiseAbs().maxCoeff()));
      }
    }
    table.add(row);
  }
  const Names& names = motion.motion.contact_names;
  std::string text = motion_text(name, found, names) + table.text() + all_orders_text(found, names);
  if (found.derivative) {
    text += "\nState at the end by state at the start\n" + matrix_text(*found.derivative);
  }
  print(text);
}

void print_impact(const Scenario& scenario, bool json) {
  const ImpactInMotion found = derivative(scenario.problem);
  const Names& names = scenario.problem.contact_names;
  if (json) {
    nlohmann::ordered_json document = impact_json(found);
    document.erase("time");
    document["name"] = title(scenario);
    document["contact_names"] = names;
    print(document);
    return;
  }
  std::string text =
      Ink(STDOUT_FILENO).bold("Derivative of the impact of " + title(scenario)) + "\n";
  const auto unit_of = [&](int contact) {
    return std::string(speed_unit(scenario.problem, contact));
  };
  const bool mixed = std::ranges::adjacent_find(found.contacts, std::ranges::not_equal_to(),
                                                unit_of) != found.contacts.end();
  text += line(
      "contacts",
      fmt::format(
          "{} approach, {} {} at least", names_text(names, found.contacts), number(found.slowest),
          mixed || found.contacts.empty() ? "m/s or rad/s" : unit_of(found.contacts.front())));
  text += line("derivative", verdict_of(found.continuous, found.differentiable, found.all_orders));
  text += "\n" + orders_text(found, names);
  const Eigen::Index n = scenario.problem.velocities();
  for (const ImpactOrder& order : found.orders) {
    text += fmt::format("\nVelocity after by velocity before{}\n",
                        found.differentiable ? "" : ", " + names_text(names, order.contacts));
    text += matrix_text(order.saltation.bottomRightCorner(n, n));
    if (found.differentiable) break;
  }
  print(text);
}

struct DerivativeArguments {
  std::string subject;
  std::vector<std::string> parameters;
  bool json = false;
};

std::map<std::string, double> parameters_of(const std::vector<std::string>& texts) {
  std::map<std::string, double> parameters;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) {
      throw InputError(fmt::format("--set is \"{}\" (must be NAME=NUMBER)", text));
    }
    const std::string name = text.substr(0, sign);
    parameters[name] = parse_real("--set " + name, text.substr(sign + 1));
  }
  return parameters;
}

int run_derivative(const DerivativeArguments& arguments) {
  const auto parameters = parameters_of(arguments.parameters);
  if (std::ranges::find(example_motions(), arguments.subject) != example_motions().end()) {
    print_example(arguments.subject, example_motion(arguments.subject, parameters), arguments.json);
    return exit_success;
  }
  std::optional<double> end;
  for (const auto& [parameter, value] : parameters) {
    if (parameter != "end") {
      throw InputError(fmt::format(
          "--set is of {} (must be of end: a scenario has its parameters in its file)", parameter));
    }
    end = value;
  }
  const Scenario scenario = load_scenario(arguments.subject);
  if (const auto motion = started_motion(scenario, end)) {
    print_motion(title(scenario), *motion, arguments.json);
  } else {
    print_impact(scenario, arguments.json);
  }
  return exit_success;
}

}  // namespace

void add_derivative_command(CommandLine& line) {
  auto arguments = std::make_shared<DerivativeArguments>();
  Command command = line.add(
      "derivative", "Differentiate the outcome of an impact, or of a motion through impacts",
      "derivative rigid_biped", [arguments] { return run_derivative(*arguments); });
  command.argument("SCENARIO", arguments->subject,
                   "a scenario without friction, or rigid_biped, soft_biped, flywheel_biped");
  command.option("--set", arguments->parameters, "NAME=NUMBER",
                 "parameter of a biped; end=T of a scenario: through its motion until T, s");
  add_json_flag(command, arguments->json);
}

}  // namespace carom::cli
