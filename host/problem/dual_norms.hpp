#pragma once

#include <Eigen/Core>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Of each row (nv entries), the most by which row . v differs between velocities that are 1 apart
/// in the norm.
/// @param problem validated
Eigen::VectorXd dual_norms(const ImpactProblem& problem, Norm norm, const Eigen::MatrixXd& rows);

}  // namespace carom
