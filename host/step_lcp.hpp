#pragma once

#include <span>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "host/contact_dynamics.hpp"
#include "kernels/step_lcp_view.hpp"

namespace carom {

/// Sizes of a validated problem.
ProblemShape shape_of(const ImpactProblem& problem);

/// Contact by contact, the rows of normal and tangential Jacobian, m (1 + d) x nv.
Eigen::MatrixXd interleaved_jacobian(const ImpactProblem& problem);

/// A validated problem as the flat array that StepLcpView reads: W of Eq. 75 with its impulses as
/// speeds, Jacobians, responses M^-1 J', mass matrix, friction, and the two caps of the sampling.
std::vector<double> flatten(const ImpactProblem& problem, double impulse_step, double final_cap);
std::vector<double> flatten(const ImpactProblem& problem, const ContactDynamics& dynamics,
                            double impulse_step, double final_cap);

}  // namespace carom
