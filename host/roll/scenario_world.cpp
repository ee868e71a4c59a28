#include <fmt/format.h>

#include "carom/error.hpp"
#include "carom/roll.hpp"
#include "carom/scenario.hpp"

namespace carom {
namespace {

/// The problem before [problem] changed it.
ImpactProblem unchanged(const Scenario& scenario) {
  for (const System& system : systems()) {
    if (system.name == scenario.system) return system.build(scenario.parameters);
  }
  return first_impact(*scenario.world);
}

}  // namespace

SamplingOptions sampling_in_time(const Scenario& scenario) {
  SamplingOptions sampling = scenario.sampling;
  if (sampling.impulse_step.is_preset()) sampling.impulse_step = {};
  if (sampling.max_steps.is_preset()) sampling.max_steps = {};
  return sampling;
}

PlanarWorld world_of(const Scenario& scenario) {
  if (!scenario.world) {
    for (const System& system : systems()) {  // throws if the world breaks a rule
      if (system.name == scenario.system && system.world != nullptr) {
        system.world(scenario.parameters);
      }
    }
    throw InputError(
        fmt::format("system is \"{}\", of which only the impact is known (must be \"planar\" or "
                    "another system with a motion: carom systems lists them)",
                    scenario.system));
  }
  const ImpactProblem& problem = scenario.problem;
  const ImpactProblem its = unchanged(scenario);
  if (its.friction != problem.friction || its.pre_impact_velocity != problem.pre_impact_velocity) {
    throw InputError(
        "[problem] changes friction or pre_impact_velocity (must be set by [parameters] or "
        "[world], which describe the motion, too)");
  }
  PlanarWorld world = *scenario.world;
  if (problem.restitution.size() > 0) {
    if ((problem.restitution.array() != problem.restitution(0)).any()) {
      throw InputError(
          "restitution differs between contacts (must be one number in time, where any corner can "
          "touch)");
    }
    world.restitution = problem.restitution(0);
  }
  return world;
}

}  // namespace carom
