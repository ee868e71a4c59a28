#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// A rigid body in the plane: a disc, or a convex polygon.
struct PlanarBody {
  std::string name;
  /// Corners, counter-clockwise, m, from any origin of the body; none: the body is a disc.
  std::vector<Eigen::Vector2d> corners = {};
  double radius = 0.0;  ///< of a disc, m
  double mass = 1.0;    ///< kg, spread evenly
  /// kg m², about the centre of mass; nothing: that of the evenly spread mass.
  std::optional<double> inertia = {};
  /// At the start: x, y of the centre of mass, m, and the angle, rad.
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< m/s, m/s, rad/s
};

/// A fixed half-plane, such as a floor or a wall.
struct PlanarFloor {
  std::string name;
  Eigen::Vector2d point{0.0, 0.0};      ///< on its edge, m
  Eigen::Vector2d normal{0.0, 1.0};     ///< out of it, of any length
  std::optional<double> friction = {};  ///< nothing: that of the world
};

/// Free rigid bodies in the plane, between floors and walls. Coordinates are x, y, and angle of
/// each body, in this order. Every body can touch every floor and every other body.
struct PlanarWorld {
  std::vector<PlanarBody> bodies;
  std::vector<PlanarFloor> floors = {};
  double friction = 1.0;                   ///< Coulomb coefficient
  Eigen::Vector2d gravity{0.0, -9.81};     ///< m/s²
  std::optional<double> restitution = {};  ///< of all contacts; nothing: the law's own default

  /// nq = nv, three per body.
  int coordinates() const { return 3 * static_cast<int>(bodies.size()); }
};

/// A copy with every rule checked, corners from the centre of mass, and unit normals.
/// @throws InputError naming the body or floor and the rule
PlanarWorld validated(PlanarWorld world);

/// Names of the pairs that can touch, such as "box 1 floor" for the first corner of a box: in the
/// order of contacts everywhere.
std::vector<std::string> pair_names(const PlanarWorld& world);

/// Gap of each pair at the start, m; negative: the depth to which it penetrates.
std::vector<double> gaps(const PlanarWorld& world);

/// Names of the coordinates, such as "box.x", "box.y" and "box.angle"; without "box." if there is
/// only one body.
std::vector<std::string> coordinate_names(const PlanarWorld& world);

}  // namespace carom
