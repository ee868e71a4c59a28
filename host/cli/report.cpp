#include "host/cli/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "host/base/progress.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/report_comparison.hpp"
#include "host/cli/report_evidence.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/report_solutions.hpp"
#include "host/cli/step_input.hpp"
#include "host/cli/terminal.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"
#include "host/problem/step_lcp.hpp"
#include "host/run/net_search.hpp"

namespace carom::cli {
namespace {

const auto program_start = std::chrono::steady_clock::now();

void add_range(std::vector<std::string>& row, const Range& range, double scale) {
  row.push_back(range.empty() ? "-" : number(range.least, scale));
  row.push_back(range.empty() ? "-" : number(range.greatest, scale));
}

/// The greatest speed of a contact before or after the impact: the scale of rounding noise.
double speed_scale(const ImpactProblem& problem, const OutcomeRanges& reached) {
  double scale = (problem.normal_jacobian * problem.pre_impact_velocity).cwiseAbs().maxCoeff();
  for (const auto* ranges : {&reached.normal_velocity, &reached.tangential_velocity}) {
    for (const Range& range : *ranges) {
      if (range.empty()) continue;
      scale = std::max({scale, std::abs(range.least), std::abs(range.greatest)});
    }
  }
  return scale;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{} ({:.4g} %)", part, percent * share(part, whole));
}

std::string counts_text(const Summary& summary, bool verbose) {
  std::string text = line("outcomes", share_text(summary.outcomes(), summary.trajectories));
  for (int s = 1; s < status_count; ++s) {
    const auto status = static_cast<Status>(s);
    const std::uint64_t count = summary.status_counts[static_cast<std::size_t>(s)];
    if (count == 0 && !verbose) continue;
    const char* kind = status == Status::step_limit ? "dropped" : "failed";
    text += line(
        kind, fmt::format("{}, {}", share_text(count, summary.trajectories), status_name(status)));
  }
  return text;
}

std::string steps_text(const Summary& summary, StepKind kind, bool verbose) {
  std::string text = line(fmt::format("{}s", step_name(kind)),
                          fmt::format("{}, {:.4g} per trajectory, at most {}", summary.lcps,
                                      summary.mean_lcps(), summary.max_lcps));
  if (verbose) {
    for (std::size_t n = 0; n < summary.lcp_histogram.size(); ++n) {
      text += line(fmt::format("  with {}", n),
                   share_text(summary.lcp_histogram[n], summary.trajectories));
    }
  }
  if (kind != StepKind::lcp) return text;
  if (summary.pivots > 0 || verbose) {
    text += line("pivots", fmt::format("{:.4g} per LCP",
                                       share(summary.pivots, summary.lcps + summary.final_steps)));
  }
  if (summary.retries > 0 || verbose) {
    text += line("double-double",
                 fmt::format("{} LCPs that double precision could not decide", summary.retries));
  }
  return text;
}

std::string table_text(const PostImpactSet& set, bool verbose) {
  if (set.table.bases == 0) return "";
  const std::string pilot =
      verbose ? fmt::format(" from a pilot of {} trajectories", set.table.pilot_trajectories) : "";
  return line("table", fmt::format("{} {}{}, {:.4g} % of LCPs", set.table.bases,
                                   set.table.bases == 1 ? "basis" : "bases", pilot,
                                   percent * set.summary.table_hit_rate()));
}

/// @param reached by all outcomes; the mean is of the trajectories
/// @param drawn whether trajectories draw the velocity before the impact
std::string energy_text(const Summary& summary, const Range& reached, bool drawn) {
  std::string after = "-";
  const double before = summary.energy_before;
  if (!reached.empty()) {
    after = fmt::format("{} ... {}, mean {}", number(reached.least, before),
                        number(reached.greatest, before), number(summary.mean_energy(), before));
  }
  return line("kinetic energy", number(before) + " J before" +
                                    (drawn ? " on average velocity, " : ", ") + after + " J after");
}

/// What the search beyond the trajectories found.
std::string search_text(const Scenario& scenario, const PostImpactSet& set) {
  const bool wanted = scenario.evidence.search && is_searched(scenario.sampling.law);
  if (!set.search) {
    const bool is_short =
        wanted && set.complete && set.summary.outcomes() > 0 && !is_searched(set.summary);
    return is_short ? line("search", "none: the trajectories take too few LCPs") : "";
  }
  if (set.search->lcps == 0) {
    return line("search", "none: trajectories were dropped, and impulse_step is small");
  }
  const NetSearch& search = *set.search;
  const bool by_lines = finds_solutions_by_lines(scenario.problem, scenario.sampling.law);
  std::string text =
      fmt::format("{} LCPs{}; ", search.lcps, by_lines ? ", Lemke's solution of each" : "");
  if (search.members == 0) {
    text += "none of its outcomes is outside the net";
    if (!search.velocity.empty()) text += ", some widen the ranges";
  } else {
    text += fmt::format("{} of its outcomes joined the net, up to {:.2g} from the others",
                        search.members, search.farthest);
  }
  const char* const state = search.settled ? "; settled"
                            : search.islands_apart <= set.net.epsilon()
                                ? "; its halves agree"
                                : "; not settled: its halves agree";
  text += state;
  if (!search.settled) text += fmt::format(" to {:.2g}", search.islands_apart);
  return line("search", text);
}

/// The contact modes that only the search found.
std::string searched_text(const ImpactProblem& problem, const PostImpactSet& set) {
  const std::vector<OutcomeMode> modes = searched_modes(problem, set).table();
  if (modes.empty()) return "";
  std::vector<std::string> texts;
  const std::size_t shown = std::min<std::size_t>(modes.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    texts.push_back(short_mode_text(modes[i].contacts, problem.contact_names));
  }
  if (shown < modes.size()) texts.push_back(fmt::format("{} more", modes.size() - shown));
  return fmt::format("  found by the search alone: {}\n", fmt::join(texts, "; "));
}

std::string time_text(const Summary& summary, StepKind kind) {
  std::string text =
      fmt::format("{:.3g} s of sampling ({:.3g} s in all)", summary.seconds, seconds_in_all());
  if (summary.seconds > 0.0) {
    text += fmt::format(", {} trajectories/s, {} {}s/s",
                        short_count(static_cast<double>(summary.trajectories) / summary.seconds),
                        short_count(static_cast<double>(summary.lcps) / summary.seconds),
                        step_name(kind));
  }
  return text;
}

}  // namespace

double seconds_in_all() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_start).count();
}

