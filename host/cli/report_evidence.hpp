#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"

namespace carom::cli {

/// What the certificate claims, how a growing run came to it, what the search for extremes gained,
/// selection and check of the net, and what is missing; empty where nothing was asked for. With
/// `verbose`, directions in which the search gained nothing too.
std::string evidence_text(const Scenario& scenario, const PostImpactSet& set, bool verbose);

/// {"certificate", "sought", "selection", "net_check", "missing"}, null where there is none.
nlohmann::ordered_json evidence_json(const Scenario& scenario, const PostImpactSet& set);

}  // namespace carom::cli
