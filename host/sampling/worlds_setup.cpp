#include "host/sampling/worlds_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/problem/friction_directions.hpp"
#include "kernels/problem/problem_arrays.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

/// Throws what is wrong with a shape that no problem can have.
void require_shape(const ImpactBatch& batch, const ProblemShape& shape, const Law& law) {
  const bool normals_only = step_kind(law) == StepKind::impact;
  const int most = normals_only ? LargestAssembly::velocities : max_velocities;
  const bool fits = normals_only ? fits_assembly(shape) : fits_capacity(shape);
  if (directions_suit(shape.tangent_dimension, shape.friction_directions) &&
      shape.velocities <= most && (batch.active != nullptr || fits)) {
    return;
  }
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(shape.velocities, shape.velocities);
  problem.normal_jacobian = Eigen::MatrixXd::Ones(shape.contacts, shape.velocities);
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(shape.tangents(), shape.velocities);
  // Without friction, more contacts may be stated.
  problem.friction = Eigen::VectorXd::Constant(shape.contacts, normals_only ? 0.0 : 1.0);
  problem.pre_impact_velocity = Eigen::VectorXd::Zero(shape.velocities);
  problem.friction_directions = shape.friction_directions;
  validated(problem);
}

}  // namespace

SamplingOptions sampling_options(const ImpactLawOptions& options) {
  SamplingOptions result;
  result.trajectories = 1;
  if (options.max_steps.has_value()) result.max_steps = options.max_steps;
  if (options.epsilon) result.epsilon = *options.epsilon;
  result.norm = options.norm;
  result.termination_tolerance = options.termination_tolerance;
  result.law = options.law;
  result.seed = options.seed;
  result.problem_id = options.problem_id;
  result.threads = options.threads;
  return result;
}

ImpactLawOptions resolved(ImpactLawOptions options) {
  validate(sampling_options(options));
  validate(options.law, std::nullopt);
  options.max_steps.choose(default_max_steps(options.law));
  choose_solutions_in_time(options.law);
  const auto* const law = std::get_if<law::SetValued>(&options.law);
  if (law != nullptr && *law->solutions == Solutions::table) {
    throw InputError(
        "solutions is \"table\" (must be first, cover or all: a table takes a pilot run of each "
        "problem)");
  }
  const auto* const velocity = replacement_of(options.law, "pre_impact_velocity");
  if (velocity != nullptr && !velocity->empty()) {
    throw InputError("v_before is stated (must not be: each problem has its velocity)");
  }
  return options;
}

WorldsLaw world_program(const Law& law, bool has_restitution) {
  if (std::holds_alternative<law::Plus>(law)) return WorldsLaw::plus;
  if (std::holds_alternative<law::Simultaneous>(law)) return WorldsLaw::simultaneous;
  if (std::holds_alternative<law::Sequential>(law)) return WorldsLaw::sequential;
  if (std::holds_alternative<law::Propagative>(law)) return WorldsLaw::propagative;
  return has_restitution ? WorldsLaw::restitution : WorldsLaw::set_valued;
}

void require_batch(const ImpactLawOptions& options, const ImpactBatch& batch, std::uint64_t first) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (first > most - options.problem_id || batch.size > most - options.problem_id - first) {
    throw InputError(
        fmt::format("first is {} (with problem_id and the number of problems it must "
                    "stay within 32 bits)",
                    first));
  }
  if (batch.velocities < 1 || batch.contacts < 1 || batch.tangent_dimension < 1 ||
      batch.tangent_dimension > 2) {
    throw InputError(fmt::format(
        "problems have {} velocities, {} contacts and {} tangents each (must be at least 1, at "
        "least 1, and 1 or 2)",
        batch.velocities, batch.contacts, batch.tangent_dimension));
  }
  for (const auto& [name, array] : {std::pair("mass_matrix", batch.mass_matrix),
                                    std::pair("normal_jacobian", batch.normal_jacobian),
                                    std::pair("tangent_jacobian", batch.tangent_jacobian),
                                    std::pair("friction", batch.friction),
                                    std::pair("pre_impact_velocity", batch.pre_impact_velocity)}) {
    if (batch.size == 0 || array != nullptr) continue;
    throw InputError(fmt::format("{} is null (must be an array)", name));
  }
  const std::size_t steps = batch.impulse_step.size();
  if (steps > 1 && steps != batch.size) {
    throw InputError(fmt::format(
        "impulse_step has {} entries (must have one, or {}: one per problem)", steps, batch.size));
  }
  const bool has_restitution = visit_law(
      options.law, []<class Entry>(Entry, const auto&) { return Entry::restitution.has_value(); });
  if (batch.restitution != nullptr && !has_restitution) {
    throw InputError(fmt::format("restitution is given (must not be with law {}, which has none)",
                                 law_name(options.law)));
  }
}

