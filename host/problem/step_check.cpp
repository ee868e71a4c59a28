#include "host/problem/step_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "carom/error.hpp"

namespace carom {

void check_velocity(const ImpactProblem& problem, const Eigen::VectorXd& velocity) {
  if (!std::isfinite(kinetic_energy(problem, velocity))) {
    throw InputError("velocity has no finite kinetic energy (must have)");
  }
}

void check_step(const ImpactProblem& problem, const Eigen::VectorXd& velocity,
                const Eigen::VectorXd& cap) {
  check_velocity(problem, velocity);
  if (cap.size() != problem.contacts()) {
    throw InputError("caps has " + std::to_string(cap.size()) + " entries (must be " +
                     std::to_string(problem.contacts()) + ", one per contact)");
  }
  for (Eigen::Index i = 0; i < cap.size(); ++i) {
    if (std::isfinite(cap(i)) && cap(i) >= 0.0) continue;
    throw InputError(fmt::format("cap is {} (must be finite and >= 0) for contact \"{}\"", cap(i),
                                 problem.contact_names[static_cast<std::size_t>(i)]));
  }
}

}  // namespace carom
