#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/coupling.hpp"

namespace carom::cli {

/// A line on whether the outcome depends on the order of contacts, and by how much.
std::string coupling_text(const ImpactProblem& problem, const Coupling& coupling);

/// {`normal`, `contact`, `verdict`, `jump`}
nlohmann::ordered_json coupling_json(const Coupling& coupling);

}  // namespace carom::cli
