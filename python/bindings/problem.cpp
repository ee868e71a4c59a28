#include <algorithm>
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <new>
#include <utility>

#include "carom/error.hpp"
#include "carom/impact_problem.hpp"
#include "carom/scenario.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/notes.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

/// One coefficient for all contacts, or one each.
Eigen::VectorXd read_coefficients(const char* name, nb::handle value, Eigen::Index contacts) {
  const ArrayArgument<double> argument = read_array(name, value);
  if (argument.shape.empty()) return Eigen::VectorXd::Constant(contacts, argument.data[0]);
  return read_vector(name, value);
}

constexpr const char* problem_signature =
    "def __init__(self, mass_matrix: numpy.typing.ArrayLike, normal_jacobian: "
    "numpy.typing.ArrayLike, tangent_jacobian: numpy.typing.ArrayLike | None = None, friction: "
    "numpy.typing.ArrayLike | None = None, pre_impact_velocity: numpy.typing.ArrayLike | None = "
    "None, contact_names: collections.abc.Sequence[str] | None = None, friction_directions: int | "
    "None = None, restitution: numpy.typing.ArrayLike | None = None) -> None";

/// Refuses further keywords, as Python refuses those of its own functions.
void require_no_more(const nb::kwargs& others) {
  if (others.size() == 0) return;
  const nb::object names = nb::module_::import_("re").attr("findall")("(\\w+):", problem_signature);
  nb::module_::import_("carom._options")
      .attr("refuse_keyword")("ImpactProblem", (*others.begin()).first, names);
}

void make_problem(ImpactProblem* self, nb::object mass_matrix, nb::object normal_jacobian,
                           nb::object tangent_jacobian, nb::object friction,
                           nb::object pre_impact_velocity,
                           nb::object contact_names,
                           nb::object friction_directions, nb::object restitution,
                           const nb::kwargs& others) {
  require_no_more(others);
  ImpactProblem problem;
  problem.mass_matrix = read_matrix("mass_matrix", mass_matrix);
  problem.normal_jacobian = read_matrix("normal_jacobian", normal_jacobian);
  const Eigen::Index contacts = problem.contacts();
  if (friction.is_none() && !tangent_jacobian.is_none()) {
    throw InputError("friction is missing (must be given with tangent_jacobian)");
  }
  problem.friction = friction.is_none() ? Eigen::VectorXd::Zero(contacts)
                                        : read_coefficients("friction", friction, contacts);
  if (!tangent_jacobian.is_none()) {
    problem.tangent_jacobian = read_matrix("tangent_jacobian", tangent_jacobian);
  } else if (!problem.friction.isZero(0.0)) {
    throw InputError("tangent_jacobian is missing (must be given where friction is not 0)");
  }
  if (pre_impact_velocity.is_none()) {
    throw InputError("pre_impact_velocity is missing (must be given)");
  }
  problem.pre_impact_velocity = read_vector("pre_impact_velocity", pre_impact_velocity);
  if (!contact_names.is_none() && !nb::try_cast(contact_names, problem.contact_names)) {
    throw InputError(std::string("contact_names is ") + nb::repr(contact_names).c_str() +
                     " (must be a list of texts)");
  }
  problem.friction_directions = default_friction_directions(problem.tangent_dimension());
  if (!friction_directions.is_none()) {
    problem.friction_directions = static_cast<int>(read_integer(
        "friction_directions", friction_directions, 2, std::numeric_limits<int>::max()));
  }
  if (!restitution.is_none()) {
    problem.restitution = read_coefficients("restitution", restitution, problem.contacts());
  }
  new (self) ImpactProblem(validated(std::move(problem)));
}

/// A read-only view of a member.
template <auto member>
auto array_of(nb::handle self) {
  return view_of(self, nb::cast<const ImpactProblem&>(self).*member);
}

constexpr const char* problem_doc =
    R"(An impact at a fixed configuration with m active contacts and nv velocities, in SI units.

Parameters
----------
mass_matrix : (nv, nv), symmetric positive definite
normal_jacobian : (m, nv); row times velocity = separating speed, m/s
tangent_jacobian : (m, nv) in the plane; (2 m, nv) in space, two rows per contact;
    without friction it may be None
friction : (m,) Coulomb coefficients, or one for all; None: 0, without tangent_jacobian
pre_impact_velocity : (nv,)
contact_names : m names; default A, B, C, ...
friction_directions : 2 in the plane; in space even and at least 4 (default 4)
restitution : (m,) coefficients from 0 to 1, or one for all; default: that of the law

Everything is checked here: a rule that is broken raises InputError. The attributes are read-only
arrays without copies.

>>> import carom
>>> problem = carom.ImpactProblem(
...     mass_matrix=[[1.0, 0.0], [0.0, 1.0]], normal_jacobian=[[0.0, 1.0]],
...     tangent_jacobian=[[1.0, 0.0]], friction=0.5, pre_impact_velocity=[0.3, -1.0])
>>> problem
ImpactProblem(contacts=1, velocities=2, tangent_dimension=1, friction_directions=2)
>>> problem.kinetic_energy(problem.pre_impact_velocity)
0.545
)";

}  // namespace

