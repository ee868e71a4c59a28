#include "host/roll/impact_in_time.hpp"

#include <algorithm>

#include "carom/error.hpp"
#include "carom/sample_set.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/default_sampling.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/problem/friction_directions.hpp"

namespace carom {
namespace {

constexpr int event_shift = 40;  // rollouts below 2^40, impacts of a rollout below 2^24

/// The impact's velocity becomes the outcome; otherwise it stays.
RolloutStatus take_outcome(const RolloutImpact& impact, const SampleSet& row) {
  switch (row.status.front()) {
    case Status::separated:
      std::copy(row.velocity.begin(), row.velocity.end(), impact.velocity);
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
  problem.tangent_jacobian = RowMatrixView(impact.tangent_jacobian, shape.contacts, nv);
  problem.friction = RowMatrixView(impact.friction, shape.contacts, 1);
  problem.pre_impact_velocity = RowMatrixView(impact.velocity, nv, 1);
  problem.friction_directions = shape.friction_directions;
  return problem;
}

ImpactInTime::ImpactInTime(const SamplingOptions& options, std::optional<double> restitution,
                           std::uint64_t first)
    : options_(options), restitution_(restitution), first_(first) {
  options_.trajectories = 1;
  if (auto* law = std::get_if<law::SetValued>(&options_.law)) {
    law->solutions.choose(Solutions::first);
  }
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
  plain_ = law != nullptr && restitution_.value_or(0.0) == 0.0 &&
           (*law->solutions == Solutions::first || *law->solutions == Solutions::cover);
  options_.max_steps.choose(default_max_steps(options_.law));
  validate(options_);
  write_friction_directions(1, 2, directions_);
  if (!plain_) return;
  for (int m = 1; m <= max_acting; ++m) {
    caps_.emplace(m, plan_caps(law->caps.value_or(default_caps(m)), m, options_.max_steps));
  }
}

std::uint64_t ImpactInTime::trajectory_of(const RolloutImpact& impact) const {
  return (first_ + impact.item) | (std::uint64_t{impact.event} << event_shift);
}

RolloutStatus ImpactInTime::solve(const void* context, const RolloutImpact& impact) {
  const auto& self = *static_cast<const ImpactInTime*>(context);
  return self.plain_ ? self.sample_plainly(impact) : self.sample_with_plan(impact);
}

RolloutStatus ImpactInTime::sample_plainly(const RolloutImpact& impact) const {
  thread_local std::vector<double> flat;
  thread_local SampleSet row;
  const ProblemShape& shape = impact.shape;
  flat.resize(static_cast<std::size_t>(StepLcpView{shape, nullptr}.data_size()));
  const ProblemArrays arrays{impact.mass_matrix, impact.normal_jacobian, impact.tangent_jacobian,
                             impact.friction,    impact.velocity,        directions_};
  const AssemblyReport report =
      item_runner().assemble(shape, arrays, options_.norm == Norm::kinetic, flat.data());
  if (report.status != AssemblyStatus::usable) return RolloutStatus::out_of_scale;
  SamplingOptions own = options_;
  choose_steps(report.stopping_impulse, own);
  place_steps(shape, report, own, flat.data());
  SamplingPlan plan = plan_options(own);
  plan.problems = flat.data();
  plan.stride = flat.size();
  plan.shape = shape;
  plan.rows = row_shape(shape, false);
  plan.first_trajectory = trajectory_of(impact);
  SetValuedPlan law;
  law.solutions = *options_.set_valued().solutions;
  law.caps = caps_.at(shape.contacts).view();
  plan.law = law;
  row.resize(plan.rows, 1);
  item_runner().items(plan, 0, 1, view_of(row));
  return take_outcome(impact, row);
}

RolloutStatus ImpactInTime::sample_with_plan(const RolloutImpact& impact) const {
  ImpactProblem problem = problem_of(impact);
  if (restitution_) {
    problem.restitution = Eigen::VectorXd::Constant(problem.contacts(), *restitution_);
  }
  SamplingOptions own = options_;
  choose_steps(stopping_impulse(problem), own);
  const auto data = make_plan({&problem, 1}, own);
  data->plan.first_trajectory = trajectory_of(impact);
  SampleSet row;
  row.resize(data->plan.rows, 1);
  item_runner().items(data->plan, 0, 1, view_of(row));
  return take_outcome(impact, row);
}

}  // namespace carom
