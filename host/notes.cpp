#include <fmt/format.h>

#include "carom/scenario.hpp"

namespace carom {
namespace {

// The paper's systems step by 1 to 30 times the impulse that stops their fastest contact; at a
// hundred times nearly every draw lets the first step finish the impact.
constexpr double far_above = 100.0;

}  // namespace

std::vector<std::string> notes(const ImpactProblem& problem, const SamplingOptions& options) {
  std::vector<std::string> found;
  if (!colliding(problem, problem.pre_impact_velocity, options.termination_tolerance)) {
    found.emplace_back(
        "no contact approaches: the pre-impact velocity is separated already and is the only "
        "outcome");
    return found;
  }
  const double stopping = stopping_impulse(problem);
  if (options.impulse_step > far_above * stopping) {
    found.push_back(
        fmt::format("impulse_step is {} N·s, but {:.3g} N·s stop the fastest contact alone: most "
                    "trajectories end in one step, whatever their caps; try a smaller one",
                    options.impulse_step, stopping));
  }
  if (!friction_cone_support(problem)) {
    found.emplace_back(
        "the friction cone is not pointed (contact impulses can cancel each other): termination "
        "within max_steps is not guaranteed");
  }
  return found;
}

}  // namespace carom
