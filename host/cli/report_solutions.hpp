#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/summary.hpp"

namespace carom::cli {

/// Lines on how many solutions the steps of a run had; empty unless all were found.
std::string solutions_text(const Summary& summary);

/// Null unless all solutions were found.
nlohmann::ordered_json solutions_json(const Summary& summary);

}  // namespace carom::cli
