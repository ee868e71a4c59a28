#include "carom/planar_world.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "host/base/field_error.hpp"
#include "host/roll/planar_mechanism.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/mechanisms/planar.hpp"

namespace carom {
namespace {

using Corners = std::vector<Eigen::Vector2d>;

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return a.x() * b.y() - a.y() * b.x();
}

/// Area, centre and second moment of area about the centre of a polygon.
struct PolygonMoments {
  double area = 0.0;
  Eigen::Vector2d centre{0.0, 0.0};
  double second = 0.0;
};

PolygonMoments moments_of(const Corners& corners) {
  PolygonMoments moments;
  const Eigen::Vector2d origin = corners.front();
  double second = 0.0;
  Eigen::Vector2d sum(0.0, 0.0);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2d a = corners[i] - origin;
    const Eigen::Vector2d b = corners[(i + 1) % corners.size()] - origin;
    const double twice = cross(a, b);
    moments.area += twice / 2.0;
    sum += twice / 6.0 * (a + b);
    second += twice / 12.0 * (a.squaredNorm() + a.dot(b) + b.squaredNorm());
  }
  const Eigen::Vector2d offset = sum / moments.area;
  moments.centre = origin + offset;
  moments.second = second - moments.area * offset.squaredNorm();
  return moments;
}

[[noreturn]] void fail(const std::string& place, const std::string& rule) {
  throw FieldError("problem", fmt::format("{} {}", place, rule));
}

void require_finite(const std::string& place, const char* what, const Eigen::VectorXd& values) {
  if (!values.allFinite()) fail(place, fmt::format("has a {} that is no number", what));
}

void require_positive(const std::string& place, const char* what, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  fail(place, fmt::format("has {} {} (must be > 0 and finite)", what, value));
}

void require_convex(const std::string& place, const Corners& corners) {
  constexpr std::size_t least = 3;
  if (corners.size() < least) {
    fail(place, fmt::format("has {} corners (must be at least 3)", corners.size()));
  }
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2d& here = corners[i];
    const Eigen::Vector2d& next = corners[(i + 1) % corners.size()];
    const Eigen::Vector2d& after = corners[(i + 2) % corners.size()];
    if (!(cross(next - here, after - next) > 0.0)) {
      fail(place, fmt::format("does not turn left at corner {} (corners must be those of a convex "
                              "polygon, counter-clockwise)",
                              (i + 1) % corners.size() + 1));
    }
  }
}

void validate_body(const std::string& place, PlanarBody& body) {
  require_positive(place, "mass", body.mass);
  require_finite(place, "position", body.position);
  require_finite(place, "velocity", body.velocity);
  double evenly = 0.0;
  if (body.corners.empty()) {
    require_positive(place, "radius", body.radius);
    evenly = 0.5 * body.mass * body.radius * body.radius;
  } else {
    for (const Eigen::Vector2d& corner : body.corners) require_finite(place, "corner", corner);
    require_convex(place, body.corners);
    const PolygonMoments moments = moments_of(body.corners);
    require_positive(place, "area", moments.area);
    // Rounding must not move a polygon that is centred already.
    constexpr double rounding = 1e-12;
    if (moments.centre.norm() > rounding * std::sqrt(moments.area)) {
      for (Eigen::Vector2d& corner : body.corners) corner -= moments.centre;
    }
    evenly = body.mass * moments.second / moments.area;
  }
  if (!body.inertia) body.inertia = evenly;
  require_positive(place, "inertia", *body.inertia);
}

void require_friction(const std::string& place, double friction) {
  if (friction >= 0.0 && std::isfinite(friction)) return;
  fail(place, fmt::format("has friction {} (must be >= 0 and finite)", friction));
}

}  // namespace

PlanarWorld validated(PlanarWorld world) {
  if (world.bodies.empty()) throw FieldError("problem", "body is missing (must be at least one)");
  if (world.bodies.size() > static_cast<std::size_t>(max_bodies)) {
    throw FieldError("problem", fmt::format("{} bodies are given (must be at most {})",
                                            world.bodies.size(), max_bodies));
  }
  require_finite("the world", "gravity", world.gravity);
  require_friction("the world", world.friction);
  if (world.restitution && !(*world.restitution >= 0.0 && *world.restitution <= 1.0)) {
    fail("the world", fmt::format("has restitution {} (must be from 0 to 1)", *world.restitution));
  }
  std::set<std::string> names;
  const auto require_name = [&](std::string& name, const char* kind, std::size_t number) {
    if (name.empty()) name = fmt::format("{} {}", kind, number + 1);
    if (!names.insert(name).second) {
      fail(fmt::format("\"{}\"", name), "is the name of two bodies or floors (must be unique)");
    }
  };
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    PlanarBody& body = world.bodies[i];
    require_name(body.name, "body", i);
    validate_body(fmt::format("body \"{}\"", body.name), body);
  }
  for (std::size_t i = 0; i < world.floors.size(); ++i) {
    PlanarFloor& floor = world.floors[i];
    require_name(floor.name, "floor", i);
    const std::string place = fmt::format("floor \"{}\"", floor.name);
    require_finite(place, "point", floor.point);
    require_positive(place, "a normal of length", floor.normal.norm());
    const double length = floor.normal.norm();
    if (length != 1.0) floor.normal /= length;
    if (!floor.friction) floor.friction = world.friction;
    require_friction(place, *floor.friction);
  }
  const PlanarArrays arrays(world);
  if (arrays.view().pairs == 0) {
    throw FieldError("problem", "nothing can touch (must have a floor or a second body)");
  }
  if (arrays.view().pairs > max_pairs) {
    throw FieldError("problem", fmt::format("{} pairs of corners, bodies and floors can touch "
                                            "(must be at most {})",
                                            arrays.view().pairs, max_pairs));
  }
  return world;
}

