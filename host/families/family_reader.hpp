#pragma once

#include <string>
#include <vector>

#include "carom/problem_family.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// Keys of a document's root that belong to a family; a document may have more.
const std::vector<std::string>& family_keys();

/// Reads `scenario` (relative to the document's folder), `problems`, `invalid`, [axes], [states],
/// and [sampling], whose keys replace the scenario's. The seed in [sampling] is also the seed of
/// the draws.
ProblemFamily read_problem_family(const ScenarioDocument& document);

}  // namespace carom
