#include "host/cli/report_coupling.hpp"

#include <fmt/format.h>

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

/// "0.5 normal, 0.7 with friction"
std::string strongest_text(const Coupling& coupling) {
  Eigen::MatrixXd normal = coupling.normal, contact = coupling.contact;
  normal.diagonal().setZero();
  contact.diagonal().setZero();
  Eigen::Index row = 0, column = 0;
  normal.cwiseAbs().maxCoeff(&row, &column);
  return fmt::format("cosines up to {} (normals), {} (all directions of force)",
                     number(normal(row, column), 1.0), number(contact.maxCoeff(), 1.0));
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
  text += line("", strongest_text(coupling));
  if (coupling.groups.size() > 1 && coupling.verdict == Coupling::Verdict::coupled) {
    text += line("", groups_text(problem, coupling));
  }
  if (coupling.verdict != Coupling::Verdict::coupled && coupling.jump == 0.0) return text;
  if (coupling.jump == 0.0) {
    return text +
           line(
               "",
               "the order of the contacts that approach does not count: no jump, without friction");
  }
  const auto name = [&](int contact) {
    return problem.contact_names[static_cast<std::size_t>(contact)];
  };
  return text +
         line("",
              fmt::format("linearising through this impact is off by up to {} m/s ({} before {} or "
                          "after, without friction)",
                          number(coupling.jump), name(coupling.first), name(coupling.second)));
}

nlohmann::ordered_json coupling_json(const Coupling& coupling) {
  return {{"normal", rows_json(coupling.normal)},
          {"contact", rows_json(coupling.contact)},
          {"groups", coupling.groups},
          {"verdict", verdict_name(coupling.verdict)},
          {"jump", coupling.jump}};
}

}  // namespace carom::cli
