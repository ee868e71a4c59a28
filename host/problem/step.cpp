#include "carom/step.hpp"

#include "host/problem/step_check.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/cpu/run_items.hpp"

namespace carom {

StepSolution solve_step(const ImpactProblem& given, const Eigen::VectorXd& velocity,
                        const Eigen::VectorXd& normal_impulse_cap) {
  const ImpactProblem problem = validated(given);
  require_lcp_capacity(problem, "for the LCP of a step");
  check_step(problem, velocity, normal_impulse_cap);
  return solve_flat_step(problem, flatten(problem, 1.0, 1.0), velocity, normal_impulse_cap);
}

StepSolution solve_flat_step(const ImpactProblem& problem, const std::vector<double>& data,
                             const Eigen::VectorXd& velocity,
                             const Eigen::VectorXd& normal_impulse_cap) {
  const ProblemShape shape = shape_of(problem);
  const StepLcpView view{.shape = shape, .data = data.data()};
  const int m = shape.contacts;
  const int k = shape.friction_directions;
  const int d = shape.tangent_dimension;

  StepSolution solution;
  solution.post_velocity = velocity;
  solution.normal_impulse.setZero(m);
  solution.direction_impulse.setZero(m * k);
  solution.tangential_impulse.setZero(m * d);
  solution.cap_slack.setZero(m);
  solution.slip_speed.setZero(m);
  solution.energy_before = kinetic_energy(problem, velocity);
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(shape.impulses());
  const StepOutcome outcome = item_runner().step(
      view, normal_impulse_cap.data(), Effort::thorough,
      {solution.cap_slack.data(), solution.normal_impulse.data(), solution.direction_impulse.data(),
       solution.slip_speed.data(), impulse.data(), solution.post_velocity.data()});
  solution.status = outcome.status;
  solution.residual = outcome.residual;
  solution.pivots = outcome.pivots;
  solution.retries = outcome.retries;
  for (int i = 0; i < m; ++i) {
    solution.tangential_impulse.segment(i * d, d) = impulse.segment(i * (1 + d) + 1, d);
  }
  solution.energy_after = kinetic_energy(problem, solution.post_velocity);
  return solution;
}

}  // namespace carom
