#include "python/bindings/batch_arguments.hpp"

#include <fmt/format.h>

#include <limits>

#include "carom/error.hpp"
#include "carom/impact_problem.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using Shape = std::vector<std::size_t>;

[[noreturn]] void fail_shape(const char* name, const Shape& found, const std::string& rule) {
  throw InputError(fmt::format("{} is {} (must be {})", name, shape_text(found), rule));
}

void require_shape(const char* name, const Shape& found, const Shape& wanted,
                   const std::string& meaning) {
  if (found == wanted) return;
  fail_shape(name, found, fmt::format("{}: {}", shape_text(wanted), meaning));
}

/// Whether an array is that of all problems: it has no axis of problems, or, as NumPy broadcasts,
/// one of length 1.
bool is_of_all(const Shape& shape, std::size_t axes, std::size_t size) {
  return shape.size() == axes || (shape.size() == axes + 1 && shape[0] == 1 && size != 1);
}

/// Reads matrices, one for all problems or one each, and says which.
/// @param rule of the shape of all of them
ArrayArgument<double> read_matrices(const ArrayReader& read, const char* name, nb::handle value,
                                    std::size_t size, bool& one, const std::string& rule) {
  ArrayArgument<double> found = read.numbers(name, value);
  one = is_of_all(found.shape, 2, size);
  if (!one && (found.shape.size() != 3 || found.shape[0] != size)) {
    fail_shape(name, found.shape, rule);
  }
  return found;
}

/// Reads coefficients of all contacts, of each or of each in each problem, and says whether all
/// problems share them.
CoefficientArguments read_coefficients(const ArrayReader& read, const char* name, nb::handle value,
                                       std::size_t size, std::size_t contacts, bool& one) {
  CoefficientArguments in;
  in.given = read.numbers(name, value);
  one = in.given.shape.empty() || is_of_all(in.given.shape, 1, size);
  if (in.given.shape.empty() && read.sees_numbers()) {
    in.repeated.assign(contacts, *in.given.data);
  } else if (in.given.shape == Shape{size, 1} && contacts > 1 && read.sees_numbers()) {
    one = false;
    for (std::size_t i = 0; i < size * contacts; ++i) {
      in.repeated.push_back(in.given.data[i / contacts]);
    }
  } else if (!one || in.given.shape.empty() || in.given.shape.back() != contacts) {
    require_shape(name, in.given.shape, {size, contacts},
                  read.sees_numbers()
                      ? fmt::format("problems x contacts, {} x 1: one per problem, {}: one per "
                                    "contact, or a number for all",
                                    size, contacts)
                      : std::string("problems x contacts, or one per contact"));
  }
  return in;
}

/// Checks coefficients that all problems share, but for contacts that are active in none.
void check_shared(const ArrayReader& read, const char* name, const CoefficientArguments& in,
                  bool one, double greatest, const ImpactBatch& batch) {
  const auto contacts = static_cast<std::size_t>(batch.contacts);
  for (std::size_t i = 0; one && read.sees_numbers() && i < contacts; ++i) {
    bool is_active = batch.active == nullptr && batch.size > 0;
    for (std::size_t p = 0; batch.active != nullptr && p < batch.size && !is_active; ++p) {
      is_active = batch.active[p * contacts + i] != 0;
    }
    const double number = in.data()[i];
    if (!is_active || (number >= 0.0 && number <= greatest)) continue;
    throw InputError(fmt::format("{} is {} for all problems (must be from 0 to {})", name, number,
                                 greatest));
  }
}

int read_friction_directions(nb::handle value, int tangent_dimension) {
  if (value.is_none()) return default_friction_directions(tangent_dimension);
  return static_cast<int>(
      read_integer("friction_directions", value, 2, std::numeric_limits<int>::max()));
}

}  // namespace

BatchArguments read_batch(const ArrayReader& read, nb::handle mass_matrix,
                          nb::handle normal_jacobian, nb::handle tangent_jacobian,
                          nb::handle friction, nb::handle velocity, nb::handle restitution,
                          nb::handle active, nb::handle impulse_step,
                          nb::handle friction_directions) {
  BatchArguments in;
  ImpactBatch& batch = in.batch;
  in.velocity = read.numbers("pre_impact_velocity", velocity);
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
      read_matrices(read, "mass_matrix", mass_matrix, size, batch.one_mass_matrix, mass_rule);
  const Shape& mass = in.mass_matrix.shape;
  if (last(mass, 1) != nv || last(mass, 2) != nv) fail_shape("mass_matrix", mass, mass_rule);
  const std::string normal_rule =
      fmt::format("{0} x m x {1}: problems x contacts x velocities, or m x {1} for all", size, nv);
  in.normal_jacobian = read_matrices(read, "normal_jacobian", normal_jacobian, size,
                                     batch.one_normal_jacobian, normal_rule);
  const Shape& normals = in.normal_jacobian.shape;
  const std::size_t m = last(normals, 2);
  if (m == 0) {
    fail_shape("normal_jacobian", normals,
               normal_rule + "; at least 1 contact: without one, no velocity changes");
  }
  if (last(normals, 1) != nv) fail_shape("normal_jacobian", normals, normal_rule);
  const std::string tangent_rule =
      fmt::format("{0} x {1} x {2} in the plane, {0} x {3} x {2} in space, or without {0} for all",
                  size, m, nv, 2 * m);
  in.tangent_jacobian = read_matrices(read, "tangent_jacobian", tangent_jacobian, size,
                                      batch.one_tangent_jacobian, tangent_rule);
  const Shape& tangents = in.tangent_jacobian.shape;
  const std::size_t rows = last(tangents, 2);
  if (last(tangents, 1) != nv || (rows != m && rows != 2 * m)) {
    fail_shape("tangent_jacobian", tangents, tangent_rule);
  }
  in.friction = read_coefficients(read, "friction", friction, size, m, batch.one_friction);
  if (!restitution.is_none()) {
    in.restitution =
        read_coefficients(read, "restitution", restitution, size, m, batch.one_restitution);
    batch.restitution = in.restitution.data();
  }
  if (!active.is_none()) {
    in.active = read.flags("active", active);
    require_shape("active", in.active.shape, {size, m}, "problems x contacts");
    batch.active = in.active.data;
  }
  if (!impulse_step.is_none()) {
    in.steps = read.numbers("impulse_step", impulse_step);
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
  batch.friction = in.friction.data();
  batch.pre_impact_velocity = in.velocity.data;
  check_shared(read, "friction", in.friction, batch.one_friction, greatest_friction(), batch);
  if (batch.restitution != nullptr) {
    check_shared(read, "restitution", in.restitution, batch.one_restitution, 1.0, batch);
  }
  return in;
}

}  // namespace carom::python
