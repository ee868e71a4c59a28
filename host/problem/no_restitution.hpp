#pragma once

#include <fmt/format.h>

#include <string>

#include "carom/impact_problem.hpp"
#include "host/base/field_error.hpp"

namespace carom {

/// @param what what the problem is wanted for: "to explore"
/// @throws FieldError if a contact has restitution
inline void require_no_restitution(const ImpactProblem& problem, const std::string& what) {
  if (!has_restitution(problem)) return;
  throw FieldError("problem.restitution", fmt::format("restitution is {} (must be 0 {})",
                                                      problem.restitution.maxCoeff(), what));
}

}  // namespace carom
