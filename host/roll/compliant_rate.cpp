#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "host/problem/decompositions.hpp"
#include "host/roll/compliant_arrays.hpp"

namespace carom {
namespace {

/// The absolute value of the greatest eigenvalue, the limit of |A^k|^(1/k): Eigen's solver for
/// matrices that are not symmetric takes a compiler eight seconds.
double greatest_eigenvalue(Eigen::MatrixXd matrix) {
  double logarithm = 0.0;
  for (double share = 1.0; share > 1e-16; share *= 0.5) {
    const double norm = matrix.norm();
    if (!(norm > 0.0)) return 0.0;
    logarithm += share * std::log(norm);
    matrix /= norm;
    matrix = matrix * matrix;
  }
  return std::exp(logarithm);
}

/// With no contact, or with all.
double rate_of(const Springs& its, bool touching) {
  const Eigen::Index n = its.mass_matrix.rows();
  Eigen::MatrixXd stiffness = its.stiffness;
  Eigen::MatrixXd damping = its.damping;
  if (touching) {
    const Eigen::MatrixXd& rows = its.normal_jacobian;
    stiffness += rows.transpose() * its.contact_stiffness.asDiagonal() * rows;
    damping += rows.transpose() * its.contact_damping.asDiagonal() * rows;
  }
  const Cholesky inverse(its.mass_matrix);
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  system.topRightCorner(n, n).setIdentity();
  system.bottomRows(n) << -inverse.solve(stiffness), -inverse.solve(damping);
  return greatest_eigenvalue(system);
}

double rate_of(const Springs& its) { return std::max(rate_of(its, false), rate_of(its, true)); }

/// Coordinates z and theta, small angles.
double rate_of(const SpringPlate& its) {
  const Eigen::Index m = its.positions.size();
  Eigen::MatrixXd rows(m, 2);
  rows << Eigen::VectorXd::Ones(m), its.positions;
  const auto share = [&](double all) {
    return Eigen::VectorXd::Constant(m, all / static_cast<double>(m));
  };
  return rate_of({.mass_matrix = Eigen::Vector2d(its.mass, its.inertia).asDiagonal(),
                  .force = {},
                  .normal_jacobian = rows,
                  .gap_offset = {},
                  .contact_stiffness = share(its.stiffness),
                  .contact_damping = share(its.damping),
                  .stiffness = Eigen::MatrixXd::Zero(2, 2),
                  .damping = Eigen::MatrixXd::Zero(2, 2)},
                 true);
}

double rate_of(const PiecewiseAffine& its) {
  double most = 0.0;
  for (const Eigen::MatrixXd& matrix : its.matrices) {
    most = std::max(most, greatest_eigenvalue(matrix));
  }
  return most;
}

/// Coordinates zb, zl, zr and theta, small angles, legs of their natural length.
double rate_of(const SpringBiped& its) {
  Eigen::MatrixXd legs(2, 4);  // rows: how a leg becomes longer
  legs << 1.0, -1.0, 0.0, -its.hip, 1.0, 0.0, -1.0, its.hip;
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2, 4);
  rows(0, 1) = rows(1, 2) = 1.0;
  const Eigen::Vector4d masses(its.body_mass, its.foot_mass, its.foot_mass, its.inertia);
  return rate_of({.mass_matrix = masses.asDiagonal(),
                  .force = {},
                  .normal_jacobian = rows,
                  .gap_offset = {},
                  .contact_stiffness = Eigen::Vector2d::Constant(its.ground_stiffness),
                  .contact_damping = Eigen::Vector2d::Constant(its.ground_damping),
                  .stiffness = its.leg_stiffness * legs.transpose() * legs,
                  .damping = Eigen::MatrixXd::Zero(4, 4)});
}

}  // namespace

double fastest_rate(const CompliantSystem& system) {
  return std::visit([](const auto& motion) { return rate_of(motion); }, system.motion);
}

}  // namespace carom
