#include "host/sampling_plan.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>

#include "carom/error.hpp"
#include "host/solutions/pilot_table.hpp"
#include "host/step_lcp.hpp"

namespace carom {

namespace {

/// The cap of the final step. Refuses caps that products with M^-1 would take out of what
/// a double holds.
double checked_final_cap(const ImpactProblem& problem, const ContactDynamics& dynamics,
                         const SamplingOptions& options) {
  constexpr double least = 1e-150;
  constexpr double most = 1e150;
  const double admittance = dynamics.delassus().diagonal().maxCoeff();
  const double cap = final_cap(options.epsilon, dynamics.psi(problem, options.norm));
  if (!(options.impulse_step * admittance < most)) {
    throw InputError(
        fmt::format("impulse_step is {} (times the Delassus matrix it must stay below 1e150 m/s)",
                    options.impulse_step));
  }
  if (!(cap * admittance > least)) {
    throw InputError(
        fmt::format("epsilon is {} (over 3 psi, times the Delassus matrix, it must be above "
                    "1e-150 m/s)",
                    options.epsilon));
  }
  return cap;
}

}  // namespace

std::vector<double> lay_out(const ImpactProblem& problem, const ContactDynamics& dynamics,
                            const SamplingOptions& options) {
  return flatten(problem, dynamics, options.impulse_step,
                 checked_final_cap(problem, dynamics, options));
}

SamplingPlan plan_options(const SamplingOptions& options) {
  SamplingPlan plan;
  plan.max_steps = options.max_steps;
  plan.tolerance = options.termination_tolerance;
  plan.seed = options.seed;
  plan.first_problem = options.problem_id;
  plan.solutions = options.solutions;
  plan.precision = options.precision;
  return plan;
}

std::unique_ptr<SamplingPlanData> make_plan(std::span<const ImpactProblem> problems,
                                            const SamplingOptions& options) {
  auto data = std::make_unique<SamplingPlanData>();
  validate(options);
  data->plan = plan_options(options);
  if (problems.empty()) throw InputError("problems is empty (must hold at least one problem)");
  if (problems.size() - 1 > std::numeric_limits<std::uint32_t>::max() - options.problem_id) {
    throw InputError("problem_id is " + std::to_string(options.problem_id) +
                     " (with the number of problems it must stay within 32 bits)");
  }
  std::optional<ProblemShape> shape;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    ImpactProblem problem = problems[i];
    const ContactDynamics dynamics = validated_dynamics(problem);
    if (shape && !(*shape == shape_of(problem))) {
      throw InputError("problem " + std::to_string(i) +
                       " has another shape than problem 0 (problems sampled together must agree in "
                       "contacts, velocities, tangent dimension and friction directions)");
    }
    shape = shape_of(problem);
    const std::vector<double> flat = lay_out(problem, dynamics, options);
    data->plan.stride = flat.size();
    data->problems.insert(data->problems.end(), flat.begin(), flat.end());
  }
  data->problem_count = problems.size();
  data->plan.problems = data->problems.data();
  data->plan.shape = *shape;
  data->plan.trajectories = problems.size() == 1 ? 0 : options.trajectories;
  data->caps = plan_caps(options.caps, data->plan.shape.contacts, options.max_steps);
  data->plan.caps = data->caps.view();
  if (options.solutions == Solutions::all) {
    constexpr bool capped = true;
    for (const ImpactProblem& problem : problems) {
      data->mode_tables.push_back(std::make_unique<ModeTable>(problem, capped));
      data->mode_views.push_back(data->mode_tables.back()->view());
    }
    data->plan.modes = data->mode_views.data();
  } else if (options.solutions == Solutions::table) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      SamplingPlan own = data->plan;
      own.problems += i * own.stride;
      own.first_problem += static_cast<std::uint32_t>(i);
      TableInfo info;
      data->mode_tables.push_back(find_pilot_table(problems[i], own, info));
      data->mode_views.push_back(data->mode_tables.back()->view());
      if (i == 0) data->table = info;
    }
    data->plan.modes = data->mode_views.data();
  }
  data->trees.emplace(data->plan, problems.size(), options.trajectories);
  data->plan.trees = data->trees->trees();
  return data;
}

void shape_samples(const SamplingPlan& plan, std::size_t rows, SampleSet& samples) {
  samples.velocities = plan.shape.velocities;
  samples.contacts = plan.shape.contacts;
  samples.tangent_dimension = plan.shape.tangent_dimension;
  samples.resize(rows);
  samples.solution_count.resize(plan.solutions == Solutions::all ? rows * solution_bins : 0);
}

}  // namespace carom
