#pragma once

#include <Eigen/Cholesky>

#include "carom/impact_problem.hpp"

namespace carom {

/// What impulses at a problem's contacts do to its velocities: all that needs M = L L', made once.
struct ContactDynamics {
  /// Shapes must fit and M be positive definite.
  explicit ContactDynamics(const ImpactProblem& problem);

  Eigen::LLT<Eigen::MatrixXd> cholesky;  ///< of M
  Eigen::MatrixXd jacobian;              ///< J, (m + m k) x nv
  Eigen::MatrixXd factor;                ///< L^-1 J', nv x (m + m k)
  Eigen::MatrixXd response;              ///< M^-1 J', nv x (m + m k)

  /// As the functions of the same names in carom/impact_problem.hpp.
  Eigen::MatrixXd delassus() const { return jacobian * response; }
  double psi(const ImpactProblem& problem, Norm norm) const;
  double stopping_impulse(const ImpactProblem& problem) const;
};

/// The cap of Algorithm 2's final step, N·s.
inline double final_cap(double epsilon, double psi) { return epsilon / (3.0 * psi); }

/// validate(), and what it had to compute.
ContactDynamics validated_dynamics(ImpactProblem& problem);

}  // namespace carom