std::string contact_text(const ImpactProblem& problem, const OutcomeRanges& reached) {
  std::vector<std::string> header = {"contact", "normal min", "max"};
  for (const auto& name : tangential_headers(problem, "tangential")) {
    header.insert(header.end(), {name + " min", "max"});
  }
  Table table(std::move(header));
  const double scale = speed_scale(problem, reached);
  const auto d = static_cast<std::size_t>(problem.tangent_dimension());
  for (std::size_t i = 0; i < reached.normal_velocity.size(); ++i) {
    std::vector<std::string> row = {contact_label(problem, static_cast<int>(i))};
    add_range(row, reached.normal_velocity[i], scale);
    for (std::size_t t = 0; t < d; ++t) {
      add_range(row, reached.tangential_velocity[i * d + t], scale);
    }
    table.add(std::move(row));
  }
  return "Contact velocities of the outcomes, m/s\n" + table.text();
}

std::string report_text(const RunReport& report, bool verbose) {
  const auto& [scenario, set, file] = report;
  const Summary& summary = set.summary;
  const OutcomeRanges reached = ranges_of(scenario.problem, set);
  std::string text = Ink(STDOUT_FILENO).bold("Post-impact set of " + title(scenario)) + "\n";
  text += line("size", size_text(scenario.problem, step_kind(scenario.sampling.law)));
  text += line("sampling", sampling_text(scenario.sampling));
  const auto restitution = restitution_of(scenario.problem, scenario.sampling.law);
  if (restitution && restitution->maxCoeff() > 0.0) {
    text += line("restitution", restitution_text(*restitution));
  }
  text += chosen_text(scenario);
  const std::string note = set.backend_note.empty() ? "" : " (no GPU: " + set.backend_note + ")";
  text += line("backend", fmt::format("{}, {}{}", backend_name(set.backend), set.device, note));
  text +=
      line("trajectories", set.complete ? fmt::format("{}", summary.trajectories)
                                        : fmt::format("{} of {}, interrupted", summary.trajectories,
                                                      scenario.sampling.trajectories));
  const StepKind steps = step_kind(scenario.sampling.law);
  text += counts_text(summary, verbose);
  if (steps == StepKind::lcp) {
    text += line("final steps", share_text(summary.final_steps, summary.trajectories));
  }
  text += steps_text(summary, steps, verbose) + table_text(set, verbose);
  text += solutions_text(scenario, set) +
          energy_text(summary, reached.energy, draws_velocity(scenario.sampling.law));
  text += line("net", fmt::format("{} member{}, epsilon = {} ({} norm)", set.net.size(),
                                  set.net.size() == 1 ? "" : "s", number(set.net.epsilon()),
                                  norm_name(scenario.sampling.norm)));
  text += search_text(scenario, set);
  if (verbose) {
    text += line("psi", number(set.psi));
    text += line("final cap", number(set.final_cap) + " N·s");
  }
  text += line("time", time_text(summary, steps));
  text += line("checksum", fmt::format("{:016x}", summary.checksum));
  if (!file.empty()) text += line("file", file.string());
  const auto add = [&](const std::string& section) {
    if (!section.empty()) text += "\n" + section;
  };
  add(modes_text(scenario.problem, set.modes, verbose) + searched_text(scenario.problem, set));
  add(contact_text(scenario.problem, reached));
  add(comparison_text(scenario.problem, set.comparison, set.net.epsilon()));
  add(evidence_text(scenario, set));
  return text + note_lines(set.notes, STDOUT_FILENO);
}

