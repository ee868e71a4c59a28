#include "carom/bounds.hpp"

#include "carom/error.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

nb::tuple interval(const BoundedQuantity& quantity) {
  return nb::make_tuple(quantity.low, quantity.high);
}

struct NamedBound {
  OuterBound bound;
  std::vector<std::string> contact_names;
  int tangents;  // d
};

nb::list contacts_of(const NamedBound& self) {
  nb::list list;
  auto quantity = self.bound.directions.begin();
  if (quantity == self.bound.directions.end()) return list;
  for (const std::string& name : self.contact_names) {
    nb::dict contact;
    contact["name"] = name;
    contact["normal"] = interval(*quantity++);
    nb::list tangential;
    for (int t = 0; t < self.tangents; ++t) tangential.append(interval(*quantity++));
    contact["tangential"] = tangential;
    list.append(contact);
  }
  return list;
}

nb::list directions_of(const NamedBound& self) {
  nb::list list;
  for (const BoundedQuantity& quantity : self.bound.directions) {
    nb::dict entry;
    entry["name"] = quantity.name;
    entry["row"] = own(quantity.row);
    entry["low"] = quantity.low;
    entry["high"] = quantity.high;
    list.append(entry);
  }
  return list;
}

nb::list pieces_of(const NamedBound& self) {
  nb::list list;
  for (const BoundPiece& piece : self.bound.pieces) {
    nb::dict entry;
    entry["cell"] = piece.cell;
    entry["vertices"] = own(RowMatrix(piece.vertices));
    entry["normals"] = own(RowMatrix(piece.normals));
    entry["offsets"] = own(piece.offsets);
    list.append(entry);
  }
  return list;
}

NamedBound find_bound(nb::handle subject, const std::string& scope, nb::dict directions,
                      nb::handle rounds) {
  const Scenario scenario = read_subject(subject);
  BoundOptions options;
  options.scope = scope_named(scope, "scope");
  constexpr int most_rounds = 1000;
  options.rounds = static_cast<int>(read_integer("rounds", rounds, 1, most_rounds));
  options.termination_tolerance = scenario.sampling.termination_tolerance;
  for (const auto& [name, row] : directions) {
    options.directions.push_back({nb::cast<std::string>(name), read_vector("directions", row)});
  }
  return {outer_bound(scenario.problem, options, scenario.sampling.law),
          scenario.problem.contact_names, scenario.problem.tangent_dimension()};
}

}  // namespace

void bind_bounds(nb::module_& module) {
  nb::class_<NamedBound>(module, "OuterBound", "A set that no outcome leaves (docs/bounds.md).")
      .def_prop_ro("scope", [](const NamedBound& self) { return scope_name(self.bound.scope); },
                   "\"any-h\" or \"inclusion\"")
      .def_prop_ro("closed", [](const NamedBound& self) { return self.bound.closed(); })
      .def_prop_ro("status", [](const NamedBound& self) { return status_text(self.bound); },
                   "\"closed\" for any number of steps, \"at most N steps\" or \"none\"")
      .def_prop_ro("verified",
                   [](const NamedBound& self) { return verified_name(self.bound.verified); },
                   "\"exact\", or \"no\"")
      .def_prop_ro("contacts", &contacts_of,
                   "of each contact name, normal (low, high) and d tangential (low, high), m/s")
      .def_prop_ro("directions", &directions_of,
                   "name, row, low and high of each contact speed and each stated direction")
      .def_prop_ro("kinetic_energy",
                   [](const NamedBound& self) { return self.bound.kinetic_energy; },
                   "the largest of an outcome, J")
      .def_prop_ro("pieces", &pieces_of,
                   "convex parts: cell, vertices (n, nv), and normals @ v <= offsets")
      .def(
          "excess",
          [](const NamedBound& self, nb::object velocity) {
            const Eigen::VectorXd v = read_vector("velocity", velocity);
            const Eigen::Index wanted = self.bound.directions.empty()
                                            ? v.size()
                                            : self.bound.directions.front().row.size();
            if (v.size() != wanted) {
              throw InputError("velocity has " + std::to_string(v.size()) +
                               " entries (must have " + std::to_string(wanted) +
                               ": one per velocity)");
            }
            return excess(self.bound, v);
          },
          "velocity"_a, nb::sig("def excess(self, velocity: numpy.typing.ArrayLike) -> float"),
          "How far a velocity (nv,) lies outside, m/s; not positive inside.")
      .def("__repr__", [](const NamedBound& self) {
        return "OuterBound(" + std::string(scope_name(self.bound.scope)) + ", " +
               status_text(self.bound) + ", verified: " + verified_name(self.bound.verified) + ")";
      });
  module.def("bound", &find_bound, "problem"_a, "scope"_a, "directions"_a, "rounds"_a);
}

}  // namespace carom::python
