#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "carom/impact_problem.hpp"
#include "host/bounds/certified_program.hpp"

namespace carom {

/// The velocities v = v- + spread (y - start) that impulses can reach. Coordinates measure kinetic
/// energy: |y| = 1 before the impact, and no exact step makes it longer.
class StepSpace {
 public:
  /// A speed: normal . y + constant, divided by `length` so that the normal is a unit vector.
  struct Speed {
    Eigen::VectorXd normal;
    double constant;
    double length;  ///< 0: no impulse changes the speed, and the others are not set
    double error;   ///< of normal . y + constant, by rounding, where |y| is 1 at most
  };

  /// @param problem validated; with an approaching contact and pointed friction cones
  /// @param dimension the rank of the edges of friction cones
  StepSpace(const ImpactProblem& problem, std::size_t dimension);

  int contacts() const { return contacts_; }
  int directions() const { return directions_; }
  /// Its edges of the friction cone are all the normal.
  bool frictionless(int contact) const { return frictionless_[static_cast<std::size_t>(contact)]; }
  const Eigen::VectorXd& start() const { return start_; }
  const StepLimits& limits() const { return limits_; }
  /// Of the start and of each edge, as vectors, and of their products with unit vectors.
  double error() const { return error_; }
  /// Whether the mass matrix is conditioned well enough for proofs in doubles.
  bool is_precise() const { return limits_.data_error < 1e-6; }
  /// A vector whose product with each edge is positive.
  const Eigen::VectorXd& support() const { return support_; }
  /// How far a computed step may end from an exact one: what the accepted residual allows of the
  /// largest impulses that the cones can have.
  double step_error() const { return step_error_; }
  Speed speed(const Eigen::VectorXd& row) const;
  /// nv entries: row . y is this . v.
  Eigen::VectorXd gradient(const Eigen::VectorXd& row) const { return coordinates_ * row; }
  Speed normal(int contact) const { return speed(normals_.row(contact)); }
  Speed tangential(int contact, int axis) const;
  /// How much faster the slip along friction direction j is than along direction i; i < 0: than 0.
  Speed slip(int contact, int j, int i = -1) const;
  /// The rows of a speed >= -slack, none for a speed that no impulse changes.
  static void keep(std::vector<ProgramRow>& rows, const Speed& speed, int sign, double slack);

 private:
  int contacts_;
  int directions_;
  std::vector<bool> frictionless_;
  Eigen::VectorXd velocity_;  // before the impact
  Eigen::MatrixXd normals_;
  Eigen::MatrixXd tangents_;
  Eigen::MatrixXd friction_directions_;  // k x d
  Eigen::MatrixXd spread_;               // nv x r
  Eigen::MatrixXd coordinates_;          // nv x r: y = coordinates' v
  Eigen::VectorXd start_;
  Eigen::VectorXd support_;
  StepLimits limits_;
  double error_ = 0.0;
  double step_error_ = 0.0;
};

}  // namespace carom
