#include "host/cli/report_solutions.hpp"

#include <fmt/core.h>

#include <optional>

#include "carom/orientation.hpp"
#include "carom/solutions.hpp"
#include "host/cli/terminal.hpp"
#include "host/laws/law_list.hpp"

namespace carom::cli {
namespace {

constexpr std::size_t most_counted = solution_bins - 2;  // solutions, or more
constexpr std::size_t not_found = solution_bins - 1;

std::uint64_t steps_of(const Summary& summary) {
  std::uint64_t steps = 0;
  for (std::size_t bin = 1; bin < summary.solution_steps.size(); ++bin) {
    steps += summary.solution_steps[bin];
  }
  return steps;
}

double percentage(std::uint64_t part, std::uint64_t whole) {
  return percent * static_cast<double>(part) / static_cast<double>(whole);
}

const char* method_words(SolutionMethod method) {
  switch (method) {
    case SolutionMethod::unique:
      return "one in each step: proven by the orientation of all sign patterns";
    case SolutionMethod::modes:
      return "all, by their contact modes";
    case SolutionMethod::signs:
      return "all, by a search of sign patterns";
    case SolutionMethod::lines:
      break;
  }
  return "by paths along random lines: not certainly all";
}

std::string orientation_words(const Orientation& found) {
  switch (found.solutions) {
    case StepSolutions::one:
      return fmt::format("one in every step, proven ({} sign patterns)", found.systems);
    case StepSolutions::connected:
      return "one, or a continuum, in every step: proven to be connected";
    case StepSolutions::several:
      return fmt::format("several are possible ({} of {} sign patterns are reversed, {} singular)",
                         found.negative, found.systems, found.singular);
    case StepSolutions::unknown:
      break;
  }
  return fmt::format("unknown: {:.3g} sign patterns are too many to tell", found.systems);
}

nlohmann::ordered_json audit_json(const std::optional<SolutionAudit>& audit) {
  if (!audit) return nullptr;
  return {{"sentence", audit->sentence()},
          {"steps", audit->steps},
          {"incomplete", audit->incomplete},
          {"missed_steps", audit->missed_steps},
          {"partial_steps", audit->partial_steps},
          {"solutions", audit->solutions},
          {"missed_solutions", audit->missed_solutions},
          {"miss_bound", audit->miss_bound}};
}

nlohmann::ordered_json counts_json(const Summary& summary) {
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (std::size_t bin = 1; bin <= most_counted; ++bin) {
    const std::string name = std::to_string(bin) + (bin == most_counted ? "_or_more" : "");
    counts[name] = summary.solution_steps[bin];
  }
  return counts;
}

}  // namespace

std::string step_solutions_text(const ImpactProblem& problem) {
  return line("solutions", orientation_words(orientation(problem)));
}

nlohmann::ordered_json step_solutions_json(const ImpactProblem& problem) {
  const Orientation found = orientation(problem);
  return {{"solutions", step_solutions_name(found.solutions)},
          {"sign_patterns", found.systems},
          {"negative", found.negative},
          {"singular", found.singular}};
}

std::string solutions_text(const Scenario& scenario, const PostImpactSet& set) {
  const Summary& summary = set.summary;
  const std::optional<SolutionMethod> method =
      all_solutions_by(scenario.sampling.law, scenario.problem);
  const std::uint64_t steps = steps_of(summary);
  if (steps == 0) return "";
  std::string text = method ? line("solutions", method_words(*method)) : "";
  if (method == SolutionMethod::unique) return text;
  std::string shares;
  for (std::size_t bin = 1; bin <= most_counted; ++bin) {
    const std::uint64_t count = summary.solution_steps[bin];
    if (count == 0) continue;
    shares +=
        fmt::format("{}{} in {:.4g} %", shares.empty() ? "" : ", ",
                    bin == most_counted ? fmt::format("{} or more", bin) : fmt::format("{}", bin),
                    percentage(count, steps));
  }
  const bool unique = summary.solution_steps[1] == steps && summary.solution_steps[0] == 0;
  text += line("step outcomes", unique ? "1 in each step" : shares + " of the steps");
  if (summary.solution_steps[0] > 0) {
    text += line("continuum", fmt::format("in {:.4g} % of the steps, each drawn as one solution",
                                          percentage(summary.solution_steps[0], steps)));
  }
  if (summary.solution_steps[not_found] > 0) {
    text += line("not all found",
                 fmt::format("in {} step{} ({:.4g} %)", summary.solution_steps[not_found],
                             summary.solution_steps[not_found] == 1 ? "" : "s",
                             percentage(summary.solution_steps[not_found], steps)));
  }
  if (set.audit) text += line("audit", set.audit->sentence());
  return text;
}

nlohmann::ordered_json solutions_json(const Scenario& scenario, const PostImpactSet& set) {
  const Summary& summary = set.summary;
  const std::optional<SolutionMethod> method =
      all_solutions_by(scenario.sampling.law, scenario.problem);
  const std::uint64_t steps = steps_of(summary);
  if (steps == 0) return nullptr;
  return {{"method", method ? nlohmann::ordered_json(solution_method_name(*method)) : nullptr},
          {"steps", steps},
          {"steps_by_solutions", counts_json(summary)},
          {"steps_with_continuum", summary.solution_steps[0]},
          {"steps_not_all_found", summary.solution_steps[not_found]},
          {"audit", audit_json(set.audit)}};
}

}  // namespace carom::cli
