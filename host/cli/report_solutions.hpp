#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/summary.hpp"

namespace carom::cli {

/// Lines about the number of solutions of a run's steps; empty unless solutions were enumerated.
std::string solutions_text(const Summary& summary);

/// Null unless solutions were enumerated.
nlohmann::ordered_json solutions_json(const Summary& summary);

}  // namespace carom::cli
