#include "carom/planar_world.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/problem/decompositions.hpp"
#include "host/roll/planar_mechanism.hpp"
#include "host/roll/world_rules.hpp"
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

void require_convex(const WorldPlace& place, const Corners& corners) {
  constexpr std::size_t least = 3;
  if (corners.size() < least) {
    fail_world(place, fmt::format("has {} corners (must be at least 3)", corners.size()));
  }
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2d& here = corners[i];
    const Eigen::Vector2d& next = corners[(i + 1) % corners.size()];
    const Eigen::Vector2d& after = corners[(i + 2) % corners.size()];
    if (!(cross(next - here, after - next) > 0.0)) {
      fail_world(place,
                 fmt::format("does not turn left at corner {} (corners must be those of a convex "
                             "polygon, counter-clockwise)",
                             (i + 1) % corners.size() + 1));
    }
  }
}

void validate_points(const WorldPlace& place, const PlanarBody& body) {
  if (!body.corners.empty()) fail_world(place, "has corners and points (must have one of them)");
  for (const Eigen::Vector2d& point : *body.points) demand_finite(place, "point", point);
  demand_not_negative(place, "radius", body.radius);
  if (!body.inertia) fail_world(place, "has points, but no inertia (must be stated)");
  demand_not_negative(place, "inertia", *body.inertia);
}

/// @return by how much the origin of the body's coordinates moved to its centre of mass
Eigen::Vector2d validate_body(const WorldPlace& place, PlanarBody& body) {
  Eigen::Vector2d moved = Eigen::Vector2d::Zero();
  demand_positive(place, "mass", body.mass);
  demand_finite(place, "position", body.position);
  demand_finite(place, "velocity", body.velocity);
  if (body.points) {
    validate_points(place, body);
    return moved;
  }
  double evenly = 0.0;
  if (body.is_disc()) {
    demand_positive(place, "radius", body.radius);
    evenly = 0.5 * body.mass * body.radius * body.radius;
  } else {
    for (const Eigen::Vector2d& corner : body.corners) demand_finite(place, "corner", corner);
    require_convex(place, body.corners);
    const PolygonMoments moments = moments_of(body.corners);
    demand_positive(place, "area", moments.area);
    // Rounding must not move a polygon that is centred already.
    constexpr double rounding = 1e-12;
    if (moments.centre.norm() > rounding * std::sqrt(moments.area)) {
      moved = moments.centre;
      for (Eigen::Vector2d& corner : body.corners) corner -= moved;
    }
    evenly = body.mass * moments.second / moments.area;
  }
  if (!body.inertia) body.inertia = evenly;
  demand_positive(place, "inertia", *body.inertia);
  return moved;
}

/// The body that carries another one by a hinge.
std::size_t carrier_of(const PlanarWorld& world, std::size_t hinged) {
  const std::string& on = world.bodies[hinged].hinge->on;
  for (std::size_t i = 0; i < hinged; ++i) {
    if (world.bodies[i].name == on) return i;
  }
  fail_world(world_place("body", hinged, world.bodies[hinged].name),
             fmt::format("has a hinge on \"{}\" (must be the name of an earlier body)", on),
             "hinge");
}

void check_exclusions(const PlanarWorld& world) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const PlanarBody& body = world.bodies[i];
    for (const std::string& name : body.exclude) {
      const auto its = std::ranges::find(world.bodies, name, &PlanarBody::name);
      if (its != world.bodies.end() && &*its != &body) continue;
      fail_world(world_place("body", i, body.name),
                 fmt::format("excludes \"{}\" (must be the name of another body)", name),
                 "exclude");
    }
  }
}

bool exclude_each_other(const PlanarBody& one, const PlanarBody& other) {
  return std::ranges::find(one.exclude, other.name) != one.exclude.end() ||
         std::ranges::find(other.exclude, one.name) != other.exclude.end();
}

/// Position or velocity of the point where a body turns, and back: `factor` is 1 for a body's
/// coordinates to the hinge, -1 from there.
void add_lever(const PlanarBody& body, const Eigen::Vector2d& point, double factor,
               Eigen::Vector3d& position, Eigen::Vector3d& velocity) {
  const Eigen::Vector2d lever = Eigen::Rotation2Dd(body.position(2)) * point;
  position.head<2>() += factor * lever;
  velocity.head<2>() += factor * body.velocity(2) * Eigen::Vector2d(-lever.y(), lever.x());
}

/// Puts a hinged body where its hinge is.
void follow_hinge(PlanarWorld& world, std::size_t hinged) {
  PlanarBody& body = world.bodies[hinged];
  const PlanarBody& carrier = world.bodies[carrier_of(world, hinged)];
  Eigen::Vector3d position = carrier.position;
  Eigen::Vector3d velocity = carrier.velocity;
  add_lever(carrier, body.hinge->at, 1.0, position, velocity);
  add_lever(body, body.hinge->own, -1.0, position, velocity);
  body.position.head<2>() = position.head<2>();
  body.velocity.head<2>() = velocity.head<2>();
}

