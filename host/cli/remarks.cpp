#include "host/cli/remarks.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace carom::cli {

Remarks run_remarks(const Scenario& scenario, const PostImpactSet& set) {
  Remarks remarks;
  remarks.notes = notes(scenario.problem, scenario.sampling);
  const auto& counts = set.summary.status_counts;
  for (const Status failure : {Status::ray, Status::pivot_limit, Status::residual}) {
    const std::uint64_t count = counts[static_cast<std::size_t>(failure)];
    if (count == 0) continue;
    remarks.warnings.push_back(fmt::format(
        "{} of {} trajectories failed with status {}: their LCP was not solved; they are not "
        "among the outcomes",
        count, set.summary.trajectories, status_name(failure)));
  }
  const std::uint64_t dropped = counts[static_cast<std::size_t>(Status::step_limit)];
  if (dropped > 0) {
    const int limit = scenario.sampling.max_steps;
    std::string note = fmt::format(
        "{} trajectories still collided after {} step{} and the final one and were dropped",
        dropped, limit, limit == 1 ? "" : "s");
    if (limit < max_step_limit) {
      note += fmt::format("; --max-steps {} may keep more", std::min(2 * limit, max_step_limit));
    }
    remarks.notes.push_back(std::move(note));
  }
  return remarks;
}

}  // namespace carom::cli
