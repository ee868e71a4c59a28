#include "host/laws/propagative/reflections.hpp"

#include <fmt/format.h>

#include "host/base/field_error.hpp"
#include "host/problem/decompositions.hpp"

namespace carom {

Reflections::Reflections(const ImpactProblem& problem)
    : response_(Cholesky(problem.mass_matrix).solve(problem.normal_jacobian.transpose())) {
  delassus_ = problem.normal_jacobian * response_;
}

void Reflections::reflect(int contact, double* speeds) const {
  const double own = speeds[contact];
  const double impulse = this->impulse(contact, speeds);
  for (int j = 0; j < contacts(); ++j) speeds[j] += delassus_(j, contact) * impulse;
  speeds[contact] = -own;
}

Eigen::VectorXd Reflections::velocity_after(const ImpactProblem& problem,
                                            std::span<const int> sequence) const {
  // Impact by impact: sums of impulses of thousands of impacts would cancel.
  Eigen::VectorXd velocity = problem.pre_impact_velocity;
  for (const int contact : sequence) {
    const double speed = problem.normal_jacobian.row(contact).dot(velocity);
    velocity -= response_.col(contact) * (2.0 * speed / delassus_(contact, contact));
  }
  return velocity;
}

Eigen::MatrixXd normal_cosines(const ImpactProblem& problem) {
  const Eigen::MatrixXd delassus = Reflections(problem).delassus();
  const Eigen::VectorXd scale = delassus.diagonal().cwiseSqrt().cwiseInverse();
  return scale.asDiagonal() * delassus * scale.asDiagonal();
}

void require_no_friction(const ImpactProblem& problem, const char* purpose) {
  for (Eigen::Index i = 0; i < problem.friction.size(); ++i) {
    if (problem.friction(i) == 0.0) continue;
    throw FieldError(fmt::format("problem.friction[{}]", i),
                     fmt::format("friction is {} for contact \"{}\" (must be 0 for {}, whose "
                                 "impulses are normal)",
                                 problem.friction(i),
                                 problem.contact_names[static_cast<std::size_t>(i)], purpose));
  }
}

}  // namespace carom
