#pragma once

#include <cstdint>
#include <string>

#include "carom/problem_family.hpp"

namespace carom {

/// Why a member cannot stand beside the others: its problem has other sizes than that of the
/// family's own scenario. Empty if it has the same.
std::string shape_refusal(const ProblemFamily& family, std::uint64_t member,
                          const ImpactProblem& problem);

}  // namespace carom
