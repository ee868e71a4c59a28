#include "host/contact_dynamics.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "host/spectrum.hpp"

namespace carom {

ContactDynamics::ContactDynamics(const ImpactProblem& problem)
    : cholesky(problem.mass_matrix),
      jacobian(contact_jacobian(problem)),
      factor(cholesky.matrixL().solve(Eigen::MatrixXd(jacobian.transpose()))),
      response(cholesky.matrixU().solve(factor)) {}

double ContactDynamics::psi(const ImpactProblem& problem, Norm norm) const {
  // L^-1 J' has the singular values of M^(-1/2) J'.
  const Eigen::MatrixXd& map = norm == Norm::kinetic ? factor : response;
  const double sigma = std::sqrt(eigenvalues(map * map.transpose()).maxCoeff());
  return sigma * problem.contacts() * (1.0 + problem.friction.maxCoeff()) + 1.0;
}

double ContactDynamics::stopping_impulse(const ImpactProblem& problem) const {
  double largest = 0.0;
  for (int i = 0; i < problem.contacts(); ++i) {
    const double approach = -problem.normal_jacobian.row(i).dot(problem.pre_impact_velocity);
    const double admittance = problem.normal_jacobian.row(i).dot(response.col(i));
    largest = std::max(largest, approach / admittance);
  }
  return largest;
}

Eigen::MatrixXd delassus_matrix(const ImpactProblem& problem) {
  return ContactDynamics(problem).delassus();
}

double psi(const ImpactProblem& problem, Norm norm) {
  return ContactDynamics(problem).psi(problem, norm);
}

double stopping_impulse(const ImpactProblem& problem) {
  return ContactDynamics(problem).stopping_impulse(problem);
}

}  // namespace carom