/// @throws InputError if bodies of no inertia leave a motion without kinetic energy
void require_mass(const PlanarWorld& world) {
  const Eigen::MatrixXd mass = mass_matrix(world);
  constexpr double rounding = 1e-12;
  const Eigen::VectorXd scale = mass.diagonal().cwiseMax(0.0).cwiseSqrt().cwiseInverse();
  if (scale.allFinite() &&
      eigenvalues(scale.asDiagonal() * mass * scale.asDiagonal())(0) > rounding) {
    return;
  }
  fail_world({"the start", "start"},
             "has a mass matrix that is not positive definite (must be: a body with "
             "inertia 0 must not turn about its centre of mass alone)");
}

}  // namespace

PlanarWorld validated(PlanarWorld world) {
  check_medium(world, max_bodies);
  WorldNames names;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    PlanarBody& body = world.bodies[i];
    const WorldPlace place = names.require(body.name, "body", i);
    const Eigen::Vector2d moved = validate_body(place, body);
    if (body.hinge) {
      demand_finite(place, "hinge", body.hinge->at);
      demand_finite(place, "hinge", body.hinge->own);
      body.hinge->own -= moved;
      carrier_of(world, i);
    }
    for (PlanarBody& other : world.bodies) {
      if (other.hinge && other.hinge->on == body.name) other.hinge->at -= moved;
    }
    if (body.hinge) follow_hinge(world, i);
  }
  check_exclusions(world);
  if (world.coordinates() > max_velocities) {
    throw FieldError("problem", fmt::format("the bodies have {} coordinates (must be at most {})",
                                            world.coordinates(), max_velocities));
  }
  require_mass(world);
  complete_floors(world, names);
  check_pairs(PlanarArrays(world).view().pairs, "corners, bodies and floors",
              "a floor or a second body; points do not touch points");
  return world;
}

Eigen::MatrixXd mass_matrix(const PlanarWorld& world) {
  const PlanarArrays arrays(world);
  const PlanarMechanism mechanism{arrays.view()};
  PlanarMechanism::Pose pose;
  mechanism.place(arrays.position().data(), pose);
  Eigen::MatrixXd mass(mechanism.coordinates(), mechanism.coordinates());
  mechanism.mass_matrix(pose, mass.data());
  return mass;
}

std::vector<std::string> pair_names(const PlanarWorld& world) {
  return PlanarArrays(world).names();
}

std::vector<PlanarTouch> touches(const PlanarWorld& world) {
  const PlanarArrays arrays(world);
  const PlanarMechanism mechanism{arrays.view()};
  PlanarMechanism::Pose pose;
  mechanism.place(arrays.position().data(), pose);
  std::vector<PlanarTouch> result;
  for (int i = 0; i < mechanism.pairs(); ++i) {
    const auto [gap, normal, place] = mechanism.touch(pose, i);
    result.push_back({gap, {place[0], place[1]}, {normal[0], normal[1]}});
  }
  return result;
}

std::vector<PlanarCoordinate> coordinates_of(const PlanarWorld& world) {
  std::vector<PlanarCoordinate> coordinates;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    for (Eigen::Index part = world.bodies[i].hinge ? 2 : 0; part < 3; ++part) {
      coordinates.push_back({i, part});
    }
  }
  return coordinates;
}

int PlanarWorld::coordinates() const {
  int count = 0;
  for (const PlanarBody& body : bodies) count += body.hinge ? 1 : 3;
  return count;
}

std::vector<std::string> coordinate_names(const PlanarWorld& world) {
  constexpr const char* parts[] = {"x", "y", "angle"};
  std::vector<std::string> names;
  for (const PlanarCoordinate& coordinate : coordinates_of(world)) {
    const std::string prefix =
        world.bodies.size() == 1 ? "" : world.bodies[coordinate.body].name + ".";
    names.push_back(prefix + parts[coordinate.part]);
  }
  return names;
}

namespace {

/// The least distance of two parallels that a shape fits between.
double thickness_of(const PlanarBody& body) {
  if (body.is_disc()) return 2.0 * body.radius;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < body.corners.size(); ++i) {
    const Eigen::Vector2d side =
        (body.corners[(i + 1) % body.corners.size()] - body.corners[i]).normalized();
    double farthest = 0.0;
    for (const auto& corner : body.corners) {
      farthest = std::max(farthest, cross(side, corner - body.corners[i]));
    }
    least = std::min(least, farthest);
  }
  return least;
}

