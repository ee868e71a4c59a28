#include "host/cli/report_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/cli/report.hpp"
#include "host/cli/report_verdict.hpp"
#include "host/cli/step_input.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;

/// Whether a direction of interest is a contact's axis, which is among the quantities before it.
bool is_listed(const std::vector<BoundedQuantity>& quantities, std::size_t i) {
  return std::any_of(quantities.begin(), quantities.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const BoundedQuantity& one) {
                       return one.name == quantities[i].name && one.row == quantities[i].row;
                     });
}

std::string quantity_table(const ImpactProblem& problem, const BoundCheck& check) {
  const Eigen::VectorXd& before = problem.pre_impact_velocity;
  double scale = largest(problem.normal_jacobian * before, problem.tangent_jacobian * before);
  for (const BoundedQuantity& quantity : check.bound.directions) {
    scale = std::max({scale, std::abs(quantity.low), std::abs(quantity.high)});
  }
  const bool found = check.outcomes > 0;
  std::vector<std::string> header = {"quantity", "bound low", "high"};
  if (found) header.insert(header.end(), {"found low", "high", "gap low", "high"});
  Table table(std::move(header));
  for (std::size_t i = 0; i < check.bound.directions.size(); ++i) {
    if (is_listed(check.bound.directions, i)) continue;
    const BoundedQuantity& quantity = check.bound.directions[i];
    const auto contact = static_cast<int>(i) / (1 + problem.tangent_dimension());
    const bool is_of_contact = contact < problem.contacts();
    std::vector<std::string> row = {
        quantity.name + (is_of_contact ? unit_suffix(problem, contact) : ""),
        outward(quantity.low, false, scale), outward(quantity.high, true, scale)};
    if (found) {
      const double low = check.found_low[i];
      const double high = check.found_high[i];
      for (const double value : {low, high, low - quantity.low, quantity.high - high}) {
        row.push_back(number(value, scale));
      }
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string reach_text(const OuterBound& bound) {
  const std::string any = " with any caps, any h, any solution";
  const std::string of =
      bound.scope == BoundScope::any_h ? "steps" + any : "the differential inclusion, h -> 0";
  if (bound.status == BoundStatus::none) return fmt::format("none of {}", of);
  if (bound.closed())
    return fmt::format("closed: any number of {}",
                       bound.scope == BoundScope::any_h ? of : "impulses, " + of);
  return status_text(bound) + any;  // the inclusion has no steps
}

std::string verified_text(const OuterBound& bound) {
  switch (bound.verified) {
    case Verified::exact:
      return "exact: rational arithmetic";
    case Verified::certified:
      return "certified: every program has a proof that allows for rounding";
    case Verified::no:
      break;
  }
  return "no: in cells that are not widened, a path might leave it";
}

std::string rounds_text(const OuterBound& bound) {
  return fmt::format("{} round{}{}", bound.rounds, bound.rounds == 1 ? "" : "s",
                     bound.out_of_work ? " (the next one would take too long)" : "");
}

std::string method_text(const OuterBound& bound) {
  switch (bound.method) {
    case BoundMethod::hulls:
      return fmt::format("hulls, {}, {} convex piece{}", rounds_text(bound), bound.pieces.size(),
                         bound.pieces.size() == 1 ? "" : "s");
    case BoundMethod::templates:
      return fmt::format("templates, {} programs, {} of them loose", bound.programs,
                         bound.loose_programs);
    case BoundMethod::groups:
      return fmt::format("groups of contacts that do not act on one another, up to {}, summed",
                         rounds_text(bound));
    case BoundMethod::orders:
      return fmt::format("orders of last pushes, {} convex programs{}", bound.programs,
                         bound.rounds > 0 ? "; no hulls close in " + rounds_text(bound) : "");
    case BoundMethod::energy:
      break;
  }
  return "energy alone, which is wide (docs/bounds.md)";
}

std::string inside_text(const BoundCheck& check, const std::string& compared) {
  const OuterBound& bound = check.bound;
  const bool by_steps = bound.status == BoundStatus::n_steps;
  const std::string its = compared + (by_steps ? " of " + status_text(bound) : "");
  if (check.outcomes == 0) return fmt::format("no {}: none are compared", its);
  if (check.outside > 0) {
    return fmt::format("{} of {} {} are outside, by up to {} m/s", check.outside, check.outcomes,
                       its, number(check.worst));
  }
  std::string text = fmt::format("all {} {} are inside", check.outcomes, its);
  if (check.trajectories > check.outcomes) {
    text += fmt::format(", of {} trajectories", check.trajectories);
  }
  return text;
}

ordered_json interval(const BoundedQuantity& quantity) { return {quantity.low, quantity.high}; }

ordered_json bounded_contacts(const ImpactProblem& problem, const OuterBound& bound) {
  auto list = ordered_json::array();
  auto quantity = bound.directions.begin();
  if (quantity == bound.directions.end()) return list;
  for (const std::string& name : problem.contact_names) {
    ordered_json contact = {{"name", name}, {"normal", interval(*quantity++)}};
    auto& tangential = contact["tangential"] = ordered_json::array();
    for (int t = 0; t < problem.tangent_dimension(); ++t) {
      tangential.push_back(interval(*quantity++));
    }
    list.push_back(std::move(contact));
  }
  return list;
}

}  // namespace

std::string outward(double value, bool up, double scale) {
  if (!std::isfinite(value) || number(value, scale) == "0") return number(value, scale);
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 4.0);
  return number(unit * (up ? std::ceil(value / unit) : std::floor(value / unit)));
}

std::string bound_text(const ImpactProblem& problem, const BoundCheck& check,
                       const std::string& compared) {
  const OuterBound& bound = check.bound;
  std::string text = line("bound", reach_text(bound));
  if (bound.status == BoundStatus::none) return text;
  text += line("verified", verified_text(bound)) + line("method", method_text(bound));
  text +=
      line("kinetic energy",
           fmt::format("at most {} J", outward(bound.kinetic_energy, true, bound.kinetic_energy)));
  if (check.outcomes > 0 || !compared.empty()) {
    text += line("found", inside_text(check, compared.empty() ? "outcomes" : compared));
  } else if (check.trajectories > 0) {
    const std::string of_steps = bound.closed() ? "has an outcome" : "took " + status_text(bound);
    text += line("found", fmt::format("none of {} trajectories {}", check.trajectories, of_steps));
  }
  const auto axes =
      static_cast<std::size_t>(problem.contacts() * (1 + problem.tangent_dimension()));
  return text +
         fmt::format(
             "\nWhat outcomes can have, m/s{}\n",
             bound.directions.size() > axes ? "; directions of interest in their units" : "") +
         quantity_table(problem, check);
}

ordered_json bound_json(const ImpactProblem& problem, const BoundCheck& check) {
  const OuterBound& bound = check.bound;
  auto directions = ordered_json::array();
  for (std::size_t i = 0; i < bound.directions.size(); ++i) {
    const BoundedQuantity& quantity = bound.directions[i];
    ordered_json entry = {{"name", quantity.name},
                          {"low", quantity.low},
                          {"high", quantity.high},
                          {"found_low", nullptr},
                          {"found_high", nullptr}};
    if (check.outcomes > 0) {
      entry["found_low"] = check.found_low[i];
      entry["found_high"] = check.found_high[i];
    }
    directions.push_back(std::move(entry));
  }
  ordered_json energy;
  if (bound.status != BoundStatus::none) energy = bound.kinetic_energy;
  ordered_json steps;
  if (bound.status == BoundStatus::n_steps) steps = bound.steps;
  ordered_json worst;
  if (check.outcomes > 0) worst = check.worst;
  return {{"scope", scope_name(bound.scope)},
          {"method", method_name(bound.method)},
          {"closed", bound.closed()},
          {"status", status_text(bound)},
          {"steps", steps},
          {"verified", verified_name(bound.verified)},
          {"rounds", bound.rounds},
          {"out_of_work", bound.out_of_work},
          {"programs", bound.programs},
          {"loose_programs", bound.loose_programs},
          {"kinetic_energy", energy},
          {"trajectories", check.trajectories},
          {"outcomes", check.outcomes},
          {"outside", check.outside},
          {"worst", worst},
          {"contacts", bounded_contacts(problem, bound)},
          {"directions", directions},
          {"box", rows_json(bound.box)}};
}

}  // namespace carom::cli
