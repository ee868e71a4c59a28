#include "host/cli/report_evidence.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "host/cli/options.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_answers.hpp"
#include "host/cli/report_bound.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/terminal.hpp"
#include "host/laws/law_list.hpp"
#include "host/run/evidence.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;

/// Wraps words into lines of limited length, indented like the tables.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 98;
  const std::string indent = "  ";
  std::istringstream words(text);
  std::string lines;
  std::string current;
  for (std::string word; words >> word;) {
    if (!current.empty() && current.size() + 1 + word.size() > width) {
      lines += indent + current + "\n";
      current.clear();
    }
    current += (current.empty() ? "" : " ") + word;
  }
  return lines + indent + current + "\n";
}

std::string certificate_text(const Certificate& certificate) {
  std::string text = "Coverage\n" + wrapped(certificate.sentence());
  if (certificate.tests.size() < 2) return text;
  Table table({"test", "trajectories", "fresh ones", "misses", "no outcome", "bound"});
  for (std::size_t j = 0; j < certificate.tests.size(); ++j) {
    const HoldOut& test = certificate.tests[j];
    table.add({fmt::format("{}", j + 1), fmt::format("{}", test.trajectories),
               fmt::format("{}", test.trials), fmt::format("{}", test.misses),
               fmt::format("{}", test.failures), fmt::format("{:.3g}", test.miss_bound)});
  }
  return text + "\nTests while the run grew\n" + table.text();
}

/// The greatest value along any direction: the scale of rounding noise.
double value_scale(const std::vector<SoughtOutcome>& sought) {
  double scale = 0.0;
  for (const SoughtOutcome& outcome : sought) {
    scale = std::max({scale, std::abs(outcome.sampled), std::abs(outcome.found)});
  }
  return scale;
}

/// "random direction 3: (0.31, -1.2) · velocity, in √J"; the first entries of a long one.
std::string direction_text(const SoughtOutcome& outcome, const std::string& name) {
  constexpr std::size_t most = 6;
  const std::size_t shown = std::min(most, outcome.direction.size());
  std::vector<std::string> entries;
  for (std::size_t j = 0; j < shown; ++j) {
    entries.push_back(fmt::format("{:.3g}", outcome.direction[j]));
  }
  const std::size_t more = outcome.direction.size() - shown;
  if (more > 0) entries.push_back(fmt::format("{} more, which --json and FILE have", more));
  return fmt::format("  {}: ({}) · velocity, in √J\n", name, fmt::join(entries, ", "));
}

std::string sought_text(const std::vector<SoughtOutcome>& sought) {
  const double scale = value_scale(sought);
  std::uint64_t evaluations = 0;
  for (const SoughtOutcome& outcome : sought) evaluations += outcome.evaluations;
  const auto gains = std::count_if(sought.begin(), sought.end(),
                                   [](const auto& outcome) { return outcome.gain() > 0.0; });
  std::string text =
      fmt::format("Search for extremes: {} of {} ends moved outwards, {} trajectories\n", gains,
                  sought.size(), evaluations);
  Table table({"end", "sampled", "found", "gain", "from the net"});
  std::string directions;
  for (const SoughtOutcome& outcome : sought) {
    table.add({outcome.objective, number(outcome.sampled, scale), number(outcome.found, scale),
               number(outcome.gain()), number(outcome.net_distance, scale)});
    constexpr std::string_view before_name = "greatest along ";  // of a random direction
    if (outcome.objective.starts_with(before_name)) {
      directions += direction_text(outcome, outcome.objective.substr(before_name.size()));
    }
  }
  return text + table.text() + directions;
}

std::string net_text(const PostImpactSet& set) {
  std::string text;
  if (set.selection) {
    text += line("selection",
                 fmt::format("{} outcomes; that of every trajectory lies within {} of one of them",
                             set.selection->index.size(), number(set.selection->epsilon)));
  }
  if (set.net_check) {
    text += line("net check",
                 fmt::format("{}: outcomes within {} of the net, members farther than {} apart",
                             set.net_check->holds ? "holds" : "FAILS", number(set.net_check->cover),
                             number(set.net_check->packing)));
  }
  return text;
}

ordered_json certificate_json(const Certificate& certificate) {
  ordered_json tests = ordered_json::array();
  for (const HoldOut& test : certificate.tests) {
    tests.push_back({{"trajectories", test.trajectories},
                     {"first", test.first},
                     {"trials", test.trials},
                     {"misses", test.misses},
                     {"failures", test.failures},
                     {"confidence", test.confidence},
                     {"miss_bound", test.miss_bound}});
  }
  ordered_json json = {
      {"sentence", certificate.sentence()},
      {"miss_bound", certificate.tests.empty() ? ordered_json(nullptr)
                                               : ordered_json(certificate.tests.back().miss_bound)},
      {"confidence", certificate.confidence},
      {"epsilon", certificate.epsilon},
      {"norm", norm_name(certificate.norm)},
      {"law", law_name(certificate.law)},
      {"impulse_step", certificate.impulse_step},
      {"max_steps", certificate.max_steps},
      {"miss", certificate.miss},
      {"reached", certificate.reached},
      {"tests", tests}};
  const ordered_json law = law_json(certificate.law);
  for (const auto& [name, text] : law_options(certificate.law)) json[name] = law[name];
  return json;
}