void print_report(const RunReport& report, const OutputFlags& flags) {
  if (flags.json) {
    print(report_json(report));
  } else if (flags.quiet) {
    tell(note_lines(report.set.notes, STDERR_FILENO));
  } else {
    print(report_text(report, flags.verbose));
  }
}

std::string restitution_text(const Eigen::VectorXd& restitution) {
  constexpr double unit = 1.0;
  return (restitution.array() == restitution(0)).all() ? number(restitution(0))
                                                       : list_text(restitution, unit);
}

std::string size_text(const ImpactProblem& problem, StepKind steps) {
  const int m = problem.contacts();
  const int k = problem.friction_directions;
  if (steps != StepKind::lcp) {
    return fmt::format("{} contact{}, {} velocities", m, m == 1 ? "" : "s", problem.velocities());
  }
  return fmt::format(
      "{} contact{}, {} velocities, {} unknowns per LCP (m = {}, nv = {}, d = {}, "
      "k = {}, n = {})",
      m, m == 1 ? "" : "s", problem.velocities(), (3 + k) * m, m, problem.velocities(),
      problem.tangent_dimension(), k, (3 + k) * m);
}

std::string sampling_text(const SamplingOptions& options) {
  return fmt::format("{}, at most {} steps, seed {}, problem id {}",
                     law_words(options.law, number(*options.impulse_step) + " N·s"),
                     options.max_steps, options.seed, options.problem_id);
}

namespace {

std::string chosen_value(const OptionInfo&, double value) { return number(value); }
template <class T>
std::string chosen_value(const OptionInfo& info, const T& value) {
  return option_text(info, value);
}

}  // namespace

std::string chosen_text(const Scenario& scenario) {
  std::string text;
  const auto add = [&](const OptionInfo& info, const auto& value) {
    if constexpr (is_choice<std::remove_cvref_t<decltype(value)>>) {
      // The line above has the greatest number of steps.
      const bool said = std::string_view(info.name) == "max_steps";
      const bool used =
          std::string_view(info.name) != "impulse_step" || has_impulse_step(scenario.sampling.law);
      if (value.is_stated() || said || !used) return;
      const std::string unit = *info.unit == '\0' ? "" : fmt::format(" {}", info.unit);
      text += fmt::format("{}{} = {}{}", text.empty() ? "" : ", ", info.name,
                          chosen_value(info, *value), unit);
    }
  };
  for_each_option(add, scenario.sampling);
  for_each_law_option(scenario.sampling.law, add);
  for_each_option(add, scenario.evidence);
  return text.empty() ? "" : line("chosen", text);
}

std::string unit_suffix(const ImpactProblem& problem, int contact) {
  const std::string unit = speed_unit(problem, contact);
  return unit == "m/s" ? "" : ", " + unit;
}

std::string contact_label(const ImpactProblem& problem, int contact) {
  return problem.contact_names[static_cast<std::size_t>(contact)] + unit_suffix(problem, contact);
}

std::vector<std::string> tangential_headers(const ImpactProblem& problem, const std::string& what) {
  if (problem.tangent_dimension() == 1) return {what};
  return {what + " 1", what + " 2"};
}

std::string note_lines(const std::vector<Note>& notes, int descriptor) {
  const Ink ink(descriptor);
  std::string text;
  for (const Note& note : notes) {
    if (note.severity == Severity::warning) text += ink.warning("warning: " + note.text) + "\n";
    if (note.severity == Severity::info && note.code != "cpu_fallback") {
      text += note_line(note.text, descriptor);
    }
  }
  return text;
}

std::string note_line(const std::string& text, int descriptor) {
  return Ink(descriptor).note("note: " + text) + "\n";
}

}  // namespace carom::cli
