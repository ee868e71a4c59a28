#include "carom/rollout_stepper.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "carom/error.hpp"
#include "carom/roll.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

RolloutStepper make_stepper(nb::handle problem, std::uint64_t copies, nb::handle start,
                            nb::dict arguments) {
  const Scenario scenario = read_motion(problem, start, std::move(arguments));
  return {world_of(scenario), scenario.sampling, *scenario.roll, copies};
}

NumpyArray<double> state_of(const RolloutStepper& self, std::span<const double> numbers) {
  return own(std::vector<double>(numbers.begin(), numbers.end()),
             {self.copies(), numbers.size() / self.copies()});
}

void step(RolloutStepper& self, double seconds, nb::object force) {
  if (force.is_none()) {
    const nb::gil_scoped_release unlocked;
    self.step(seconds);
    return;
  }
  const ArrayArgument<double> given = read_array("force", force);
  const std::vector<std::size_t> wanted = {self.copies(), self.velocity().size() / self.copies()};
  if (given.shape != wanted) {
    throw InputError(fmt::format("force is {} (must be {}: copies x velocities)",
                                 shape_text(given.shape), shape_text(wanted)));
  }
  const nb::gil_scoped_release unlocked;
  self.step(seconds, {given.data, wanted[0] * wanted[1]});
}

void place(RolloutStepper& self, std::uint64_t copy, nb::object position, nb::object velocity) {
  const Eigen::VectorXd q = read_vector("position", position);
  const Eigen::VectorXd v = read_vector("velocity", velocity);
  self.place(copy, {q.data(), static_cast<std::size_t>(q.size())},
             {v.data(), static_cast<std::size_t>(v.size())});
}

nb::list saved(const RolloutStepper& self) {
  nb::list arrays;
  const SavedRollouts state = self.save();
  SavedRollouts::for_each_array(state, [&](const auto& array) {
    arrays.append(bytes_of(array));
  });
  return arrays;
}

void restore(RolloutStepper& self, const nb::list& arrays) {
  SavedRollouts state;
  std::size_t next = 0;
  SavedRollouts::for_each_array(state, [&](auto& array) {
    read_bytes(nb::cast<nb::bytes>(arrays[next++]), array);
  });
  self.restore(std::move(state));
}

}  // namespace

void bind_rollout_stepper(nb::module_& module) {
  nb::class_<RolloutStepper>(module, "RolloutStepper", "See carom.Rollouts.")
      .def_prop_ro("coordinates",
                   [](const RolloutStepper& self) { return self.system().coordinates; })
      .def_prop_ro("velocities",
                   [](const RolloutStepper& self) { return self.system().velocities; })
      .def_prop_ro(
          "position",
          [](const RolloutStepper& self) { return state_of(self, self.position()); },
          nb::rv_policy::move)
      .def_prop_ro(
          "velocity",
          [](const RolloutStepper& self) { return state_of(self, self.velocity()); },
          nb::rv_policy::move)
      .def_prop_ro(
          "status",
          [](const RolloutStepper& self) {
            std::vector<std::uint8_t> numbers;
            for (const RolloutStatus status : self.status()) {
              numbers.push_back(static_cast<std::uint8_t>(status));
            }
            return own(std::move(numbers), {self.copies()});
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "impacts", [](const RolloutStepper& self) {
            return own(std::vector<std::uint32_t>(self.impacts().begin(), self.impacts().end()),
                       {self.copies()});
          },
          nb::rv_policy::move)
      .def("step", &step, "seconds"_a, "force"_a.none())
      .def("restart", &RolloutStepper::restart, "copy"_a)
      .def("place", &place, "copy"_a, "position"_a, "velocity"_a)
      .def("saved", &saved)
      .def("restore", &restore, "saved"_a)
      .def("__len__", &RolloutStepper::copies);
  module.def("rollout_stepper", &make_stepper, "problem"_a.none(), "copies"_a, "start"_a.none(),
             "arguments"_a);
}

}  // namespace carom::python
