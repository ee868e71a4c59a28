#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "host/base/field_error.hpp"
#include "kernels/mechanisms/limits.hpp"

/// Rules that worlds in the plane and in space share; each throws InputError naming the place.
namespace carom {

[[noreturn]] inline void fail_world(const std::string& place, const std::string& rule) {
  throw FieldError("problem", fmt::format("{} {}", place, rule));
}

template <class Vector>
void demand_finite(const std::string& place, const char* what, const Vector& values) {
  if (!values.allFinite()) fail_world(place, fmt::format("has a {} that is no number", what));
}

inline void demand_positive(const std::string& place, const char* what, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  fail_world(place, fmt::format("has {} {} (must be > 0 and finite)", what, value));
}

inline void demand_not_negative(const std::string& place, const char* what, double value) {
  if (value >= 0.0 && std::isfinite(value)) return;
  fail_world(place, fmt::format("has {} {} (must be >= 0 and finite)", what, value));
}

/// Divides a vector by its length, unless that was done before: then it is kept, bit for bit.
template <class Vector>
void make_unit(Vector& vector) {
  constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
  const double length = vector.norm();
  if (!(std::abs(length - 1.0) <= rounding)) vector /= length;
}

/// Names of bodies and floors, which differ.
class WorldNames {
 public:
  /// Gives what has no name its kind and number.
  void require(std::string& name, const char* kind, std::size_t number) {
    if (name.empty()) name = fmt::format("{} {}", kind, number + 1);
    if (names_.insert(name).second) return;
    fail_world(fmt::format("\"{}\"", name), "is the name of two bodies or floors (must be unique)");
  }

 private:
  std::set<std::string> names_;
};

template <class World>
void check_medium(const World& world, int most_bodies) {
  if (world.bodies.empty()) throw FieldError("problem", "body is missing (must be at least one)");
  if (world.bodies.size() > static_cast<std::size_t>(most_bodies)) {
    throw FieldError("problem", fmt::format("{} bodies are given (must be at most {})",
                                            world.bodies.size(), most_bodies));
  }
  demand_finite("the world", "gravity", world.gravity);
  demand_not_negative("the world", "friction", world.friction);
  if (world.restitution && !(*world.restitution >= 0.0 && *world.restitution <= 1.0)) {
    fail_world("the world",
               fmt::format("has restitution {} (must be from 0 to 1)", *world.restitution));
  }
}

/// Completes the floors: names, unit normals and frictions.
template <class World>
void complete_floors(World& world, WorldNames& names) {
  for (std::size_t i = 0; i < world.floors.size(); ++i) {
    auto& floor = world.floors[i];
    names.require(floor.name, "floor", i);
    const std::string place = fmt::format("floor \"{}\"", floor.name);
    demand_finite(place, "point", floor.point);
    demand_positive(place, "a normal of length", floor.normal.norm());
    make_unit(floor.normal);
    if (!floor.friction) floor.friction = world.friction;
    demand_not_negative(place, "friction", *floor.friction);
  }
}

/// @param what can touch, such as "corners, bodies and floors"
/// @param rule what a world without pairs lacks
inline void check_pairs(int pairs, const char* what, const char* rule) {
  if (pairs == 0)
    throw FieldError("problem", fmt::format("nothing can touch (must have {})", rule));
  if (pairs <= max_pairs) return;
  throw FieldError("problem", fmt::format("{} pairs of {} can touch (must be at most {})", pairs,
                                          what, max_pairs));
}

}  // namespace carom
