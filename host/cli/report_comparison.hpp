#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/comparison.hpp"

namespace carom::cli {

/// A table of the laws' outcomes, orders with equal outcomes in one row, with the speeds of each
/// contact and the distance to the net; empty without outcomes and note.
/// @param epsilon of the net: outcomes farther from it are flagged
std::string comparison_text(const ImpactProblem& problem, const Comparison& comparison,
                            double epsilon);

/// The same with every digit, and every order.
nlohmann::ordered_json comparison_json(const ImpactProblem& problem, const Comparison& comparison,
                                       double epsilon);

}  // namespace carom::cli
