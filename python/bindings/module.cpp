#include "python/bindings/bindings.hpp"

#include "carom/version.hpp"

NB_MODULE(_core, module) {
  using namespace carom::python;
  module.doc() = "Compiled part of Carom; the package `carom` has what is meant to be used.";
  module.attr("__version__") = carom::version();
  bind_errors(module);
  bind_problem(module);
  bind_scenario(module);
  bind_sample_set(module);
  bind_device_samples(module);
  bind_evidence(module);
  bind_outcome_modes(module);
  bind_post_impact_set(module);
  bind_step(module);
  bind_impact_law(module);
  bind_device_impact_law(module);
  bind_families(module);
  bind_mujoco(module);
  bind_bounds(module);
  bind_explore(module);
  bind_outcomes(module);
  bind_coupling(module);
  bind_derivative(module);
  bind_law_sets(module);
  bind_roll(module);
  bind_rollout_stepper(module);
}
