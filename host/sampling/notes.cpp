#include <fmt/format.h>

#include "carom/scenario.hpp"

namespace carom {
namespace {

// In the paper's systems, h is 1 to 30 times the impulse that stops the fastest contact; at a
// hundred times, nearly every first step ends the impact.
constexpr double far_above = 100.0;
// A tolerance above this fraction of the fastest approach is larger than rounding.
constexpr double coarse = 1e-4;

}  // namespace

std::vector<std::string> notes(const ImpactProblem& problem, const SamplingOptions& options) {
  std::vector<std::string> found;
  const double tolerance = options.termination_tolerance;
  const double approach = -(problem.normal_jacobian * problem.pre_impact_velocity).minCoeff();
  if (!colliding(problem, problem.pre_impact_velocity, tolerance)) {
    found.push_back(fmt::format(
        "no contact approaches{}: the pre-impact velocity is separated already and is the only "
        "outcome",
        approach > 0.0 ? fmt::format(" faster than termination_tolerance = {} m/s", tolerance)
                       : ""));
    return found;
  }
  if (tolerance > coarse * approach) {
    found.push_back(fmt::format(
        "termination_tolerance is {} m/s, {:.2g} % of the fastest approach: contacts of outcomes "
        "may still approach as fast, and their modes say that they stick or slide",
        tolerance, 100.0 * tolerance / approach));
  }
  const double stopping = stopping_impulse(problem);
  const double step = options.impulse_step.value_or(default_impulse_step(problem));
  if (step > far_above * stopping) {
    found.push_back(
        fmt::format("impulse_step is {} N·s, but {:.3g} N·s stop the fastest contact alone: most "
                    "trajectories end in one step, whatever their caps; try a smaller one",
                    step, stopping));
  }
  if (!friction_cone_support(problem)) {
    found.emplace_back(
        "the friction cone is not pointed (contact impulses can cancel each other): termination "
        "within max_steps is not guaranteed");
  }
  return found;
}

}  // namespace carom
