#include <fmt/format.h>

#include <algorithm>

#include "carom/post_impact_set.hpp"

namespace carom {

std::string why_no_outcomes(const PostImpactSet& set, const SamplingOptions& options) {
  const Summary& summary = set.summary;
  if (summary.outcomes() > 0 || summary.trajectories == 0) return "";
  std::string ways;
  for (int s = 1; s < status_count; ++s) {
    const std::uint64_t count = summary.status_counts[static_cast<std::size_t>(s)];
    if (count == 0) continue;
    const auto status = static_cast<Status>(s);
    ways +=
        fmt::format("{}{} {}", ways.empty() ? "" : ", ", count,
                    status == Status::step_limit
                        ? fmt::format("still collided after {} steps", options.max_steps)
                        : fmt::format("had an LCP that was not solved ({})", status_name(status)));
  }
  std::string text = fmt::format("no outcome: of {} trajectories {}", summary.trajectories, ways);
  const bool dropped = summary.status_counts[static_cast<std::size_t>(Status::step_limit)] > 0;
  if (dropped && options.max_steps < max_step_limit) {
    text += fmt::format("; try max_steps = {}, or a larger impulse_step",
                        std::min(10 * options.max_steps, max_step_limit));
  }
  return text;
}

}  // namespace carom
