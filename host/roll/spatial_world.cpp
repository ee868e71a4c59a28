#include "carom/spatial_world.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "host/problem/decompositions.hpp"
#include "host/roll/spatial_mechanism.hpp"
#include "host/roll/world_rules.hpp"
#include "kernels/problem/problem_arrays.hpp"

namespace carom {
namespace {

/// The inertia of mass that is spread evenly over a ball or a box.
Eigen::Matrix3d even_inertia(const SpatialBody& body) {
  if (body.is_ball())
    return 0.4 * body.mass * body.radius * body.radius * Eigen::Matrix3d::Identity();
  const Eigen::Vector3d squares = body.size->cwiseAbs2();
  const double twelfth = body.mass / 12.0;
  return Eigen::Vector3d(twelfth * (squares.y() + squares.z()),
                         twelfth * (squares.x() + squares.z()),
                         twelfth * (squares.x() + squares.y()))
      .asDiagonal();
}

/// @throws InputError unless some spread of mass has this inertia
void check_inertia(const WorldPlace& place, const Eigen::Matrix3d& inertia) {
  constexpr double rounding = 1e-9;
  demand_finite(place, "inertia", inertia);
  if (!inertia.isApprox(inertia.transpose(), rounding)) {
    fail_world(place, "has an inertia that is not symmetric (must be)");
  }
  const Eigen::Vector3d moments = eigenvalues(inertia);
  if (!(moments(0) > 0.0)) {
    fail_world(place,
               fmt::format("has a principal moment of inertia {} (must be > 0)", moments(0)));
  }
  if (moments(2) > (moments(0) + moments(1)) * (1.0 + rounding)) {
    fail_world(place, fmt::format("has principal moments of inertia {}, {} and {} (none must be "
                                  "above the sum of the others)",
                                  moments(0), moments(1), moments(2)));
  }
}

void complete_body(const WorldPlace& place, SpatialBody& body) {
  demand_positive(place, "mass", body.mass);
  demand_finite(place, "position", body.position);
  demand_finite(place, "orientation", body.orientation.coeffs());
  demand_finite(place, "velocity", body.velocity);
  demand_finite(place, "angular velocity", body.angular_velocity);
  if (body.size) {
    for (const double extent : *body.size) demand_positive(place, "a size of", extent, "size");
    if (!body.points.empty()) fail_world(place, "has size and points (must have one of them)");
    if (body.radius != 0.0) fail_world(place, "has size and radius (must have one of them)");
  }
  for (const Eigen::Vector3d& point : body.points) demand_finite(place, "point", point);
  if (body.is_ball()) {
    demand_positive(place, "radius", body.radius);
  } else {
    demand_not_negative(place, "radius", body.radius);
  }
  if (!body.inertia && !body.points.empty()) {
    fail_world(place, "has points, but no inertia (must be stated)");
  }
  if (!body.inertia) body.inertia = even_inertia(body);
  check_inertia(place, *body.inertia);
  demand_positive(place, "a quaternion of length", body.orientation.norm(), "quaternion");
  make_unit(body.orientation.coeffs());
}

}  // namespace

std::vector<Eigen::Vector3d> SpatialBody::touching_points() const {
  if (is_ball()) return {Eigen::Vector3d::Zero()};
  if (!size) return points;
  std::vector<Eigen::Vector3d> corners;
  const Eigen::Vector3d half = 0.5 * *size;
  for (const double z : {-1.0, 1.0}) {
    for (const auto& [x, y] : {std::pair(-1.0, -1.0), {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
      corners.emplace_back(x * half.x(), y * half.y(), z * half.z());
    }
  }
  return corners;
}

SpatialWorld validated(SpatialWorld world) {
  check_medium(world, max_spatial_bodies);
  if (!directions_suit(2, world.friction_directions)) {
    fail_world({"the world", "problem.friction_directions"},
               fmt::format("has friction_directions {} (must be even and >= 4)",
                           world.friction_directions));
  }
  WorldNames names;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    SpatialBody& body = world.bodies[i];
    complete_body(names.require(body.name, "body", i), body);
  }
  complete_floors(world, names);
  check_pairs(SpatialArrays(world).view().pairs, "points and floors", "a floor");
  return world;
}

void SpatialArrays::add_body(const SpatialBody& body) {
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  SpatialBodyView& its = bodies_.emplace_back();
  its.mass = body.mass;
  const Eigen::Matrix3d inertia = 0.5 * (*body.inertia + body.inertia->transpose());
  Eigen::Map<RowMajor>(its.inertia) = inertia;
  Eigen::Map<RowMajor>(its.inverse) = inertia.inverse();
  const Eigen::Matrix3d even = inertia(0, 0) * Eigen::Matrix3d::Identity();
  view_.uneven = view_.uneven || inertia != even;
  its.is_round = std::ranges::all_of(
      body.touching_points(), [](const Eigen::Vector3d& point) { return point.isZero(0.0); });
  position_.insert(position_.end(), body.position.begin(), body.position.end());
  const Eigen::Quaterniond& turn = body.orientation;
  position_.insert(position_.end(), {turn.w(), turn.x(), turn.y(), turn.z()});
  velocity_.insert(velocity_.end(), body.velocity.begin(), body.velocity.end());
  velocity_.insert(velocity_.end(), body.angular_velocity.begin(), body.angular_velocity.end());
}

void SpatialArrays::add_surface(const SpatialFloor& floor) {
  // The first tangent is nearest to the first axis that lies flattest: x of a floor, y of a wall
  // along x.
  Eigen::Index flattest = 0;
  for (const Eigen::Index axis : {1, 2}) {
    if (std::abs(floor.normal(axis)) < std::abs(floor.normal(flattest))) flattest = axis;
  }
  const Eigen::Vector3d axis = Eigen::Vector3d::Unit(flattest);
  const Eigen::Vector3d first = (axis - floor.normal(flattest) * floor.normal).normalized();
  const Eigen::Vector3d second = floor.normal.cross(first);
  SpatialSurfaceView& its = surfaces_.emplace_back();
  Eigen::Map<Eigen::Vector3d>(its.normal) = floor.normal;
  Eigen::Map<Eigen::Vector3d>(its.tangent[0]) = first;
  Eigen::Map<Eigen::Vector3d>(its.tangent[1]) = second;
  its.offset = floor.normal.dot(floor.point);
}

SpatialArrays::SpatialArrays(const SpatialWorld& world) {
  for (const SpatialBody& body : world.bodies) add_body(body);
  for (const SpatialFloor& floor : world.floors) add_surface(floor);
  for (std::size_t b = 0; b < world.bodies.size(); ++b) {
    const SpatialBody& body = world.bodies[b];
    const std::vector<Eigen::Vector3d> points = body.touching_points();
    for (std::size_t f = 0; f < world.floors.size(); ++f) {
      const SpatialFloor& floor = world.floors[f];
      for (std::size_t p = 0; p < points.size(); ++p) {
        contacts_.push_back({static_cast<int>(b),
                             {points[p].x(), points[p].y(), points[p].z()},
                             body.radius,
                             static_cast<int>(f),
                             floor.friction.value_or(world.friction)});
        names_.push_back(body.is_ball() ? fmt::format("{} {}", body.name, floor.name)
                                        : fmt::format("{} {} {}", body.name, p + 1, floor.name));
      }
    }
  }
  view_.bodies = static_cast<int>(bodies_.size());
  view_.pairs = static_cast<int>(contacts_.size());
  view_.surfaces = static_cast<int>(surfaces_.size());
  view_.body = bodies_.data();
  view_.surface = surfaces_.data();
  view_.contact = contacts_.data();
  for (int i = 0; i < 3; ++i) view_.gravity[i] = world.gravity(i);
}

}  // namespace carom
