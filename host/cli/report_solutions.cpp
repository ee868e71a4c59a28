#include "host/cli/report_solutions.hpp"

#include <fmt/core.h>

#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

constexpr std::size_t most_counted = solution_bins - 2;  // solutions, or more
constexpr std::size_t not_enumerated = solution_bins - 1;

std::uint64_t steps_of(const Summary& summary) {
  std::uint64_t steps = 0;
  for (std::size_t bin = 1; bin < summary.solution_steps.size(); ++bin) {
    steps += summary.solution_steps[bin];
  }
  return steps;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string solutions_text(const Summary& summary) {
  const std::uint64_t steps = steps_of(summary);
  if (steps == 0) return "";
  std::string shares;
  for (std::size_t bin = 1; bin <= most_counted; ++bin) {
    const std::uint64_t count = summary.solution_steps[bin];
    if (count == 0) continue;
    shares +=
        fmt::format("{}{} in {:.4g} %", shares.empty() ? "" : ", ",
                    bin == most_counted ? fmt::format("{} or more", bin) : fmt::format("{}", bin),
                    percent(count, steps));
  }
  const bool unique = summary.solution_steps[1] == steps;
  std::string text = line("step outcomes",
                          unique ? "1 in each: the law is unique here" : shares + " of the steps");
  if (summary.solution_steps[0] > 0) {
    text += line("continuum", fmt::format("in {:.4g} % of the steps; its ends are among them",
                                          percent(summary.solution_steps[0], steps)));
  }
  if (summary.solution_steps[not_enumerated] > 0) {
    text += line("not enumerated", fmt::format("{} steps: Lemke's solution was taken",
                                               summary.solution_steps[not_enumerated]));
  }
  return text;
}

nlohmann::ordered_json solutions_json(const Summary& summary) {
  const std::uint64_t steps = steps_of(summary);
  if (steps == 0) return nullptr;
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (std::size_t bin = 1; bin <= most_counted; ++bin) {
    const std::string name = std::to_string(bin) + (bin == most_counted ? "_or_more" : "");
    counts[name] = summary.solution_steps[bin];
  }
  return {{"steps", steps},
          {"steps_by_solutions", counts},
          {"steps_with_continuum", summary.solution_steps[0]},
          {"steps_by_lemke", summary.solution_steps[not_enumerated]}};
}

}  // namespace carom::cli
