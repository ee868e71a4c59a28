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

/// What a rule is about.
struct WorldPlace {
  std::string words;  ///< of messages: body "foot"
  std::string path;   ///< of a FieldError: "body[0]"
};

/// The place of a named body or floor.
/// @param number from 0 on
inline WorldPlace world_place(const char* kind, std::size_t number, const std::string& name) {
  return {fmt::format("{} \"{}\"", kind, name), fmt::format("{}[{}]", kind, number)};
}

/// @param key of the place, if a file may state it there
[[noreturn]] inline void fail_world(const WorldPlace& place, const std::string& rule,
                                    const std::string& key = {}) {
  throw FieldError(key.empty() ? place.path : place.path + "." + key,
                   fmt::format("{} {}", place.words, rule));
}

template <class Vector>
void demand_finite(const WorldPlace& place, const char* what, const Vector& values) {
  if (!values.allFinite())
    fail_world(place, fmt::format("has an entry of {} that is no number (must be finite)", what),
               what);
}

/// @param key of the place; null: `what` is the key
inline void demand_positive(const WorldPlace& place, const char* what, double value,
                            const char* key = nullptr) {
  if (value > 0.0 && std::isfinite(value)) return;
  fail_world(place, fmt::format("has {} {} (must be > 0 and finite)", what, value),
             key == nullptr ? what : key);
}

inline void demand_not_negative(const WorldPlace& place, const char* what, double value) {
  if (value >= 0.0 && std::isfinite(value)) return;
  fail_world(place, fmt::format("has {} {} (must be >= 0 and finite)", what, value), what);
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
  WorldPlace require(std::string& name, const char* kind, std::size_t number) {
    if (name.empty()) name = fmt::format("{} {}", kind, number + 1);
    WorldPlace place = world_place(kind, number, name);
    if (!names_.insert(name).second) {
      fail_world(place, "has the name of another body or floor (must be unique)", "name");
    }
    return place;
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
  const WorldPlace place{"the world", "world"};
  demand_finite(place, "gravity", world.gravity);
  demand_not_negative(place, "friction", world.friction);
  if (world.restitution && !(*world.restitution >= 0.0 && *world.restitution <= 1.0)) {
    fail_world(place, fmt::format("has restitution {} (must be from 0 to 1)", *world.restitution));
  }
}

/// Completes the floors: names, unit normals and frictions.
template <class World>
void complete_floors(World& world, WorldNames& names) {
  for (std::size_t i = 0; i < world.floors.size(); ++i) {
    auto& floor = world.floors[i];
    const WorldPlace place = names.require(floor.name, "floor", i);
    demand_finite(place, "point", floor.point);
    demand_positive(place, "a normal of length", floor.normal.norm(), "normal");
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
