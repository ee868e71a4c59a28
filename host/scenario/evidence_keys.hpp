#pragma once

#include <string>
#include <vector>

#include "carom/scenario.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// Keys of [evidence].
const std::vector<std::string>& evidence_keys();

/// Reads [evidence], if there is one, over the defaults that `scenario` holds.
void read_evidence(const ScenarioDocument& document, Scenario& scenario);

}  // namespace carom
