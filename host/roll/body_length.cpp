#include "host/roll/body_length.hpp"

#include <algorithm>
#include <variant>

namespace carom {
namespace {

/// The greatest distance of two points of a shape; 0: it is a single point.
template <class Points>
double length_of(const Points& points, double radius) {
  double longest = 0.0;
  for (const auto& a : points) {
    for (const auto& b : points) longest = std::max(longest, (a - b).norm());
  }
  return longest + 2.0 * radius;
}

double length_of(const PlanarBody& body) {
  return length_of(body.points ? *body.points : body.corners, body.radius);
}

double length_of(const SpatialBody& body) { return length_of(body.touching_points(), body.radius); }

}  // namespace

ShortestBody shortest_body(const RigidWorld& world) {
  ShortestBody shortest;
  std::visit(
      [&](const auto& its) {
        for (const auto& body : its.bodies) {
          const double length = length_of(body);
          if (length > 0.0 && length < shortest.length) shortest = {body.name, length};
        }
      },
      world);
  return shortest;
}

}  // namespace carom
