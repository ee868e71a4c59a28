#include "host/evidence/lone_contacts.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"

namespace carom {

LoneContacts find_lone_contacts(const ImpactProblem& problem, const SamplingOptions& options) {
  constexpr std::uint64_t most = 2048;
  const Eigen::VectorXd speed = problem.normal_jacobian * problem.pre_impact_velocity;
  if ((speed.array() < -options.termination_tolerance).count() < 2) return {};
  SamplingOptions own = options;
  own.max_steps = 1;
  own.set_valued().solutions = Solutions::first;  // of little effect on the impulses, and fast
  const std::unique_ptr<SamplingPlanData> data = make_plan(std::span(&problem, 1), own);
  SamplingPlan plan = data->plan;
  plan.trajectories = 0;  // one problem: items are trajectories
  const auto impulses = static_cast<std::size_t>(plan.shape.impulses());
  const auto stride = static_cast<std::size_t>(1 + plan.shape.tangent_dimension);
  std::vector<double> steps((static_cast<std::size_t>(plan.max_steps) + 1) * 2 * impulses);
  LoneContacts result;
  for (; result.trajectories < most && !result.found; ++result.trajectories) {
    if (item_runner().steps(plan, result.trajectories, steps.data(), nullptr) == 0) continue;
    double total = 0.0;
    double greatest = 0.0;
    for (std::size_t normal = 0; normal < impulses; normal += stride) {
      total += steps[normal];
      greatest = std::max(greatest, steps[normal]);
    }
    result.found = total > 0.0 && greatest >= lone_share * total;
  }
  return result;
}

}  // namespace carom
