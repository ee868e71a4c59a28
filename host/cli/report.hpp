#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"
#include "host/cli/options.hpp"

namespace carom::cli {

/// A finished or interrupted run, for its report.
struct RunReport {
  const Scenario& scenario;
  const PostImpactSet& set;
  std::filesystem::path file;  ///< result file; empty if none was written
};

/// Prints the report that the flags select on standard output; with --quiet, only its
/// notes, on standard error.
void print_report(const RunReport& report, const OutputFlags& flags);

std::string report_text(const RunReport& report, bool verbose);
nlohmann::ordered_json report_json(const RunReport& report);

/// Of the program, so far: with pilots and evidence.
double seconds_in_all();

/// Parts of the report that other commands print, too.
std::string size_text(const ImpactProblem& problem, StepKind steps = StepKind::lcp);
nlohmann::ordered_json size_json(const ImpactProblem& problem);
/// Table of the ranges of contact speeds, m/s.
std::string contact_text(const ImpactProblem& problem, const OutcomeRanges& reached);
nlohmann::ordered_json contacts_json(const ImpactProblem& problem, const OutcomeRanges& reached);
/// Coefficients of restitution (m): one number if all contacts have it.
std::string restitution_text(const Eigen::VectorXd& restitution);
std::string sampling_text(const SamplingOptions& options);
/// A line with the options that Carom chose, since nobody stated them; empty if there are none.
std::string chosen_text(const Scenario& scenario);
nlohmann::ordered_json sampling_json(const SamplingOptions& options);
/// [least, greatest]; null if empty.
nlohmann::ordered_json range_json(const Range& range);
nlohmann::ordered_json law_json(const Law& law);
nlohmann::ordered_json roll_options_json(const RollOptions& options);
/// "lcps", "impacts"
std::string steps_key(StepKind kind);
inline nlohmann::ordered_json vector_json(const Eigen::VectorXd& vector) {
  return std::vector<double>(vector.begin(), vector.end());
}
/// Behind the name of a contact or its speed in a table of m/s: "", or ", rad/s".
std::string unit_suffix(const ImpactProblem& problem, int contact);
/// "knee upper limit, rad/s"
std::string contact_label(const ImpactProblem& problem, int contact);
/// "tangential velocity", or "tangential velocity 1", "... 2" where d = 2.
std::vector<std::string> tangential_headers(const ImpactProblem& problem, const std::string& what);
/// "warning: ..." and "note: ..." lines, in colour on a terminal. Left out are errors, which
/// conclude() tells, and "cpu_fallback", which the line of the backend tells.
std::string note_lines(const std::vector<Note>& notes, int descriptor);
/// "note: TEXT", for remarks that are not about a run.
std::string note_line(const std::string& text, int descriptor);

}  // namespace carom::cli
