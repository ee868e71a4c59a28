#include "carom/impact_problem.hpp"

#include <fmt/format.h>

#include <cmath>

#include "carom/error.hpp"
#include "host/problem/step_check.hpp"
#include "kernels/problem/friction_directions.hpp"
#include "kernels/problem/problem_arrays.hpp"

namespace carom {

int default_friction_directions(int tangent_dimension) {
  constexpr int in_space = 4;
  return tangent_dimension < 2 ? 2 : in_space;
}

Eigen::MatrixXd friction_direction_matrix(const ImpactProblem& problem) {
  const int d = problem.tangent_dimension();
  const int k = problem.friction_directions;
  if (d < 1 || !directions_suit(d, k)) require_shapes(problem);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> directions(k, d);
  write_friction_directions(d, k, directions.data());
  return directions;
}

Eigen::MatrixXd contact_jacobian(const ImpactProblem& problem) {
  require_shapes(problem);
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

static void require_velocity(const ImpactProblem& problem, const Eigen::VectorXd& velocity) {
  if (velocity.size() == problem.velocities()) return;
  throw InputError(fmt::format("velocity has {} entries (must have {}: one per velocity)",
                               velocity.size(), problem.velocities()));
}

double kinetic_energy(const ImpactProblem& problem, const Eigen::VectorXd& velocity) {
  require_velocity(problem, velocity);
  if (problem.mass_matrix.cols() != problem.mass_matrix.rows()) require_shapes(problem);
  return 0.5 * velocity.dot(problem.mass_matrix * velocity);
}

bool has_restitution(const ImpactProblem& problem) {
  return (problem.restitution.array() > 0.0).any();
}

bool colliding(const ImpactProblem& problem, const Eigen::VectorXd& velocity, double tolerance) {
  require_velocity(problem, velocity);
  const auto& normals = problem.normal_jacobian;
  if (normals.rows() == 0 || normals.cols() != velocity.size()) require_shapes(problem);
  const Eigen::VectorXd speeds = normals * velocity;
  if (!speeds.allFinite() || !std::isfinite(tolerance)) {
    throw InputError("normal_jacobian, velocity or tolerance is not finite (must be)");
  }
  return speeds.minCoeff() < -tolerance;
}

}  // namespace carom
