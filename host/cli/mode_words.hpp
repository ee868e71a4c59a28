#pragma once

#include <string>

#include "carom/impact_problem.hpp"
#include "carom/solutions.hpp"

namespace carom::cli {

/// The first contact mode of a solution in words, such as "A sticks; B no impulse". Contacts that
/// slip no faster than `tolerance` (m/s) stick.
std::string mode_words(const ImpactProblem& problem, const StepAnswer& answer, double tolerance);

}  // namespace carom::cli
