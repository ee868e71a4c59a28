#pragma once

#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"

namespace carom::cli {

/// What a user should be told about a run.
struct Remarks {
  std::vector<std::string> warnings;  ///< trajectories that failed
  std::vector<std::string> notes;     ///< what the problem and the options let expect, and drops
};

Remarks run_remarks(const Scenario& scenario, const PostImpactSet& set);

}  // namespace carom::cli
