#include "python/bindings/outcome_modes.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/arrays.hpp"

namespace carom::python {

std::vector<CountedMode> counted_modes(const ImpactProblem& problem, const OutcomeModes& modes,
                                       bool has_shares) {
  std::vector<CountedMode> list;
  for (const OutcomeMode& mode : modes.table()) {
    CountedMode counted{mode, mode_text(mode.contacts, problem.contact_names)};
    if (has_shares) {
      counted.share = static_cast<double>(mode.count) / static_cast<double>(modes.outcomes());
      counted.interval = wilson_interval(mode.count, modes.outcomes());
    }
    list.push_back(std::move(counted));
  }
  return list;
}

void bind_outcome_modes(nb::module_& module) {
  nb::class_<CountedMode>(module, "OutcomeMode", "A combination of contact modes among the outcomes.")
      .def_ro("text", &CountedMode::text, "\"A sticks, B separates\"")
      .def_prop_ro("contacts",
                   [](const CountedMode& self) {
                     constexpr const char* names[] = {"separates", "sticks", "slides",
                                                      "slides_back"};
                     std::vector<std::string> list;
                     for (const ContactMode mode : self.mode.contacts) {
                       list.emplace_back(names[static_cast<int>(mode)]);
                     }
                     return list;
                   },
                   "of each contact: separates, sticks, slides or slides_back")
      .def_prop_ro("count", [](const CountedMode& self) { return self.mode.count; },
                   "outcomes, or members of an exploration's net")
      .def_ro("share", &CountedMode::share,
              "of the outcomes; None of an exploration, where it would be no probability")
      .def_prop_ro("interval",
                   [](const CountedMode& self) -> nb::object {
                     if (!self.interval) return nb::none();
                     return nb::make_tuple(self.interval->low, self.interval->high);
                   },
                   nb::sig("def interval(self) -> tuple[float, float] | None"),
                   "Wilson's 95 % confidence interval of the share")
      .def_prop_ro("example", [](const CountedMode& self) { return self.mode.example; },
                   "the first trajectory that ended in it, or the first member")
      .def_prop_ro("example_velocity",
                   [](const CountedMode& self) {
                     return own(std::vector<double>(self.mode.example_velocity),
                                {self.mode.example_velocity.size()});
                   },
                   nb::rv_policy::move, "(nv,)")
      .def("__repr__", [](const CountedMode& self) {
        return self.share ? fmt::format("OutcomeMode(\"{}\", share={:.4g})", self.text, *self.share)
                          : fmt::format("OutcomeMode(\"{}\", count={})", self.text,
                                        self.mode.count);
      });
}

}  // namespace carom::python
