#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>  // everywhere, or a cast to std::string compiles to what throws

namespace carom::python {

namespace nb = nanobind;

// One per file; module.cpp calls them.
void bind_errors(nb::module_& module);
void bind_problem(nb::module_& module);
void bind_scenario(nb::module_& module);
void bind_sample_set(nb::module_& module);
void bind_device_samples(nb::module_& module);
void bind_post_impact_set(nb::module_& module);
void bind_evidence(nb::module_& module);
void bind_outcome_modes(nb::module_& module);
void bind_step(nb::module_& module);
void bind_impact_law(nb::module_& module);
void bind_device_impact_law(nb::module_& module);
void bind_families(nb::module_& module);
void bind_mujoco(nb::module_& module);
void bind_bounds(nb::module_& module);
void bind_explore(nb::module_& module);
void bind_outcomes(nb::module_& module);
void bind_coupling(nb::module_& module);
void bind_derivative(nb::module_& module);
void bind_law_sets(nb::module_& module);
void bind_roll(nb::module_& module);
void bind_rollout_stepper(nb::module_& module);

}  // namespace carom::python
