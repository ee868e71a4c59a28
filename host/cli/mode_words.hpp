#pragma once

#include <string>

#include "carom/impact_problem.hpp"

namespace carom::cli {

/// The digits of a contact mode (StepAnswer::modes) in words: "A sticks, B no impulse", "A slides +
/// at its cap".
std::string mode_words(const ImpactProblem& problem, const std::string& digits);

}  // namespace carom::cli
