#include "host/bounds/step_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/problem/decompositions.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom {
namespace {

// Coordinates, edges and rows are computed in doubles: their entries, at most 1, are wrong by less.
constexpr double data_error = 1e-13;
// So much of a velocity, or of a row, is what impulses can change: with less, errors are larger.
constexpr double usual = 1e-2;
constexpr double operation_error = 1e-15;  // of a few operations
constexpr double of_sums = 10.0;           // of products with vectors, of an entry's error
// How long y may become by rounding and by the accepted residuals of all steps.
constexpr double radius = 1.0 + 1e-5;

}  // namespace

StepSpace::StepSpace(const ImpactProblem& problem, std::size_t dimension)
    : contacts_(problem.contacts()),
      directions_(problem.friction_directions),
      velocity_(problem.pre_impact_velocity),
      normals_(problem.normal_jacobian),
      tangents_(problem.tangent_jacobian),
      friction_directions_(friction_direction_matrix(problem)) {
  const Cholesky cholesky(problem.mass_matrix);
  const Eigen::Index d = problem.tangent_dimension();
  Eigen::MatrixXd edges(problem.velocities(), contacts_ * directions_);
  for (Eigen::Index i = 0; i < contacts_; ++i) {
    frictionless_.push_back(problem.friction(i) == 0.0);
    for (Eigen::Index j = 0; j < directions_; ++j) {
      edges.col(i * directions_ + j) =
          normals_.row(i).transpose() + problem.friction(i) *
                                            tangents_.middleRows(i * d, d).transpose() *
                                            friction_directions_.row(j).transpose();
    }
  }
  const Eigen::MatrixXd weighted = cholesky.solve_lower(edges);
  const Eigen::MatrixXd q =
      OrthogonalFactors(weighted).left().leftCols(static_cast<Eigen::Index>(dimension));
  const Eigen::VectorXd weighted_velocity = cholesky.upper_times(velocity_);
  start_ = q.transpose() * weighted_velocity;
  const double scale = start_.norm();
  start_ /= scale;
  spread_ = scale * cholesky.solve_upper(q);
  coordinates_ = cholesky.lower() * q / scale;
  limits_.edges = (q.transpose() * weighted).colwise().normalized();
  limits_.radius = radius;
  // Errors of Cholesky's method grow with the condition of the matrix whose diagonal is made one.
  const Eigen::VectorXd scales = problem.mass_matrix.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd masses =
      eigenvalues(scales.asDiagonal() * problem.mass_matrix * scales.asDiagonal());
  const double condition = masses(0) > 0.0 ? masses(masses.size() - 1) / masses(0)
                                           : std::numeric_limits<double>::infinity();
  limits_.data_error = std::max(data_error, operation_error * condition) *
                       std::max(1.0, usual * weighted_velocity.norm() / scale);
  error_ = of_sums * limits_.data_error;
  // y' - y = E lambda is at most 2 long, and support . E lambda >= least |lambda|_1.
  support_ = spread_.transpose() * friction_cone_support(problem).value();
  const double least = (limits_.edges.transpose() * support_).minCoeff();
  limits_.most_impulse = 2.0 * radius * support_.norm() / least * (1.0 + 1e-9);
  step_error_ = residual_tolerance * std::max(1.0, limits_.most_impulse);
}

StepSpace::Speed StepSpace::speed(const Eigen::VectorXd& row) const {
  const Eigen::VectorXd normal = spread_.transpose() * row;
  const double length = normal.norm();
  const double size = row.norm() * spread_.norm();
  if (length <= 1e-12 * size) return {{}, 0.0, 0.0, 0.0};
  const double constant = (row.dot(velocity_) - normal.dot(start_)) / length;
  const double entry_error = limits_.data_error * std::max(1.0, usual * size / length) +
                             operation_error * row.norm() * velocity_.norm() / length;
  return {normal / length, constant, length, of_sums * entry_error * (1.0 + std::abs(constant))};
}

StepSpace::Speed StepSpace::tangential(int contact, int axis) const {
  return speed(tangents_.row(contact * friction_directions_.cols() + axis));
}

StepSpace::Speed StepSpace::slip(int contact, int j, int i) const {
  Eigen::RowVectorXd direction = friction_directions_.row(j);
  if (i >= 0) direction -= friction_directions_.row(i);
  const Eigen::Index d = direction.size();
  return speed((direction * tangents_.middleRows(contact * d, d)).transpose());
}

void StepSpace::keep(std::vector<ProgramRow>& rows, const Speed& speed, int sign, double slack) {
  if (speed.length == 0.0) return;
  rows.push_back({-sign * speed.normal, sign * speed.constant + slack, true});
}

}  // namespace carom
