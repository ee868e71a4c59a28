#include "carom/derivative.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "carom/example_motion.hpp"
#include "carom/planar_motion.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

template <class Numbers>
nb::list list_of(const Numbers& numbers) {
  nb::list list;
  for (const auto& one : numbers) list.append(one);
  return list;
}

nb::dict impact_dict(const ImpactInMotion& impact) {
  nb::list orders;
  for (const ImpactOrder& order : impact.orders) {
    nb::dict entry;
    entry["contacts"] = list_of(order.contacts);
    entry["velocity"] = own(order.velocity);
    entry["closed"] = list_of(order.closed);
    entry["saltation"] = own(RowMatrix(order.saltation));
    orders.append(entry);
  }
  nb::dict entry;
  entry["time"] = impact.time;
  entry["contacts"] = list_of(impact.contacts);
  entry["slowest"] = impact.slowest;
  entry["all_orders"] = impact.all_orders;
  entry["continuous"] = impact.continuous;
  entry["differentiable"] = impact.differentiable;
  entry["orders"] = orders;
  return entry;
}

nb::dict side_dict(const SidedOutcome& side) {
  nb::list impacts;
  for (const ImpactInMotion& impact : side.impacts) impacts.append(impact_dict(impact));
  nb::dict entry;
  entry["state"] = own(side.state);
  entry["slope"] = own(side.slope);
  entry["impacts"] = impacts;
  return entry;
}

nb::dict outcome_dict(const OutcomeDerivative& found) {
  nb::dict entry;
  entry["continuous"] = found.continuous;
  entry["differentiable"] = found.differentiable;
  entry["not_kept"] = list_of(found.not_kept);
  entry["derivative"] = nb::none();
  if (found.derivative) entry["derivative"] = own(RowMatrix(*found.derivative));
  entry["right"] = side_dict(found.right);
  entry["left"] = side_dict(found.left);
  return entry;
}

/// A function of NumPy arrays, or what it would always return.
auto matrix_function(const char* name, nb::object value) {
  return [name, value](const Eigen::VectorXd& q) {
    return read_matrix(name, nb::isinstance<nb::callable>(value) ? value(own(q)) : value);
  };
}

nb::dict of_motion(nb::object mass, nb::object gaps, nb::object gap_jacobian, nb::object force,
                   nb::handle start, double end, nb::handle direction, nb::handle restitution) {
  Motion motion{.mass = matrix_function("mass", mass),
                .gaps = [=](const Eigen::VectorXd& q) { return read_vector("gaps", gaps(own(q))); },
                .gap_jacobian = matrix_function("gap_jacobian", gap_jacobian),
                .force =
                    [=](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
                      return read_vector("force", force(own(q), own(v)));
                    }};
  if (!restitution.is_none()) motion.restitution = read_vector("restitution", restitution);
  return outcome_dict(
      derivative(motion, read_vector("start", start), end, read_vector("direction", direction)));
}

nb::dict named_dict(const StartedMotion& motion) {
  nb::dict entry = outcome_dict(derivative(motion));
  entry["coordinates"] = nb::cast(motion.coordinates);
  entry["contact_names"] = nb::cast(motion.motion.contact_names);
  entry["start"] = own(motion.start);
  entry["direction"] = own(motion.direction);
  entry["end"] = motion.end;
  return entry;
}

nb::dict of_example(const std::string& name, const std::map<std::string, double>& parameters) {
  const ExampleMotion example = example_motion(name, parameters);
  nb::dict entry = named_dict(example);
  entry["outcome"] = example.outcome;
  return entry;
}

nb::dict of_scenario(nb::handle subject, nb::handle start, std::optional<double> end,
                     nb::handle direction) {
  const Scenario scenario = read_subject(subject);
  std::optional<StartedMotion> motion = started_motion(scenario, end);
  if (!motion) {
    if (start.is_none() && direction.is_none()) {
      nb::dict entry = impact_dict(derivative(scenario.problem));
      entry["contact_names"] = nb::cast(scenario.problem.contact_names);
      return entry;
    }
    throw InputError("start and direction are for a Motion or a scenario with end or [roll]");
  }
  if (!start.is_none()) motion->start = read_vector("start", start);
  if (!direction.is_none()) motion->direction = read_vector("direction", direction);
  return named_dict(*motion);
}

}  // namespace

void bind_derivative(nb::module_& module) {
  module.def("derivative_of_motion", &of_motion, "mass"_a, "gaps"_a, "gap_jacobian"_a, "force"_a,
             "start"_a, "end"_a, "direction"_a, "restitution"_a.none());
  module.def("derivative_of_example", &of_example, "name"_a, "parameters"_a);
  module.def("derivative_of_scenario", &of_scenario, "problem"_a.none(), "start"_a.none(), "end"_a.none(),
             "direction"_a.none());
  module.attr("EXAMPLE_MOTIONS") = list_of(example_motions());
}

}  // namespace carom::python
