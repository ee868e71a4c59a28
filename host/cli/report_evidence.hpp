#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"

namespace carom::cli {

/// The certificate's claim, the tests of a growing run, the ends of the search for extremes,
/// selection and check of the net, and missing evidence; empty if no evidence was requested.
std::string evidence_text(const Scenario& scenario, const PostImpactSet& set);

/// {"certificate", "sought", "selection", "net_check", "missing"}, null for a part that does not
/// exist.
nlohmann::ordered_json evidence_json(const Scenario& scenario, const PostImpactSet& set);

/// The directions of interest with the ends found: [{"name", "direction", "found_low",
/// "found_high"}].
nlohmann::ordered_json directions_json(const std::vector<OutputEnds>& ends);

/// The same as a table with its title.
std::string directions_text(const std::vector<OutputEnds>& ends);

}  // namespace carom::cli
