#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"

namespace carom::cli {

/// A line about how many solutions a problem's steps can have.
std::string step_solutions_text(const ImpactProblem& problem);
nlohmann::ordered_json step_solutions_json(const ImpactProblem& problem);

/// Lines about how the solutions of a run's steps were found, and their number; empty unless
/// solutions were enumerated.
std::string solutions_text(const Scenario& scenario, const PostImpactSet& set);

/// Null unless solutions were enumerated.
nlohmann::ordered_json solutions_json(const Scenario& scenario, const PostImpactSet& set);

}  // namespace carom::cli
