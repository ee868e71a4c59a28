#include "host/roll/body_length.hpp"

#include <algorithm>
#include <variant>
#include <vector>

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

const std::vector<Eigen::Vector2d>& points_of(const PlanarBody& body) {
  return body.points ? *body.points : body.corners;
}
auto points_of(const SpatialBody& body) { return body.touching_points(); }

/// @param radii how much of a body's radius counts: 1 or 0
ShortestBody shortest(const RigidWorld& world, double radii) {
  ShortestBody found;
  std::visit(
      [&](const auto& its) {
        for (const auto& body : its.bodies) {
          const double length = length_of(points_of(body), radii * body.radius);
          if (length > 0.0 && length < found.length) found = {body.name, length};
        }
      },
      world);
  return found;
}

}  // namespace

ShortestBody shortest_body(const RigidWorld& world) { return shortest(world, 1.0); }
ShortestBody shortest_base(const RigidWorld& world) { return shortest(world, 0.0); }

}  // namespace carom