ordered_json sought_json(const std::vector<SoughtOutcome>& sought) {
  ordered_json outcomes = ordered_json::array();
  for (const SoughtOutcome& outcome : sought) {
    outcomes.push_back({{"objective", outcome.objective},
                        {"greatest", outcome.greatest},
                        {"direction", outcome.direction},
                        {"sampled", outcome.sampled},
                        {"found", outcome.found},
                        {"gain", outcome.gain()},
                        {"tolerance", outcome.tolerance},
                        {"net_distance", outcome.net_distance},
                        {"velocity", outcome.velocity},
                        {"evaluations", outcome.evaluations}});
  }
  return outcomes;
}

ordered_json search_json(const ImpactProblem& problem, const PostImpactSet& set) {
  const NetSearch& search = *set.search;
  ordered_json modes = ordered_json::array();
  for (const OutcomeMode& mode : searched_modes(problem, set).table()) {
    modes.push_back({{"text", mode_text(mode.contacts, problem.contact_names)},
                     {"contacts", contact_modes_json(mode.contacts)},
                     {"example_velocity", mode.example_velocity}});
  }
  return {{"lcps", search.lcps},
          {"outcomes", search.outcomes},
          {"members", search.members},
          {"farthest", search.farthest},
          {"settled", search.settled},
          {"islands_apart", search.islands_apart},
          {"modes", modes}};
}

}  // namespace

std::string directions_text(const std::vector<OutputEnds>& ends) {
  double scale = 0.0;
  for (const OutputEnds& one : ends) {
    scale = std::max({scale, std::abs(one.found_low), std::abs(one.found_high)});
  }
  Table table({"direction", "least", "greatest"});
  for (const OutputEnds& one : ends) {
    table.add({one.name, number(one.found_low, scale), number(one.found_high, scale)});
  }
  return "Directions: the ends found (the set reaches at least as far)\n" + table.text();
}

ordered_json directions_json(const std::vector<OutputEnds>& ends) {
  ordered_json list = ordered_json::array();
  for (const OutputEnds& one : ends) {
    list.push_back({{"name", one.name},
                    {"direction", one.direction},
                    {"found_low", one.found_low},
                    {"found_high", one.found_high}});
  }
  return list;
}

std::string evidence_text(const Scenario& scenario, const PostImpactSet& set) {
  std::vector<std::string> parts;
  if (set.certificate) parts.push_back(certificate_text(*set.certificate));
  const std::vector<OutputEnds> ends = output_ends(scenario.evidence.outputs, set);
  if (!ends.empty()) parts.push_back(directions_text(ends));
  if (scenario.evidence.seek_extremes >= 0 && !set.sought.empty()) {
    parts.push_back(sought_text(set.sought));
  }
  if (set.bound) {
    const bool with_found = set.bound->outcomes > set.summary.outcomes();
    parts.push_back("What can not happen\n" +
                    bound_text(scenario.problem, *set.bound,
                               with_found ? "outcomes, with those of searches," : ""));
  }
  const std::vector<Answer> known = answers(scenario.problem, scenario.evidence.outputs, set,
                                            scenario.sampling.termination_tolerance);
  if (!known.empty())
    parts.push_back(answers_text(scenario, known, set.bound ? &set.bound->bound : nullptr));
  if (set.selection || set.net_check) parts.push_back("Net\n" + net_text(set));
  const std::vector<std::string> missing =
      missing_evidence(scenario.sampling, scenario.evidence, set);
  if (!missing.empty()) {
    parts.push_back(Ink(STDOUT_FILENO)
                        .warning(fmt::format("missing, for the run was interrupted: {}",
                                             fmt::join(missing, ", "))) +
                    "\n");
  }
  return fmt::format("{}", fmt::join(parts, "\n"));
}

ordered_json evidence_json(const Scenario& scenario, const PostImpactSet& set) {
  ordered_json document = {{"certificate", nullptr},
                           {"sought", nullptr},
                           {"search", nullptr},
                           {"selection", nullptr},
                           {"net_check", nullptr}};
  if (set.certificate) document["certificate"] = certificate_json(*set.certificate);
  if (!set.sought.empty()) document["sought"] = sought_json(set.sought);
  if (set.search && set.search->lcps > 0) {
    document["search"] = search_json(scenario.problem, set);
  }
  if (set.selection) {
    document["selection"] = {{"size", set.selection->index.size()},
                             {"epsilon", set.selection->epsilon},
                             {"index", set.selection->index}};
  }
  if (set.net_check) {
    document["net_check"] = {{"cover", set.net_check->cover},
                             {"packing", set.net_check->packing},
                             {"holds", set.net_check->holds}};
  }
  document["missing"] = missing_evidence(scenario.sampling, scenario.evidence, set);
  return document;
}

}  // namespace carom::cli
