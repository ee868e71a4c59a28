#pragma once

#include "carom/impact_problem.hpp"
#include "carom/status.hpp"

namespace carom {

/// One solution of the step LCP (Halm & Posa, Eq. 72-75).
struct StepSolution {
  Status status = Status::separated;   ///< step_status_name() has its words
  Eigen::VectorXd post_velocity;       ///< nv, v' = v + M^-1 J' lambda
  Eigen::VectorXd normal_impulse;      ///< m, N·s
  Eigen::VectorXd direction_impulse;   ///< m k, N·s along the friction directions
  Eigen::VectorXd tangential_impulse;  ///< m d, net, N·s along the tangent rows
  Eigen::VectorXd cap_slack;           ///< m, beta: speed that the cap leaves unstopped, m/s
  Eigen::VectorXd slip_speed;          ///< m, gamma, m/s
  double residual = 0.0;               ///< scaled complementarity residual (docs/residual.md)
  double energy_before = 0.0;          ///< J
  double energy_after = 0.0;           ///< J
  int pivots = 0;                      ///< of Lemke's method, all attempts
  int retries = 0;                     ///< attempts beyond the first, in double-double arithmetic
};

/// "solved", or why not: "ray", "pivot_limit" or "residual".
constexpr const char* step_status_name(Status status) {
  return status == Status::separated ? "solved" : status_name(status);
}

/// Solves one step from `velocity` with the caps `normal_impulse_cap` (m, >= 0, N·s), even if the
/// velocity is separated (where Algorithm 1 would end).
/// @throws InputError on a wrong size, a negative cap or a number that is not finite.
StepSolution solve_step(const ImpactProblem& problem, const Eigen::VectorXd& velocity,
                        const Eigen::VectorXd& normal_impulse_cap);

}  // namespace carom
