#include "carom/impact_law.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  std::vector<double> one_friction;  ///< of each contact, where one number is given
  ImpactBatch batch;
};

/// Reads matrices, one for all problems or one each, and says which.
/// @param rule of the shape of all of them
ArrayArgument<double> read_matrices(const char* name, nb::handle value, std::size_t size,
                                    bool& one, const std::string& rule) {
  ArrayArgument<double> read = read_array(name, value);
  one = read.shape.size() == 2;
  if (!one && (read.shape.size() != 3 || read.shape[0] != size)) fail_shape(name, read.shape, rule);
  return read;
}

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
  ImpactBatch& batch = in.batch;
  in.velocity = read_array("pre_impact_velocity", velocity);
  const Shape& velocities = in.velocity.shape;
  if (velocities.size() != 2 || velocities[1] == 0) {
    fail_shape("pre_impact_velocity", velocities, "B x nv: problems x velocities");
  }
  const std::size_t size = velocities[0];
  const std::size_t nv = velocities[1];
  const auto last = [](const Shape& shape, std::size_t i) { return shape[shape.size() - i]; };
  const std::string mass_rule = fmt::format(
      "{0} x {1} x {1}: problems x velocities x velocities, or {1} x {1} for all", size, nv);
  in.mass_matrix =
      read_matrices("mass_matrix", mass_matrix, size, batch.one_mass_matrix, mass_rule);
  const Shape& mass = in.mass_matrix.shape;
  if (last(mass, 1) != nv || last(mass, 2) != nv) fail_shape("mass_matrix", mass, mass_rule);
  const std::string normal_rule = fmt::format(
      "{0} x m x {1}: problems x contacts x velocities, or m x {1} for all", size, nv);
  in.normal_jacobian = read_matrices("normal_jacobian", normal_jacobian, size,
                                     batch.one_normal_jacobian, normal_rule);
  const Shape& normals = in.normal_jacobian.shape;
  const std::size_t m = last(normals, 2);
  if (m == 0 || last(normals, 1) != nv) fail_shape("normal_jacobian", normals, normal_rule);
  const std::string tangent_rule =
      fmt::format("{0} x {1} x {2} in the plane, {0} x {3} x {2} in space, or without {0} for all",
                  size, m, nv, 2 * m);
  in.tangent_jacobian = read_matrices("tangent_jacobian", tangent_jacobian, size,
                                      batch.one_tangent_jacobian, tangent_rule);
  const Shape& tangents = in.tangent_jacobian.shape;
  const std::size_t rows = last(tangents, 2);
  if (last(tangents, 1) != nv || (rows != m && rows != 2 * m)) {
    fail_shape("tangent_jacobian", tangents, tangent_rule);
  }
  in.friction = read_array("friction", friction);
  batch.one_friction = in.friction.shape.size() < 2;
  if (in.friction.shape.empty()) {
    in.one_friction.assign(m, *in.friction.data);
  } else if (in.friction.shape != Shape{m}) {
    require_shape("friction", in.friction.shape, {size, m},
                  "problems x contacts, or one per contact, or a number for all");
  }
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
  batch.tangent_dimension = static_cast<int>(rows / m);
  batch.friction_directions =
      read_friction_directions(friction_directions, batch.tangent_dimension);
  batch.mass_matrix = in.mass_matrix.data;
  batch.normal_jacobian = in.normal_jacobian.data;
  batch.tangent_jacobian = in.tangent_jacobian.data;
  batch.friction = in.one_friction.empty() ? in.friction.data : in.one_friction.data();
  batch.pre_impact_velocity = in.velocity.data;
  return in;
}

/// Where the velocities go, besides the SampleSet: the caller's own array.
class Target {
 public:
  /// @throws InputError unless `out` is None or a writable array of this shape
  Target(nb::handle out, const ImpactBatch& batch) {
    if (out.is_none()) return;
    if (take(out, single_, batch) || take(out, double_, batch)) return;
    throw InputError(
        fmt::format("out must be a writable array of {} x {} numbers, float32 or float64, row by "
                    "row in one piece on the CPU",
                    batch.size, batch.velocities));
  }

  void write(const std::vector<double>& velocity) const {
    if (single_.is_valid()) std::copy(velocity.begin(), velocity.end(), single_.data());
    if (double_.is_valid()) std::copy(velocity.begin(), velocity.end(), double_.data());
  }

 private:
  template <class Number>
  using Array = nb::ndarray<Number, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  template <class Number>
  static bool take(nb::handle out, Array<Number>& array, const ImpactBatch& batch) {
    constexpr bool convert = false;
    return nb::try_cast(out, array, convert) && array.shape(0) == batch.size &&
           array.shape(1) == static_cast<std::size_t>(batch.velocities);
  }

  Array<float> single_;
  Array<double> double_;
};

SampleSet update(const ImpactLaw& law, nb::object step, nb::object mass_matrix,
                 nb::object normal_jacobian, nb::object tangent_jacobian, nb::object friction,
                 nb::object velocity, nb::object active, nb::object impulse_step,
                 nb::object friction_directions, nb::object first, nb::object out,
                 nb::object progress) {
  constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t step_number = read_integer("step", step, 0, any_count);
  const std::uint64_t first_index = read_integer("first", first, 0, any_count);
  const BatchArguments in = read_batch(mass_matrix, normal_jacobian, tangent_jacobian, friction,
                                       velocity, active, impulse_step, friction_directions);
  const Target target(out, in.batch);
  const bool shown = shows_progress(progress);
  SampleSet outcomes = long_call([&](const std::function<bool()>& stop) {
    ProgressBar bar(0, in.batch.size, shown);
    return law(step_number, in.batch, first_index, [&](std::uint64_t done, std::uint64_t) {
      bar.update(done, done);
      return !stop();
    });
  });
  target.write(outcomes.velocity);
  return outcomes;
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
           "impulse_step"_a.none(), "friction_directions"_a.none(), "first"_a,
           "out"_a.none(), "progress"_a.none());
}

}  // namespace carom::python
