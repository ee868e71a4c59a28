#include "host/sampling/sampling_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/step_lcp.hpp"
#include "host/sampling/default_impulse_step.hpp"
#include "kernels/problem/default_steps.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

void place_steps(const ProblemShape& shape, const AssemblyReport& report,
                 const SamplingOptions& options, double* data) {
  const double cap = final_cap(*options.epsilon, report.psi);
  if (!(*options.impulse_step * report.largest_admittance < most_step_speed)) {
    throw InputError(
        fmt::format("impulse_step is {} (times the Delassus matrix it must stay below 1e150 m/s)",
                    *options.impulse_step));
  }
  if (!(cap * report.largest_admittance > least_cap_speed)) {
    if (!options.epsilon.is_stated() && options.impulse_step.is_stated()) {
      throw InputError(
          fmt::format("impulse_step is {} (must be larger: its LCPs would leave the "
                      "range of numbers)",
                      *options.impulse_step));
    }
    if (!options.epsilon.is_stated()) {
      throw InputError(
          "pre_impact_velocity is out of scale: its LCPs would leave the range of numbers (choose "
          "other units)");
    }
    throw InputError(
        fmt::format("epsilon is {} (over 3 psi, times the Delassus matrix, it must be above "
                    "1e-150 m/s)",
                    *options.epsilon));
  }
  set_steps(shape, *options.impulse_step, cap, data);
}

RowShape rows_of(const ProblemShape& shape, const SamplingOptions& options) {
  const bool counts = visit_law(
      options.law, [](auto entry, const auto& law) { return entry.counts_solutions(law); });
  return row_shape(shape, counts, step_kind(options.law));
}

namespace {

std::string why_no_device(const SetValuedPlan& law) {
  const std::string its = law.solutions == Solutions::all
                              ? fmt::format("all, found by {},", solution_method_name(law.method))
                              : solutions_name(law.solutions);
  if (law.restitution == nullptr) return fmt::format("solutions {} run on the CPU only", its);
  return fmt::format("restitution with solutions {} runs on the CPU only", its);
}

std::string why_no_device(const SimultaneousPlan&) {
  return "law simultaneous runs on the CPU only";
}

}  // namespace

std::string why_no_device(const SamplingPlan& plan) {
  const auto of_law = [&]<class LawPlan>(const LawPlan& law) -> std::string {
    if (!LawPlan::normals_only && !fits_device(plan.shape)) {
      return fmt::format(
          "a problem with {} LCP unknowns and {} velocities runs on the CPU only; a device takes "
          "at most {} and {}",
          plan.shape.lcp_size(), plan.shape.velocities, LargestDeviceCapacity::lcp_size,
          LargestDeviceCapacity::velocities);
    }
    if constexpr (requires { law.on_devices(); }) {
      if (!law.on_devices()) return why_no_device(law);
    }
    return "";
  };
  return std::visit(of_law, plan.law);
}

void require_device_program(const SamplingPlan& plan) {
  const std::string reason = why_no_device(plan);
  if (reason.empty()) return;
  throw InputError(fmt::format("backend is cuda (must be auto or cpu: {})", reason));
}

SamplingPlan plan_options(const SamplingOptions& options) {
  SamplingPlan plan;
  plan.max_steps = options.max_steps;
  plan.tolerance = options.termination_tolerance;
  plan.seed = options.seed;
  plan.first_problem = options.problem_id;
  return plan;
}

std::size_t count_alike(std::span<const ImpactProblem> problems, const Law& law) {
  const auto method = all_solutions_by(law, problems.front());
  const auto differs = [&](const ImpactProblem& problem) {
    return all_solutions_by(law, problem) != method;
  };
  const auto end = std::find_if(problems.begin() + 1, problems.end(), differs);
  return static_cast<std::size_t>(end - problems.begin());
}

void require_one_shape(std::span<const ImpactProblem> problems) {
  if (problems.empty()) throw InputError("problems is empty (must hold at least one problem)");
  for (std::size_t i = 1; i < problems.size(); ++i) {
    if (shape_of(problems[i]) == shape_of(problems[0])) continue;
    throw InputError("problem " + std::to_string(i) +
                     " has another shape than problem 0 (problems sampled together must agree in "
                     "contacts, velocities, tangent dimension and friction directions)");
  }
}

namespace {

std::unique_ptr<SamplingPlanData> make_plan(std::span<const ImpactProblem> problems,
                                            const SamplingOptions& stated, bool is_of_one) {
  auto data = std::make_unique<SamplingPlanData>();
  validate(stated);
  std::vector<ImpactProblem> valid;
  for (const ImpactProblem& problem : problems) valid.push_back(validated(problem));
  require_one_shape(valid);
  const ProblemShape shape = shape_of(valid[0]);
  if (problems.size() - 1 > std::numeric_limits<std::uint32_t>::max() - stated.problem_id) {
    throw InputError("problem_id is " + std::to_string(stated.problem_id) +
                     " (with the number of problems it must stay within 32 bits)");
  }
  SamplingOptions options = resolved(stated, valid);
  const bool has_own_steps = !options.impulse_step.has_value();
  data->plan = plan_options(options);
  data->plan.shape = visit_law(
      options.law, [&](auto entry, const auto&) { return decltype(entry)::shape(shape); });
  for (const ImpactProblem& problem : valid) {
    validate(options.law, problem);
    FlatProblem flat = assemble(problem, options.norm, data->plan.shape);
    if (has_own_steps) options.impulse_step = default_impulse_step(problem, options.law);
    place_steps(data->plan.shape, flat.report, options, flat.data.data());
    data->plan.stride = flat.data.size();
    data->problems.insert(data->problems.end(), flat.data.begin(), flat.data.end());
  }
  data->problem_count = problems.size();
  data->plan.problems = data->problems.data();
  data->plan.rows = rows_of(shape, options);
  data->plan.trajectories = problems.size() == 1 ? 0 : *options.trajectories;
  data->law = visit_law(options.law, [&](auto entry, const auto& law) {
    if constexpr (requires { entry.plan_one(law, valid[0], options, data->plan); }) {
      if (is_of_one) return entry.plan_one(law, valid[0], options, data->plan);
    }
    return entry.plan(law, valid, options, data->plan);
  });
  visit_plan(data->plan.law, [&](const auto& law) {
    SamplingPlan& plan = data->plan;
    plan.step_numbers = law.step_numbers(plan.shape);
    plan.state_size = 2 * plan.shape.impulses() + law.more_state(plan.shape);
  });
  return data;
}

}  // namespace

std::unique_ptr<SamplingPlanData> make_plan(std::span<const ImpactProblem> problems,
                                            const SamplingOptions& options) {
  return make_plan(problems, options, /*is_of_one=*/false);
}

std::unique_ptr<SamplingPlanData> make_plan_of_one(const ImpactProblem& problem,
                                                   const SamplingOptions& options) {
  return make_plan({&problem, 1}, options, /*is_of_one=*/true);
}

}  // namespace carom
