#pragma once

#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"

namespace carom::cli {

/// Remarks for the user about a run.
struct Remarks {
  std::vector<std::string> warnings;  ///< trajectories that failed
  std::vector<std::string> notes;     ///< notes on problem, options and dropped trajectories
};

Remarks run_remarks(const Scenario& scenario, const PostImpactSet& set);

}  // namespace carom::cli
