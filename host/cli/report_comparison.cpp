#include "host/cli/report_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/cli/report.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;

// Orders whose outcomes differ by less than this fraction of the greatest speed share a row: far
// above the effect of the termination tolerance, far below the digits of a table.
constexpr double equal_part = 1e-6;
constexpr std::size_t most_orders = 2;     // listed in a row of the table
constexpr std::size_t most_groups = 12;    // of the table
constexpr std::size_t longest_order = 40;  // characters; JSON has the whole of each order

/// Outcomes of one law that are equal.
using OutcomeGroup = std::vector<const LawOutcome*>;

double speed_scale(const ImpactProblem& problem, const Comparison& comparison) {
  double scale = problem.pre_impact_velocity.cwiseAbs().maxCoeff();
  for (const LawOutcome& outcome : comparison.outcomes) {
    scale = std::max(scale, outcome.velocity.cwiseAbs().maxCoeff());
  }
  return scale;
}

std::vector<OutcomeGroup> grouped(const ImpactProblem& problem, const Comparison& comparison) {
  const double tolerance = equal_part * speed_scale(problem, comparison);
  std::vector<OutcomeGroup> groups;
  for (const LawOutcome& outcome : comparison.outcomes) {
    const auto equal = [&](const OutcomeGroup& group) {
      const LawOutcome& first = *group.front();
      return first.law == outcome.law && first.terminated == outcome.terminated &&
             (first.velocity - outcome.velocity).cwiseAbs().maxCoeff() <= tolerance;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), equal);
    if (found == groups.end()) {
      groups.push_back({&outcome});
    } else {
      found->push_back(&outcome);
    }
  }
  return groups;
}

bool outside(const LawOutcome& outcome, double epsilon) {
  return !(outcome.net_distance <= epsilon);
}

/// "A sticks, B separates (0.0996 m/s)"; of many contacts, without the speeds.
std::string motion_text(const ImpactProblem& problem, const LawOutcome& outcome) {
  if (outcome.modes.size() > most_spelled_contacts) {
    return short_mode_text(outcome.modes, problem.contact_names);
  }
  const int d = problem.tangent_dimension();
  const Eigen::VectorXd normal = problem.normal_jacobian * outcome.velocity;
  const Eigen::VectorXd tangential = problem.tangent_jacobian * outcome.velocity;
  const double rest = OutcomeModes(problem).tolerance();
  std::string text;
  for (int i = 0; i < problem.contacts(); ++i) {
    const auto contact = static_cast<std::size_t>(i);
    const ContactMode mode = outcome.modes[contact];
    if (!outcome.terminated && normal(i) < -rest) {
      text +=
          fmt::format("{}{} approaches ({} {})", text.empty() ? "" : ", ",
                      problem.contact_names[contact], number(-normal(i)), speed_unit(problem, i));
      continue;
    }
    text += (text.empty() ? "" : ", ") + mode_text({mode}, {problem.contact_names[contact]});
    if (mode == ContactMode::sticks) continue;
    const double speed = mode == ContactMode::separates ? normal(i)
                         : d == 1                       ? tangential(i)
                                                        : tangential.segment(i * d, d).norm();
    text += fmt::format(" ({} {})", number(speed), speed_unit(problem, i));
  }
  return text;
}

/// The first contacts of an order, as many as a table has room for.
std::string order_text(const std::string& order) {
  if (order.size() <= longest_order) return order;
  std::size_t end = order.rfind(',', longest_order);
  if (end == std::string::npos) end = order.find(',');  // a name that is longer alone
  return end == std::string::npos ? order : order.substr(0, end) + ",...";
}

std::string order_cell(const OutcomeGroup& group) {
  if (group.front()->law == ComparedLaw::simultaneous) return "all at once";
  std::string text;
  for (std::size_t i = 0; i < std::min(group.size(), most_orders); ++i) {
    text += (i == 0 ? "" : "; ") + order_text(group[i]->order);
  }
  if (group.size() > most_orders) text += fmt::format("; {} more", group.size() - most_orders);
  return text;
}

std::string distance_cell(const LawOutcome& outcome, double epsilon, double scale) {
  if (!std::isfinite(outcome.net_distance)) return "-";
  return number(outcome.net_distance, scale) + (outside(outcome, epsilon) ? " (outside)" : "");
}

std::string remark(const OutcomeGroup& group) {
  const LawOutcome& first = *group.front();
  std::string text;
  if (!first.terminated) {
    text += fmt::format("; still colliding after {} stage{}", first.stages,
                        first.stages == 1 ? "" : "s");
  }
  const auto several = [](const LawOutcome* outcome) { return !outcome->unique; };
  if (first.law == ComparedLaw::sequential && std::any_of(group.begin(), group.end(), several)) {
    text += "; a stage had several solutions";
  }
  return text;
}

}  // namespace

std::string comparison_text(const ImpactProblem& problem, const Comparison& comparison,
                            double epsilon) {
  if (comparison.outcomes.empty() && comparison.note.empty()) return "";
  std::string text = "Outcomes of other laws\n";
  if (!comparison.outcomes.empty()) {
    Table table({"law", "order", "energy, J", "to the net", "contacts"},
                /*numbers=*/false);
    const std::vector<OutcomeGroup> groups = grouped(problem, comparison);
    const double energy = kinetic_energy(problem, problem.pre_impact_velocity);
    const double scale = speed_scale(problem, comparison);
    for (std::size_t i = 0; i < std::min(groups.size(), most_groups); ++i) {
      const LawOutcome& first = *groups[i].front();
      table.add({compared_law_name(first.law), order_cell(groups[i]), number(first.energy, energy),
                 distance_cell(first, epsilon, scale),
                 motion_text(problem, first) + remark(groups[i])});
    }
    text += table.text();
    if (groups.size() > most_groups) {
      text +=
          fmt::format("  and {} more outcomes (--json lists all)\n", groups.size() - most_groups);
    }
  }
  if (!comparison.note.empty()) text += "  " + comparison.note + "\n";
  return text;
}

ordered_json comparison_json(const ImpactProblem& problem, const Comparison& comparison,
                             double epsilon) {
  ordered_json outcomes = ordered_json::array();
  for (const OutcomeGroup& group : grouped(problem, comparison)) {
    const LawOutcome& first = *group.front();
    ordered_json orders = ordered_json::array();
    ordered_json stages = ordered_json::array();
    ordered_json impulses = ordered_json::array();
    bool unique = true;
    for (const LawOutcome* outcome : group) {
      orders.push_back(outcome->order);
      stages.push_back(outcome->stages);
      impulses.push_back(outcome->largest_impulse);
      unique = unique && outcome->unique;
    }
    const bool known = std::isfinite(first.net_distance);  // JSON has no infinity
    outcomes.push_back(
        {{"law", compared_law_name(first.law)},
         {"orders", orders},
         {"stages", stages},
         {"largest_impulse", impulses},
         {"contacts", mode_text(first.modes, problem.contact_names)},
         {"velocity", vector_json(first.velocity)},
         {"normal_velocity", vector_json(problem.normal_jacobian * first.velocity)},
         {"tangential_velocity", vector_json(problem.tangent_jacobian * first.velocity)},
         {"energy", first.energy},
         {"terminated", first.terminated},
         {"unique", unique},
         {"net_distance", known ? ordered_json(first.net_distance) : ordered_json(nullptr)},
         {"inside", !outside(first, epsilon)}});
  }
  return {{"outcomes", outcomes}, {"note", comparison.note}};
}

}  // namespace carom::cli
