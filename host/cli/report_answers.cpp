#include "host/cli/report_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/cli/report.hpp"
#include "host/cli/report_bound.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

std::string verdict_text(Answer::Verdict verdict, const OuterBound* bound) {
  if (verdict != Answer::Verdict::no_within) return verdict_name(verdict);
  return fmt::format("no, {}", status_text(*bound));
}

/// What is proved, in the words of the law.
std::string of_what(const OuterBound& bound) {
  return bound.scope == BoundScope::any_h ? "with any caps, any h and any solution"
                                          : "of the differential inclusion, h -> 0";
}

std::string known(double value) { return std::isnan(value) ? "-" : number(value, 1.0); }

}  // namespace

std::string answers_text(const Scenario& scenario, const std::vector<Answer>& answers,
                         const OuterBound* bound) {
  Table table({"question", "answer", "found", "bound"});
  for (const Answer& answer : answers) {
    table.add({answer.question, verdict_text(answer.verdict, bound), known(answer.found),
               std::isnan(answer.bound) ? "-" : outward(answer.bound, answer.greater, 1.0)});
  }
  const bool is_open = std::ranges::any_of(
      answers, [](const Answer& answer) { return answer.verdict == Answer::Verdict::open; });
  std::string text = "Questions\n" + table.text();
  if (bound != nullptr && bound->scope == BoundScope::inclusion) {
    return text + fmt::format(
                      "  no: proved that none has, {}; open: not proved, and outcomes of "
                      "steps, as found, prove nothing of it\n",
                      of_what(*bound));
  }
  text += fmt::format("  yes: an outcome was found that has it; no: proved that none has{}\n",
                      bound == nullptr ? "" : ", " + of_what(*bound));
  if (!is_open) return text;
  const char* const why = bound != nullptr ? "what is proved does not exclude it"
                          : has_bound(scenario.problem, scenario.sampling.law)
                              ? "the bound is missing"
                              : "with this law, friction and restitution outcomes have no bound";
  return text + fmt::format("  open: none of those found has it, and {}\n", why);
}

nlohmann::ordered_json answers_json(const std::vector<Answer>& answers) {
  auto list = nlohmann::ordered_json::array();
  for (const Answer& answer : answers) {
    nlohmann::ordered_json its = {{"question", answer.question},
                                  {"answer", verdict_name(answer.verdict)}};
    for_each_answer_number(
        [&](const char* name, double Answer::*number) { its[name] = answer.*number; });
    list.push_back(std::move(its));
  }
  return list;
}

}  // namespace carom::cli
