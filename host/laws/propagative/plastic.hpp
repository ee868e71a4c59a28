#pragma once

#include <Eigen/Core>

#include "carom/law.hpp"
#include "host/laws/propagative/reflections.hpp"

namespace carom {

/// Impulses of the plastic outcome of a problem's pre-impact velocity, m, N·s.
/// @throws RunError if it was not found
Eigen::VectorXd plastic_impulse(const ImpactProblem& problem, Plastic plastic);

}  // namespace carom
