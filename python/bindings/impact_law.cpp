#include "carom/impact_law.hpp"

#include <fmt/format.h>

#include <limits>

#include "carom/error.hpp"
#include "carom/impact_problem.hpp"
#include "carom/progress_bar.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;
using Shape = std::vector<std::size_t>;

[[noreturn]] void fail_shape(const char* name, const Shape& found, const std::string& rule) {
  throw InputError(fmt::format("{} is {} (must be {})", name, shape_text(found), rule));
}

void require_shape(const char* name, const Shape& found, const Shape& wanted, const char* meaning) {
  if (found == wanted) return;
  fail_shape(name, found, fmt::format("{}: {}", shape_text(wanted), meaning));
}

/// The arrays of a call; `batch` points into them.
struct BatchArguments {
  ArrayArgument<double> mass_matrix, normal_jacobian, tangent_jacobian, friction, velocity, steps;
  ArrayArgument<std::uint8_t> active;
  ImpactBatch batch;
};

int read_friction_directions(nb::handle value, int tangent_dimension) {
  if (value.is_none()) return default_friction_directions(tangent_dimension);
  return static_cast<int>(
      read_integer("friction_directions", value, 2, std::numeric_limits<int>::max()));
}

BatchArguments read_batch(nb::handle mass_matrix, nb::handle normal_jacobian,
                          nb::handle tangent_jacobian, nb::handle friction, nb::handle velocity,
                          nb::handle active, nb::handle impulse_step,
                          nb::handle friction_directions) {
  BatchArguments in;
  in.mass_matrix = read_array("mass_matrix", mass_matrix);
  const Shape& mass = in.mass_matrix.shape;
  if (mass.size() != 3 || mass[1] != mass[2] || mass[1] == 0) {
    fail_shape("mass_matrix", mass, "B x nv x nv: problems x velocities x velocities");
  }
  const std::size_t size = mass[0];
  const std::size_t nv = mass[1];
  in.normal_jacobian = read_array("normal_jacobian", normal_jacobian);
  const Shape& normals = in.normal_jacobian.shape;
  if (normals.size() != 3 || normals[0] != size || normals[1] == 0 || normals[2] != nv) {
    fail_shape("normal_jacobian", normals,
               fmt::format("{} x m x {}: problems x contacts x velocities", size, nv));
  }
  const std::size_t m = normals[1];
  in.tangent_jacobian = read_array("tangent_jacobian", tangent_jacobian);
  const Shape& tangents = in.tangent_jacobian.shape;
  if (tangents.size() != 3 || tangents[0] != size || tangents[2] != nv ||
      (tangents[1] != m && tangents[1] != 2 * m)) {
    fail_shape("tangent_jacobian", tangents,
               fmt::format("{} x {} x {} in the plane, {} x {} x {} in space", size, m, nv, size,
                           2 * m, nv));
  }
  in.friction = read_array("friction", friction);
  require_shape("friction", in.friction.shape, {size, m}, "problems x contacts");
  in.velocity = read_array("pre_impact_velocity", velocity);
  require_shape("pre_impact_velocity", in.velocity.shape, {size, nv}, "problems x velocities");
  ImpactBatch& batch = in.batch;
  if (!active.is_none()) {
    in.active = read_flags("active", active);
    require_shape("active", in.active.shape, {size, m}, "problems x contacts");
    batch.active = in.active.data;
  }
  if (!impulse_step.is_none()) {
    in.steps = read_array("impulse_step", impulse_step);
    if (!in.steps.shape.empty()) {
      require_shape("impulse_step", in.steps.shape, {size}, "one per problem, or a number for all");
    }
    batch.impulse_step = {in.steps.data, in.steps.shape.empty() ? 1 : size};
  }
  batch.size = size;
  batch.velocities = static_cast<int>(nv);
  batch.contacts = static_cast<int>(m);
  batch.tangent_dimension = static_cast<int>(tangents[1] / m);
  batch.friction_directions =
      read_friction_directions(friction_directions, batch.tangent_dimension);
  batch.mass_matrix = in.mass_matrix.data;
  batch.normal_jacobian = in.normal_jacobian.data;
  batch.tangent_jacobian = in.tangent_jacobian.data;
  batch.friction = in.friction.data;
  batch.pre_impact_velocity = in.velocity.data;
  return in;
}

SampleSet update(const ImpactLaw& law, nb::object step, nb::object mass_matrix,
                 nb::object normal_jacobian, nb::object tangent_jacobian, nb::object friction,
                 nb::object velocity, nb::object active, nb::object impulse_step,
                 nb::object friction_directions, nb::object first, nb::object progress) {
  constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t step_number = read_integer("step", step, 0, any_count);
  const std::uint64_t first_index = read_integer("first", first, 0, any_count);
  const BatchArguments in = read_batch(mass_matrix, normal_jacobian, tangent_jacobian, friction,
                                       velocity, active, impulse_step, friction_directions);
  const bool shown = shows_progress(progress);
  return long_call([&](const std::function<bool()>& stop) {
    ProgressBar bar(0, in.batch.size, shown);
    return law(step_number, in.batch, first_index, [&](std::uint64_t done, std::uint64_t) {
      bar.update(done, done);
      return !stop();
    });
  });
}

}  // namespace

void bind_impact_law(nb::module_& module) {
  nb::class_<ImpactLaw>(module, "ImpactLaw", "See carom.ImpactLaw.")
      .def(
          "__init__",
          [](ImpactLaw* self, nb::dict options) {
            new (self) ImpactLaw(impact_law_options(std::move(options)));
          },
          "options"_a)
      .def("__call__", &update, "step"_a, "mass_matrix"_a, "normal_jacobian"_a,
           "tangent_jacobian"_a, "friction"_a, "pre_impact_velocity"_a, "active"_a.none(),
           "impulse_step"_a.none(), "friction_directions"_a.none(), "first"_a, "progress"_a.none());
}

}  // namespace carom::python
