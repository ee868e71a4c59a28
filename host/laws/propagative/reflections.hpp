#pragma once

#include <Eigen/Core>
#include <span>

#include "carom/impact_problem.hpp"

namespace carom {

/// Impacts in separating speeds c = Jn v: a reflection at contact i is c -= A_i 2 c_i / A_ii, with
/// A = Jn M^-1 Jn' (Seghete & Murphey, Eq. 7).
class Reflections {
 public:
  /// @param problem validated
  explicit Reflections(const ImpactProblem& problem);

  int contacts() const { return static_cast<int>(delassus_.rows()); }
  const Eigen::MatrixXd& delassus() const { return delassus_; }
  /// M^-1 Jn', nv x m
  const Eigen::MatrixXd& response() const { return response_; }
  /// The impulse of a reflection, N·s.
  double impulse(int contact, const double* speeds) const {
    return -2.0 * speeds[contact] / delassus_(contact, contact);
  }
  void reflect(int contact, double* speeds) const;
  /// The velocity after the impacts of a sequence.
  Eigen::VectorXd velocity_after(const ImpactProblem& problem, std::span<const int> sequence) const;

 private:
  Eigen::MatrixXd delassus_;
  Eigen::MatrixXd response_;
};

/// Cosines between the normals in the kinetic metric, m x m: G_ij = A_ij / sqrt(A_ii A_jj).
Eigen::MatrixXd normal_cosines(const ImpactProblem& problem);

/// @param purpose what friction is in the way of
/// @throws InputError if a contact has friction
void require_no_friction(const ImpactProblem& problem, const char* purpose = "the propagative law");

}  // namespace carom
