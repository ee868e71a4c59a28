#include "host/roll/impact_in_time.hpp"

#include <algorithm>

#include "carom/error.hpp"
#include "carom/sample_set.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/sample_one.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/mechanisms/limits.hpp"

namespace carom {
namespace {

RolloutStatus take_outcome(const SampleSet& row, double* velocity) {
  switch (row.status.front()) {
    case Status::separated:
      std::copy(row.velocity.begin(), row.velocity.end(), velocity);
      return RolloutStatus::moving;
    case Status::step_limit:
      return RolloutStatus::impact_dropped;
    default:
      return RolloutStatus::impact_failed;
  }
}

}  // namespace

ImpactProblem problem_of(const RolloutImpact& impact) {
  const ProblemShape& shape = impact.shape;
  const int nv = shape.velocities;
  ImpactProblem problem;
  problem.mass_matrix = RowMatrixView(impact.mass_matrix, nv, nv);
  problem.normal_jacobian = RowMatrixView(impact.normal_jacobian, shape.contacts, nv);
  problem.tangent_jacobian = RowMatrixView(impact.tangent_jacobian, shape.tangents(), nv);
  problem.friction = RowMatrixView(impact.friction, shape.contacts, 1);
  problem.pre_impact_velocity = RowMatrixView(impact.velocity, nv, 1);
  problem.friction_directions = shape.friction_directions;
  return problem;
}

ImpactInTime::ImpactInTime(const SamplingOptions& options, std::optional<double> restitution)
    : options_(options), restitution_(restitution) {
  options_.trajectories = 1;
  choose_solutions_in_time(options_.law);
  const auto* const law = std::get_if<law::SetValued>(&options_.law);
  if (law != nullptr && law->caps.has_value() && law->caps->uses(CapsKind::weighted)) {
    throw InputError(
        "caps are weighted (must be the same for all contacts in time: which contacts touch "
        "changes)");
  }
  if (law != nullptr && *law->solutions == Solutions::table) {
    throw InputError(
        "solutions is \"table\" (must be first, cover or all in time: a table takes a pilot run of "
        "each impact)");
  }
  has_plan_ = law != nullptr && restitution_.value_or(0.0) == 0.0;
  // A rollout ends where an impact does not; few impacts are long, so the limit costs little.
  options_.max_steps.choose(max_step_limit);
  validate(options_);
  if (!has_plan_) return;
  for (int m = 1; m <= max_contacts; ++m) {
    caps_.push_back(plan_caps(law->caps.value_or(default_caps(m)), m, options_.max_steps));
    plan_.caps[m - 1] = caps_.back().view();
  }
  plan_.solutions = *law->solutions;
  plan_.run = plan_options(options_);
  plan_.impulse_step = options_.impulse_step.value_or(0.0);
  plan_.epsilon = options_.epsilon.value_or(0.0);
  plan_.kinetic = options_.norm == Norm::kinetic;
}

RolloutStatus ImpactInTime::solve(const void* context, const RolloutImpact& impact) {
  const auto& self = *static_cast<const ImpactInTime*>(context);
  RolloutStatus status = undecided_rollout;
  if (self.has_plan_) status = item_runner().impact(self.plan_, impact);
  if (status != undecided_rollout) return status;
  return self.sample(problem_of(impact), trajectory_of(impact), impact.velocity);
}

RolloutStatus ImpactInTime::sample(ImpactProblem problem, std::uint64_t trajectory,
                                   double* velocity) const {
  if (restitution_) {
    problem.restitution = Eigen::VectorXd::Constant(problem.contacts(), *restitution_);
  }
  return take_outcome(sample_one(problem, options_, trajectory), velocity);
}

}  // namespace carom
