#include "python/bindings/bounds.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "carom/error.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/directions.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

nb::tuple interval(const BoundedQuantity& quantity) {
  return nb::make_tuple(quantity.low, quantity.high);
}

nb::list contacts_of(const NamedBound& self) {
  nb::list list;
  auto quantity = self.check.bound.directions.begin();
  if (quantity == self.check.bound.directions.end()) return list;
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
  for (std::size_t i = 0; i < self.check.bound.directions.size(); ++i) {
    const BoundedQuantity& quantity = self.check.bound.directions[i];
    nb::dict entry;
    entry["name"] = quantity.name;
    entry["row"] = own(quantity.row);
    entry["low"] = quantity.low;
    entry["high"] = quantity.high;
    if (self.check.outcomes > 0) {
      entry["found_low"] = self.check.found_low[i];
      entry["found_high"] = self.check.found_high[i];
    }
    list.append(entry);
  }
  return list;
}

nb::list pieces_of(const NamedBound& self) {
  nb::list list;
  for (const BoundPiece& piece : self.check.bound.pieces) {
    nb::dict entry;
    entry["cell"] = piece.cell;
    entry["vertices"] = own(RowMatrix(piece.vertices));
    entry["normals"] = own(RowMatrix(piece.normals));
    entry["offsets"] = own(piece.offsets);
    list.append(entry);
  }
  return list;
}

NamedBound find_bound(nb::handle subject, nb::dict stated) {
  Scenario scenario = read_subject(subject);
  if (!scenario.evidence.bound) scenario.evidence.bound.emplace();
  apply(std::move(stated), scenario);
  settle_outputs(scenario);
  scenario.sampling.trajectories = 0;  // nothing to compare the bound with
  BoundCheck check = long_call([&](const std::function<bool()>& stop) {
    return check_bound(scenario.problem, scenario.sampling, *scenario.evidence.bound,
                       scenario.evidence.outputs,
                       [&stop](const std::string&, std::uint64_t, std::uint64_t) {
                         if (stop()) throw RunError("the proof was interrupted");
                         return true;
                       });
  });
  std::vector<Answer> known = answers(scenario.problem, scenario.evidence.outputs, {}, &check.bound,
                                      scenario.sampling.termination_tolerance);
  return {std::move(check), scenario.problem, std::move(known)};
}

/// Of one velocity a number, of several an array.
nb::object excess_of(const NamedBound& self, nb::object velocity) {
  const bool one = read_array("velocity", velocity).shape.size() == 1;
  const Eigen::MatrixXd rows = one ? Eigen::MatrixXd(read_vector("velocity", velocity).transpose())
                                   : read_matrix("velocity", velocity);
  const Eigen::Index wanted = self.mass_matrix.rows();
  if (rows.cols() != wanted) {
    throw InputError(fmt::format("velocity has {} entries (must have {}: one per velocity)",
                                 rows.cols(), wanted));
  }
  Eigen::VectorXd beyond(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    beyond(i) = excess(self.check.bound, rows.row(i).transpose());
  }
  if (one) return nb::cast(beyond(0));
  return nb::cast(own(beyond));
}

}  // namespace

void bind_bounds(nb::module_& module) {
  nb::class_<NamedBound>(module, "OuterBound", "A set that no outcome leaves (docs/bounds.md).")
      .def_prop_ro("scope", [](const NamedBound& self) { return scope_name(self.check.bound.scope); },
                   "\"any-h\" or \"inclusion\"")
      .def_prop_ro("method",
                   [](const NamedBound& self) { return method_name(self.check.bound.method); },
                   "\"hulls\", \"groups\", \"templates\", or \"energy\", which is wide")
      .def_prop_ro("closed", [](const NamedBound& self) { return self.check.bound.closed(); })
      .def_prop_ro("status", [](const NamedBound& self) { return status_text(self.check.bound); },
                   "\"closed\" for any number of steps, \"at most N steps\" or \"none\"")
      .def_prop_ro("verified",
                   [](const NamedBound& self) { return verified_name(self.check.bound.verified); },
                   "\"exact\", \"certified\" or \"no\"")
      .def_prop_ro("steps",
                   [](const NamedBound& self) {
                     const int steps = self.check.bound.steps;
                     return steps > 0 ? std::optional(steps) : std::nullopt;
                   },
                   "of the status \"at most N steps\": N, else None")
      .def_prop_ro("rounds", [](const NamedBound& self) { return self.check.bound.rounds; },
                   "until the pieces closed, or were given up")
      .def_prop_ro("out_of_work",
                   [](const NamedBound& self) { return self.check.bound.out_of_work; },
                   "the next round would have taken too long; not kept in files")
      .def_prop_ro("programs", [](const NamedBound& self) { return self.check.bound.programs; },
                   "programs that were solved")
      .def_prop_ro("loose_programs",
                   [](const NamedBound& self) { return self.check.bound.loose_programs; },
                   "of them: proved, but less tight than computed")
      .def_prop_ro("contacts", &contacts_of,
                   "of each contact name, normal (low, high) and d tangential (low, high), m/s")
      .def_prop_ro("directions", &directions_of,
                   "name, row, low and high of each contact speed and each stated direction; of a run's "
                   "bound also found_low and found_high")
      .def_prop_ro("answers", [](const NamedBound& self) { return answer_dicts(self.answers); },
                   nb::sig(answers_sig), answers_doc)
      .def_prop_ro("box", [](const NamedBound& self) { return own(self.check.bound.box); },
                   nb::rv_policy::move, "least and greatest value of each coordinate of an outcome (2, nv)")
      .def_prop_ro("trajectories", [](const NamedBound& self) { return self.check.trajectories; },
                   "that were sampled for outcomes to compare")
      .def_prop_ro("outcomes", [](const NamedBound& self) { return self.check.outcomes; },
                   "of the run that were compared with the bound")
      .def_prop_ro("outside", [](const NamedBound& self) { return self.check.outside; },
                   "of them: farther outside than rounding explains")
      .def_prop_ro("worst", [](const NamedBound& self) { return self.check.worst; },
                   "how far the farthest of them lies outside, m/s; not positive if all are inside")
      .def_prop_ro(
          "proved",
          [](nb::handle self) {
            return nb::module_::import_("carom.sets").attr("of_bound")(self);
          },
          nb::sig("def proved(self) -> carom.sets.ProvedSet"),
          "the bound as a set: the polytope of all directions, its pieces and its energy")
      .def_prop_ro("mass_matrix", [](const NamedBound& self) { return own(RowMatrix(self.mass_matrix)); },
                   nb::rv_policy::move, "of the problem (nv, nv), for the kinetic energy")
      .def_prop_ro("kinetic_energy",
                   [](const NamedBound& self) { return self.check.bound.kinetic_energy; },
                   "the largest of an outcome, J")
      .def_prop_ro("pieces", &pieces_of,
                   "convex parts: cell, vertices (n, nv), and normals @ v <= offsets")
      .def(
          "excess",
          &excess_of, "velocity"_a,
          nb::sig("def excess(self, velocity: numpy.typing.ArrayLike) -> typing.Any"),
          "How far a velocity (nv,), or each of several (n, nv), lies outside, m/s; not positive "
          "inside.")
      .def("__repr__", [](const NamedBound& self) {
        return "OuterBound(" + std::string(scope_name(self.check.bound.scope)) + ", " +
               status_text(self.check.bound) + ", verified: " + verified_name(self.check.bound.verified) + ")";
      });
  module.def("bound", &find_bound, "problem"_a.none(), "options"_a);
}

}  // namespace carom::python
