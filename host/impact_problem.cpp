#include "carom/impact_problem.hpp"

#include <cmath>
#include <numbers>

namespace carom {

int default_friction_directions(int tangent_dimension) {
  constexpr int in_space = 4;
  return tangent_dimension == 1 ? 2 : in_space;
}

Eigen::MatrixXd friction_direction_matrix(const ImpactProblem& problem) {
  if (problem.tangent_dimension() == 1) return Eigen::Vector2d(1.0, -1.0);
  const int k = problem.friction_directions;
  Eigen::MatrixXd directions(k, 2);
  // Turning by quarters or halves is exact, so opposite directions cancel to the last bit.
  const int turn = k % 4 == 0 ? k / 4 : k / 2;
  for (int j = 0; j < k; ++j) {
    if (j < turn) {
      const double angle = 2.0 * std::numbers::pi * j / k;
      directions.row(j) << std::cos(angle), std::sin(angle);
    } else if (turn == k / 2) {
      directions.row(j) = -directions.row(j - turn);
    } else {
      directions.row(j) << -directions(j - turn, 1), directions(j - turn, 0);
    }
  }
  return directions;
}

Eigen::MatrixXd contact_jacobian(const ImpactProblem& problem) {
  const int m = problem.contacts();
  const int d = problem.tangent_dimension();
  const Eigen::MatrixXd directions = friction_direction_matrix(problem);
  const auto k = static_cast<int>(directions.rows());
  Eigen::MatrixXd jacobian(m + m * k, problem.velocities());
  jacobian.topRows(m) = problem.normal_jacobian;
  for (int i = 0; i < m; ++i) {
    jacobian.middleRows(m + i * k, k) = directions * problem.tangent_jacobian.middleRows(i * d, d);
  }
  return jacobian;
}

double kinetic_energy(const ImpactProblem& problem, const Eigen::VectorXd& velocity) {
  return 0.5 * velocity.dot(problem.mass_matrix * velocity);
}

bool colliding(const ImpactProblem& problem, const Eigen::VectorXd& velocity, double tolerance) {
  return (problem.normal_jacobian * velocity).minCoeff() < -tolerance;
}

}  // namespace carom