RowShape rows_of(const ImpactBatch& batch, const ImpactLawOptions& options) {
  const ProblemShape shape{batch.contacts, batch.velocities, batch.tangent_dimension,
                           batch.friction_directions};
  return rows_of(shape, sampling_options(options));
}

WorldsSetup::WorldsSetup(const ImpactLawOptions& options, const ImpactBatch& batch)
    : law_(options.law), some_active_(batch.active != nullptr) {
  const ProblemShape shape{batch.contacts, batch.velocities, batch.tangent_dimension,
                           batch.friction_directions};
  if (batch.size == 0) return;
  validate(options.law, batch.contacts);
  require_shape(batch, shape, options.law);
  plan_.law.run = plan_options(sampling_options(options));
  plan_.law.run.rows = rows_of(batch, options);
  plan_.checks_all = options.strict;
  directions_.resize(static_cast<std::size_t>(shape.friction_directions) *
                     static_cast<std::size_t>(shape.tangent_dimension));
  write_friction_directions(shape.tangent_dimension, shape.friction_directions, directions_.data());
  plan_.directions = directions_.data();
  plan_.law.epsilon = options.epsilon.value_or(0.0);
  plan_.law.kinetic = options.norm == Norm::kinetic;
  if (const auto* const law = std::get_if<law::Plus>(&law_)) place(*law, shape);
  if (const auto* const law = std::get_if<law::SetValued>(&law_)) place(*law, options, shape);
}

/// What is not stated is of each world.
void WorldsSetup::place(const law::Plus& law, const ProblemShape& shape) {
  ImpactProblem any;
  any.normal_jacobian.resize(shape.contacts, 0);
  any.friction = any.restitution = Eigen::VectorXd::Zero(shape.contacts);
  SamplingPlan plan;
  memory_ = LawEntry<law::Plus>::plan(law, {&any, 1}, {}, plan);
  plan_.plus = std::get<PlusPlan>(plan.law);
  if (law.mu.empty()) plan_.plus.friction = nullptr;
  if (law.e_min.empty()) plan_.plus.restitution = nullptr;
  plan_.plus.velocity = nullptr;
}

void WorldsSetup::place(const law::SetValued& law, const ImpactLawOptions& options,
                        const ProblemShape& shape) {
  const bool weighted = law.caps.has_value() && law.caps->uses(CapsKind::weighted);
  if (weighted) weights_ = plan_caps(*law.caps, shape.contacts, options.max_steps).scale;
  const int most = std::min(shape.contacts, max_contacts);
  for (int m = some_active_ ? 1 : most; m <= most; ++m) {
    CapsDistribution of_some = law.caps.value_or(default_caps(m));
    for (CapsComponent& component : of_some.components) {
      // The weights of those that are active take the place of these.
      if (component.kind == CapsKind::weighted) {
        component.scale.assign(static_cast<std::size_t>(m), 1.0);
      }
    }
    const auto [place, added] = caps_.emplace(m, plan_caps(of_some, m, options.max_steps));
    plan_.law.caps[m - 1] = place->second.view();
  }
  plan_.law.solutions = law.solutions;
  plan_.law.capture_speed = law.v_capture;
  plan_.weights = weights_.empty() ? nullptr : weights_.data();
}

WorldsPlan WorldsSetup::plan(std::uint64_t step, const ImpactBatch& batch,
                             std::uint64_t first) const {
  WorldsPlan plan = plan_;
  plan.batch = batch;
  plan.which = world_program(law_, batch.restitution != nullptr);
  plan.trajectory = step;
  plan.law.run.first_problem += static_cast<std::uint32_t>(first);
  return plan;
}

}  // namespace carom
