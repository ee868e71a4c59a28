#include "host/cli/report_coupling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/cli/report.hpp"
#include "host/cli/report_verdict.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

const char* meaning(Coupling::Verdict verdict) {
  switch (verdict) {
    case Coupling::Verdict::orthogonal:
      return "impacts do not touch one another's speeds; the outcome is continuous";
    case Coupling::Verdict::decoupled:
      return "the impact splits into one for each contact";
    case Coupling::Verdict::obtuse:
      return "an impact presses the other contacts on; the outcome is continuous if all are "
             "plastic";
    case Coupling::Verdict::coupled:
      break;
  }
  return "the outcome may jump with the order of contacts";
}

/// "cosines -0.2 ... 0.5 (normals), up to 0.7 (all directions of force)"
std::string cosines_text(const Coupling& coupling) {
  double least = 1.0, greatest = -1.0, strongest = 0.0;
  for (Eigen::Index i = 0; i < coupling.normal.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      least = std::min(least, coupling.normal(i, j));
      greatest = std::max(greatest, coupling.normal(i, j));
      strongest = std::max(strongest, coupling.contact(i, j));
    }
  }
  const std::string normals = number(least, 1.0) + " ... " + number(greatest, 1.0);
  return fmt::format("cosines {} (normals), up to {} (all directions of force)",
                     least == greatest ? number(least, 1.0) : normals, number(strongest, 1.0));
}

/// "2 groups that do not act on one another: A, B; C, D"
std::string groups_text(const ImpactProblem& problem, const Coupling& coupling) {
  std::string list;
  for (const std::vector<int>& group : coupling.groups) {
    list += list.empty() ? "" : "; ";
    for (const int contact : group) {
      list += (contact == group.front() ? "" : ", ") +
              problem.contact_names[static_cast<std::size_t>(contact)];
    }
  }
  return fmt::format("{} groups that do not act on one another: {}", coupling.groups.size(), list);
}

}  // namespace

std::string coupling_text(const ImpactProblem& problem, const Coupling& coupling) {
  if (problem.contacts() == 1) return "";
  std::string text = line(
      "coupling", fmt::format("{}: {}", verdict_name(coupling.verdict), meaning(coupling.verdict)));
  text += line("", cosines_text(coupling));
  if (coupling.groups.size() > 1 && coupling.verdict == Coupling::Verdict::coupled) {
    text += line("", groups_text(problem, coupling));
  }
  if (coupling.verdict != Coupling::Verdict::coupled && coupling.jump == 0.0) return text;
  const std::string rest =
      problem.friction.maxCoeff() > 0.0
          ? line("", "with friction, outcomes can differ by more: carom sample has the set")
          : "";
  if (coupling.jump == 0.0) {
    return text +
           line("", coupling.all_orders
                        ? "the order of the contacts that approach does not count: no jump, "
                          "without friction"
                        : "no two of the contacts that approach jump alone, without friction; "
                          "with others they may") +
           rest;
  }
  const auto name = [&](int contact) {
    return problem.contact_names[static_cast<std::size_t>(contact)];
  };
  return text +
         line("", fmt::format("linearising through this impact is off by {} m/s{} ({} before {} or "
                              "after, without friction)",
                              coupling.all_orders ? "up to " + number(coupling.jump)
                                                  : number(coupling.jump),
                              coupling.all_orders ? "" : " or more", name(coupling.first),
                              name(coupling.second))) +
         rest;
}

nlohmann::ordered_json coupling_json(const Coupling& coupling) {
  return {
      {"normal", rows_json(coupling.normal)},
      {"contact", rows_json(coupling.contact)},
      {"groups", coupling.groups},
      {"verdict", verdict_name(coupling.verdict)},
      {"jump", coupling.jump},
      {"jump_pair", coupling.jump == 0.0 ? nlohmann::ordered_json()
                                         : nlohmann::ordered_json{coupling.first, coupling.second}},
      {"all_orders", coupling.all_orders}};
}

}  // namespace carom::cli
