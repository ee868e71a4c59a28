#pragma once

#include <string>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/step.hpp"
#include "kernels/problem/problem_arrays.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// Sizes of a validated problem.
ProblemShape shape_of(const ImpactProblem& problem);

/// @param what what solves LCPs: "with law set_valued"
/// @throws FieldError if the problem is too large for the LCP of a step: problems without friction
/// may be, for laws that solve none
void require_lcp_capacity(const ImpactProblem& problem, const std::string& what);

/// Contact by contact, the rows of normal and tangential Jacobian, m (1 + d) x nv.
Eigen::MatrixXd interleaved_jacobian(const ImpactProblem& problem);

/// A problem as the flat array of StepLcpView, without its two steps, and the report of its
/// assembly.
struct FlatProblem {
  AssemblyReport report;
  std::vector<double> data;
};

/// @throws InputError as validated() does
FlatProblem assemble(const ImpactProblem& problem, Norm norm = Norm::euclidean);
/// @param shape that of the problem, or its normals alone (d = 0, k = 0)
FlatProblem assemble(const ImpactProblem& problem, Norm norm, const ProblemShape& shape);

/// As assemble(), but returns any status. The arrays' shapes must agree.
FlatProblem assemble_unchecked(const ImpactProblem& problem, Norm norm, const ProblemShape& shape);

/// A validated problem as the flat array of StepLcpView, with the two steps of the sampling.
std::vector<double> flatten(const ImpactProblem& problem, double impulse_step, double final_cap);

/// solve_step() of a validated problem, its flat array, and sound velocity and caps.
StepSolution solve_flat_step(const ImpactProblem& problem, const std::vector<double>& data,
                             const Eigen::VectorXd& velocity,
                             const Eigen::VectorXd& normal_impulse_cap);

}  // namespace carom