/// PlanarView::travel: a twentieth of the least thickness of bodies that others can touch.
double travel_of(const PlanarWorld& world, const std::vector<PlanarSurfaceView>& surfaces,
                 const std::vector<PlanarContactView>& contacts) {
  constexpr double part = 0.05;
  double least = std::numeric_limits<double>::infinity();
  for (const PlanarContactView& contact : contacts) {
    const int body = surfaces[static_cast<std::size_t>(contact.surface)].body;
    if (body < 0) continue;
    least = std::min(least, thickness_of(world.bodies[static_cast<std::size_t>(body)]));
  }
  return std::isfinite(least) ? part * least : 0.0;
}

}  // namespace

void PlanarArrays::add_links(const PlanarWorld& world) {
  const std::vector<PlanarCoordinate> coordinates = coordinates_of(world);
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    const auto [i, part] = coordinates[c];
    const PlanarBody& body = world.bodies[i];
    position_.push_back(body.position(part));
    velocity_.push_back(body.velocity(part));
    if (links_.size() > i) continue;
    PlanarLinkView& link = links_.emplace_back(PlanarLinkView{.coordinate = static_cast<int>(c)});
    if (!body.hinge) continue;
    link.carrier = static_cast<int>(carrier_of(world, i));
    for (int k = 0; k < 2; ++k) {
      link.at[k] = body.hinge->at(k);
      link.own[k] = body.hinge->own(k);
    }
  }
}

PlanarArrays::PlanarArrays(const PlanarWorld& world) {
  add_links(world);
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
    double extent = 0.0;
    for (const auto& point : body.points ? *body.points : body.corners) {
      extent = std::max(extent, point.norm());
    }
    extent_.push_back(extent + body.radius);
    links_[i].is_round = extent == 0.0;
    surfaces_.push_back({.kind = body.is_disc() ? SurfaceKind::disc : SurfaceKind::polygon,
                         .body = static_cast<int>(i),
                         .radius = body.radius,
                         .first_vertex = static_cast<int>(vertices_.size() / 2),
                         .vertices = static_cast<int>(body.corners.size())});
    for (const Eigen::Vector2d& corner : body.corners) {
      vertices_.insert(vertices_.end(), {corner.x(), corner.y()});
    }
  }
  // A disc's centre, with its radius, or each corner or point, and a surface.
  const auto add_points = [&](std::size_t i, int surface, double friction,
                              const std::string& other) {
    const PlanarBody& body = world.bodies[i];
    const auto at = static_cast<int>(i);
    if (body.is_disc()) {
      add_pair({at, {0.0, 0.0}, body.radius, surface, friction}, body.name + " " + other);
    }
    const std::vector<Eigen::Vector2d>& points = body.points ? *body.points : body.corners;
    const std::size_t count = points.size();
    for (std::size_t c = 0; c < count; ++c) {
      PlanarContactView contact{
          at, {points[c].x(), points[c].y()}, body.points ? body.radius : 0.0, surface, friction};
      for (std::size_t side = 0; side < 2 && !body.points; ++side) {
        const Eigen::Vector2d& next = points[(c + (side == 0 ? 1 : count - 1)) % count];
        Eigen::Map<Eigen::Vector2d>(contact.sides[side]) = (next - points[c]).normalized();
        contact.lengths[side] = (next - points[c]).norm();
      }
      add_pair(contact, fmt::format("{} {} {}", body.name, c + 1, other));
    }
  };
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    for (std::size_t f = 0; f < world.floors.size(); ++f) {
      add_points(i, static_cast<int>(f), *world.floors[f].friction, world.floors[f].name);
    }
  }
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const PlanarBody& one = world.bodies[i];
      const PlanarBody& other = world.bodies[j];
      if (links_[i].carrier == static_cast<int>(j) || exclude_each_other(one, other)) continue;
      const auto surface_of = [&](std::size_t body) { return floors + static_cast<int>(body); };
      // Of a disc and a polygon, the disc is the point; both corners count of two polygons.
      const bool round = one.is_disc();
      const bool touches = !other.points && (round || one.points || !other.is_disc());
      if (touches) add_points(i, surface_of(j), world.friction, other.name);
      if (!one.points && (!round || other.points)) {
        add_points(j, surface_of(i), world.friction, one.name);
      }
    }
  }
  view_ = {static_cast<int>(world.bodies.size()),
           static_cast<int>(contacts_.size()),
           static_cast<int>(position_.size()),
           static_cast<int>(surfaces_.size()),
           static_cast<int>(vertices_.size() / 2),
           position_.size() < 3 * world.bodies.size(),
           links_.data(),
           mass_.data(),
           vertices_.data(),
           surfaces_.data(),
           contacts_.data(),
           {world.gravity.x(), world.gravity.y()},
           extent_.data(),
           travel_of(world, surfaces_, contacts_)};
}

void PlanarArrays::add_pair(const PlanarContactView& contact, std::string name) {
  contacts_.push_back(contact);
  names_.push_back(std::move(name));
}

}  // namespace carom
