#pragma once

#include <Eigen/Core>

#include "carom/impact_problem.hpp"

namespace carom::test {

inline Eigen::MatrixXd block_diagonal(const Eigen::MatrixXd& one, const Eigen::MatrixXd& other) {
  Eigen::MatrixXd both =
      Eigen::MatrixXd::Zero(one.rows() + other.rows(), one.cols() + other.cols());
  both.topLeftCorner(one.rows(), one.cols()) = one;
  both.bottomRightCorner(other.rows(), other.cols()) = other;
  return both;
}

/// Two planar problems that do not act on one another.
inline ImpactProblem side_by_side(const ImpactProblem& one, const ImpactProblem& other) {
  ImpactProblem both;
  both.mass_matrix = block_diagonal(one.mass_matrix, other.mass_matrix);
  both.normal_jacobian = block_diagonal(one.normal_jacobian, other.normal_jacobian);
  both.tangent_jacobian = block_diagonal(one.tangent_jacobian, other.tangent_jacobian);
  both.friction.resize(one.contacts() + other.contacts());
  both.friction << one.friction, other.friction;
  both.pre_impact_velocity.resize(one.velocities() + other.velocities());
  both.pre_impact_velocity << one.pre_impact_velocity, other.pre_impact_velocity;
  return validated(both);
}

}  // namespace carom::test