std::vector<std::string> pair_names(const PlanarWorld& world) {
  return PlanarArrays(world).names();
}

std::vector<double> gaps(const PlanarWorld& world) {
  const PlanarArrays arrays(world);
  const PlanarMechanism mechanism{arrays.view()};
  PlanarMechanism::Pose pose;
  mechanism.place(arrays.position().data(), pose);
  std::vector<double> result;
  for (int i = 0; i < mechanism.pairs(); ++i) result.push_back(mechanism.touch(pose, i).gap);
  return result;
}

std::vector<std::string> coordinate_names(const PlanarWorld& world) {
  std::vector<std::string> names;
  for (const PlanarBody& body : world.bodies) {
    const std::string prefix = world.bodies.size() == 1 ? "" : body.name + ".";
    for (const char* name : {"x", "y", "angle"}) names.push_back(prefix + name);
  }
  return names;
}

PlanarArrays::PlanarArrays(const PlanarWorld& world) {
  for (const PlanarFloor& floor : world.floors) {
    surfaces_.push_back({.kind = SurfaceKind::half_plane,
                         .body = -1,
                         .normal = {floor.normal.x(), floor.normal.y()},
                         .offset = floor.normal.dot(floor.point)});
  }
  const auto floors = static_cast<int>(surfaces_.size());
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const PlanarBody& body = world.bodies[i];
    mass_.insert(mass_.end(), {body.mass, *body.inertia});
    for (int k = 0; k < 3; ++k) {
      position_.push_back(body.position(k));
      velocity_.push_back(body.velocity(k));
    }
    const bool is_disc = body.corners.empty();
    surfaces_.push_back({.kind = is_disc ? SurfaceKind::disc : SurfaceKind::polygon,
                         .body = static_cast<int>(i),
                         .radius = body.radius,
                         .first_vertex = static_cast<int>(vertices_.size() / 2),
                         .vertices = static_cast<int>(body.corners.size())});
    for (const Eigen::Vector2d& corner : body.corners) {
      vertices_.insert(vertices_.end(), {corner.x(), corner.y()});
    }
  }
  // A disc's centre, with its radius, or each corner, and a surface.
  const auto add_points = [&](std::size_t i, int surface, double friction,
                              const std::string& other) {
    const PlanarBody& body = world.bodies[i];
    const auto at = static_cast<int>(i);
    if (body.corners.empty()) {
      add_pair({at, {0.0, 0.0}, body.radius, surface, friction}, body.name + " " + other);
    }
    for (std::size_t c = 0; c < body.corners.size(); ++c) {
      add_pair({at, {body.corners[c].x(), body.corners[c].y()}, 0.0, surface, friction},
               fmt::format("{} {} {}", body.name, c + 1, other));
    }
  };
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    for (std::size_t f = 0; f < world.floors.size(); ++f) {
      add_points(i, static_cast<int>(f), *world.floors[f].friction, world.floors[f].name);
    }
  }
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool disc = world.bodies[i].corners.empty();
      const bool other_disc = world.bodies[j].corners.empty();
      const auto surface_of = [&](std::size_t body) { return floors + static_cast<int>(body); };
      // Of a disc and a polygon, the disc is the point; both corners count of two polygons.
      if (disc || !other_disc) {
        add_points(i, surface_of(j), world.friction, world.bodies[j].name);
      }
      if (!disc) add_points(j, surface_of(i), world.friction, world.bodies[i].name);
    }
  }
  view_ = {static_cast<int>(world.bodies.size()),
           static_cast<int>(contacts_.size()),
           mass_.data(),
           vertices_.data(),
           surfaces_.data(),
           contacts_.data(),
           {world.gravity.x(), world.gravity.y()}};
}

void PlanarArrays::add_pair(const PlanarContactView& contact, std::string name) {
  contacts_.push_back(contact);
  names_.push_back(std::move(name));
}

}  // namespace carom