void bind_problem(nb::module_& module) {
  nb::class_<ImpactProblem>(module, "ImpactProblem", problem_doc)
      .def("__init__", &make_problem, "mass_matrix"_a.none(), "normal_jacobian"_a.none(),
           "tangent_jacobian"_a = nb::none(), "friction"_a = nb::none(),
           "pre_impact_velocity"_a = nb::none(), "contact_names"_a = nb::none(),
           "friction_directions"_a = nb::none(), "restitution"_a = nb::none(), "others"_a,
           nb::sig(problem_signature))
      .def("__getstate__",
           [](const ImpactProblem& self) {
             if (self.contacts() == 0) {
               throw InputError("the problem has no contacts (must have one at least: of a motion "
                                "without impacts, pickle the Scenario)");
             }
             std::vector state{to_toml(matrices_scenario(self))};
             for (const Note& note : self.doubts) {
               state.push_back(note.code);
               state.push_back(note.text);
             }
             return state;
           })
      .def("__setstate__",
           [](ImpactProblem* self, const std::vector<std::string>& state) {
             new (self) ImpactProblem(parse_scenario(state.at(0)).problem);
             // Those of earlier versions have an even number of texts.
             for (std::size_t i = 2; state.size() % 2 == 1 && i < state.size(); i += 2) {
               const auto is_its = [&](const NoteCode& code) { return state[i - 1] == code.name; };
               const auto listed = std::ranges::find_if(note_codes(), is_its);
               self->doubts.push_back({state[i - 1],
                                       listed == note_codes().end() ? Severity::warning
                                                                    : listed->severity,
                                       state[i]});
             }
           })
      .def_prop_ro("mass_matrix", &array_of<&ImpactProblem::mass_matrix>, "(nv, nv)")
      .def_prop_ro("normal_jacobian", &array_of<&ImpactProblem::normal_jacobian>, "(m, nv)")
      .def_prop_ro("tangent_jacobian", &array_of<&ImpactProblem::tangent_jacobian>, "(m d, nv)")
      .def_prop_ro("friction", &array_of<&ImpactProblem::friction>, "(m,)")
      .def_prop_ro("restitution", &array_of<&ImpactProblem::restitution>,
                   "(m,); empty if none is stated")
      .def_prop_ro("pre_impact_velocity", &array_of<&ImpactProblem::pre_impact_velocity>, "(nv,)")
      .def_ro("contact_names", &ImpactProblem::contact_names, "m names")
      .def_prop_ro("speed_units",
                   [](const ImpactProblem& self) {
                     std::vector<std::string> units;
                     for (int i = 0; i < self.contacts(); ++i) units.emplace_back(speed_unit(self, i));
                     return units;
                   },
                   "m units of the contacts' speeds: m/s, or rad/s of limits of angles")
      .def_ro("friction_directions", &ImpactProblem::friction_directions, "k, per contact")
      .def_prop_ro("doubts", [](const ImpactProblem& self) { return note_dicts(self.doubts); },
                   "notes on what the problem leaves out of the world or model that it is from, and "
                   "on what may be wrong there: dicts of code, severity and text")
      .def_ro("merged_contacts", &ImpactProblem::merged_contacts,
              "contacts that `merge` of carom.from_mujoco left out")
      .def_prop_ro("contacts", &ImpactProblem::contacts, "m")
      .def_prop_ro("velocities", &ImpactProblem::velocities, "nv")
      .def_prop_ro("tangent_dimension", &ImpactProblem::tangent_dimension,
                   "d: 1 in the plane, 2 in space")
      .def(
          "kinetic_energy",
          [](const ImpactProblem& self, nb::object velocity) {
            return kinetic_energy(self, read_vector("velocity", velocity));
          },
          "velocity"_a, nb::sig("def kinetic_energy(self, velocity: numpy.typing.ArrayLike) -> float"),
          "v' M v / 2 of a velocity (nv,), J")
      .def("stopping_impulse", &stopping_impulse,
           "The largest normal impulse that a contact needs, N·s: alone, or when contacts stop in turn "
           "without friction; 0 if none approaches.")
      .def("delassus_matrix",
           [](const ImpactProblem& self) {
             const Eigen::MatrixXd delassus = delassus_matrix(self);  // symmetric
             const auto size = static_cast<std::size_t>(delassus.rows());
             return own(std::vector<double>(delassus.data(), delassus.data() + delassus.size()),
                        {size, size});
           },
           "J M^-1 J' for J = normals, then each contact's friction directions, m/s per N·s")
      .def("__repr__", [](const ImpactProblem& self) {
        return fmt::format(
            "ImpactProblem(contacts={}, velocities={}, tangent_dimension={}, "
            "friction_directions={})",
            self.contacts(), self.velocities(), self.tangent_dimension(),
            self.friction_directions);
      });
  module.attr("MOST_VELOCITIES") = most_velocities();
}

}  // namespace carom::python
