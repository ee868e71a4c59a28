#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include "carom/scenario.hpp"
#include "host/base/option_words.hpp"
#include "python/bindings/law.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

void bind_sampling_options(nb::module_& module) {
  nb::class_<SamplingOptions>(
      module, "SamplingOptions",
      "How a scenario is sampled; the names are those of sample()'s arguments.")
      .def_ro("trajectories", &SamplingOptions::trajectories)
      .def_ro("max_steps", &SamplingOptions::max_steps)
      .def_ro("impulse_step", &SamplingOptions::impulse_step, "h, N·s")
      .def_ro("epsilon", &SamplingOptions::epsilon)
      .def_prop_ro("norm", [](const SamplingOptions& o) { return norm_name(o.norm); })
      .def_ro("termination_tolerance", &SamplingOptions::termination_tolerance, "m/s")
      .def_prop_ro("law", [](const SamplingOptions& o) { return law_name(o.law); })
      .def_prop_ro(
          "law_options", [](const SamplingOptions& o) { return own_options(o.law); },
          "The law's own options.")
      .def_prop_ro("caps", [](const SamplingOptions& o) { return own_option(o.law, "caps"); })
      .def_prop_ro("solutions",
                   [](const SamplingOptions& o) { return own_option(o.law, "solutions"); })
      .def_ro("seed", &SamplingOptions::seed)
      .def_ro("problem_id", &SamplingOptions::problem_id)
      .def_prop_ro("backend", [](const SamplingOptions& o) { return backend_name(o.backend); })
      .def_ro("threads", &SamplingOptions::threads)
      .def_ro("device", &SamplingOptions::device)
      .def_ro("chunk", &SamplingOptions::chunk);
}

}  // namespace

void bind_scenario(nb::module_& module) {
  bind_sampling_options(module);
  nb::class_<Scenario>(module, "Scenario", "A problem and how to sample it; see load_scenario().")
      .def_ro("system", &Scenario::system, "name of a built-in system, or \"matrices\"")
      .def_ro("parameters", &Scenario::parameters, "of a built-in system, defaults included")
      .def_ro("problem", &Scenario::problem)
      .def_ro("sampling", &Scenario::sampling)
      .def(
          "notes", [](const Scenario& self) { return notes(self.problem, self.sampling); },
          "What to know before a run, one sentence each.")
      .def("to_toml", &to_toml,
           "The scenario as a file's text, complete with every default and matrix.")
      .def("__repr__", [](const Scenario& self) {
        return fmt::format("Scenario(system=\"{}\", contacts={}, velocities={})", self.system,
                           self.problem.contacts(), self.problem.velocities());
      });
  module.def(
      "load_scenario", [](nb::object path) { return read_subject(path).scenario; }, "path"_a);
  module.def(
      "systems",
      [] {
        std::vector<std::string> names;
        for (const System& system : systems()) names.push_back(system.name);
        return names;
      },
      "Names of the built-in systems.");
}

}  // namespace carom::python
