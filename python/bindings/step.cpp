#include "carom/step.hpp"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "carom/error.hpp"
#include "carom/solutions.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

struct Step {
  ImpactProblem problem;
  Eigen::VectorXd velocity;
  Eigen::VectorXd caps;
};

/// None: the pre-impact velocity, and impulse_step for each contact.
Step read_step(nb::handle problem, nb::handle velocity, nb::handle caps) {
  Scenario scenario = read_subject(problem);
  const int contacts = scenario.problem.contacts();
  const Eigen::VectorXd full =
      Eigen::VectorXd::Constant(contacts, scenario.sampling.impulse_step.value_or(default_impulse_step(scenario.problem)));
  Step step{std::move(scenario.problem), {}, {}};
  step.velocity =
      velocity.is_none() ? step.problem.pre_impact_velocity : read_vector("velocity", velocity);
  step.caps = caps.is_none() ? full : read_vector("caps", caps);
  return step;
}

template <class Owner, auto member>
auto array_of(nb::handle self) {
  return view_of(self, nb::cast<const Owner&>(self).*member);
}

template <auto member>
constexpr auto solution_array = &array_of<StepSolution, member>;
template <auto member>
constexpr auto answer_array = &array_of<StepAnswer, member>;

void bind_step_solution(nb::module_& module) {
  nb::class_<StepSolution>(module, "StepSolution",
                           "One solution of the step LCP (Halm & Posa, Eq. 72-75).")
      .def_prop_ro("status", [](const StepSolution& self) { return step_status_name(self.status); },
                   "\"solved\": otherwise solve_step() raises an error")
      .def_prop_ro("post_velocity", solution_array<&StepSolution::post_velocity>, "(nv,)")
      .def_prop_ro("normal_impulse", solution_array<&StepSolution::normal_impulse>, "(m,), N·s")
      .def_prop_ro("direction_impulse", solution_array<&StepSolution::direction_impulse>,
                   "(m k,), N·s along the friction directions")
      .def_prop_ro("tangential_impulse", solution_array<&StepSolution::tangential_impulse>,
                   "(m d,), net, N·s along the tangent rows")
      .def_prop_ro("cap_slack", solution_array<&StepSolution::cap_slack>,
                   "(m,): speed that the cap leaves unstopped, m/s")
      .def_prop_ro("slip_speed", solution_array<&StepSolution::slip_speed>, "(m,), m/s")
      .def_ro("residual", &StepSolution::residual, "scaled complementarity residual")
      .def_ro("energy_before", &StepSolution::energy_before, "J")
      .def_ro("energy_after", &StepSolution::energy_after, "J")
      .def_ro("pivots", &StepSolution::pivots)
      .def_ro("retries", &StepSolution::retries, "attempts in double-double precision");
}

void bind_step_answers(nb::module_& module) {
  nb::class_<StepAnswer>(module, "StepAnswer", "One distinct velocity after a step.")
      .def_prop_ro("velocity", answer_array<&StepAnswer::velocity>, "(nv,)")
      .def_prop_ro("normal_impulse", answer_array<&StepAnswer::normal_impulse>, "(m,), N·s")
      .def_prop_ro("tangential_impulse", answer_array<&StepAnswer::tangential_impulse>,
                   "(m d,), N·s")
      .def_ro("energy", &StepAnswer::energy, "J")
      .def_ro("residual", &StepAnswer::residual, "scaled complementarity residual")
      .def_ro("modes", &StepAnswer::modes, "contact modes that lead to it, a digit per contact")
      .def_ro("on_continuum", &StepAnswer::on_continuum, "an end of one of the segments");
  nb::class_<StepAnswers>(module, "StepAnswers", "All solutions of one step LCP.")
      .def_ro("answers", &StepAnswers::answers, "the distinct velocities")
      .def("__len__", [](const StepAnswers& self) { return self.answers.size(); })
      .def("__getitem__",
           [](const StepAnswers& self, std::ptrdiff_t index) {
             const auto size = static_cast<std::ptrdiff_t>(self.answers.size());
             if (index < -size || index >= size) throw nb::index_error("no such answer");
             return self.answers[static_cast<std::size_t>(index < 0 ? index + size : index)];
           })
      .def_prop_ro("segments",
                   [](const StepAnswers& self) {
                     nb::list segments;
                     for (const auto& [one, other] : self.segments) {
                       segments.append(nb::make_tuple(own(one), own(other)));
                     }
                     return segments;
                   },
                   nb::sig("def segments(self) -> list[tuple[numpy.ndarray, numpy.ndarray]]"),
                   "ends of segments along which the velocity varies with the impulses")
      .def_ro("components", &StepAnswers::components,
              "solutions that are not connected; a continuum with its ends is one")
      .def_ro("complete", &StepAnswers::complete, "whether these are all solutions")
      .def_ro("merge_tolerance", &StepAnswers::merge_tolerance,
              "m/s: contact velocities that differ by less are one");
}

}  // namespace

void bind_step(nb::module_& module) {
  bind_step_solution(module);
  bind_step_answers(module);
  module.def(
      "solve_step",
      [](nb::object problem, nb::object velocity, nb::object caps) {
        const Step step = read_step(problem, velocity, caps);
        StepSolution solution = solve_step(step.problem, step.velocity, step.caps);
        if (solution.status == Status::separated) return solution;
        throw RunError(
            fmt::format("the step LCP was not solved (status {})", step_status_name(solution.status)));
      },
      "problem"_a.none(), "velocity"_a.none(), "caps"_a.none());
  module.def(
      "solutions",
      [](nb::object problem, nb::object velocity, nb::object caps, bool simultaneous) {
        if (simultaneous && !caps.is_none()) {
          throw InputError("caps is given (must be left out: the simultaneous law has none)");
        }
        const Step step = read_step(problem, velocity, caps);
        StepAnswers found = simultaneous
                                ? simultaneous_solutions(step.problem, step.velocity)
                                : all_step_solutions(step.problem, step.velocity, step.caps);
        if (!found.answers.empty()) return found;
        throw RunError(simultaneous ? "no solution of the simultaneous law was found"
                                    : "no solution of the step was found");
      },
      "problem"_a.none(), "velocity"_a.none(), "caps"_a.none(), "simultaneous"_a);
}

}  // namespace carom::python
