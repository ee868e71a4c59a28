#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/bounds.hpp"
#include "carom/impact_problem.hpp"

namespace carom::cli {

/// Five digits, rounded outwards: what a bound says holds for what is printed. "0" below rounding
/// noise of `scale`.
std::string outward(double value, bool up, double scale);

/// Lines on what a bound proves, and the table of what outcomes can have beside what was found.
/// @param compared what the found outcomes are; empty: those of BoundCheck::trajectories
std::string bound_text(const ImpactProblem& problem, const BoundCheck& check,
                       const std::string& compared = {});

/// `closed`, `status`, `scope`, `verified`, `contacts`, `directions` and so on (docs/bounds.md).
nlohmann::ordered_json bound_json(const ImpactProblem& problem, const BoundCheck& check);

}  // namespace carom::cli
