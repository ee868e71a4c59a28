#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "carom/eigen_memory.hpp"
#include "carom/impact_problem.hpp"

namespace carom {

/// A joint by which a body turns about a point of another one.
struct PlanarHinge {
  std::string on;                 ///< name of the body that carries it, earlier in the list
  Eigen::Vector2d at{0.0, 0.0};   ///< m, in coordinates of the carrier
  Eigen::Vector2d own{0.0, 0.0};  ///< the same point, m, in coordinates of the hinged body
};

/// A rigid body in the plane: a disc, a convex polygon, or points.
struct PlanarBody {
  std::string name;
  /// Corners, counter-clockwise, m, from any origin of the body; none: the body is a disc.
  std::vector<Eigen::Vector2d> corners = {};
  double radius = 0.0;  ///< of a disc, or around each point, m
  /// Instead of a shape: points that touch floors and shapes, m, from the centre of mass, such as
  /// the feet of a leg; there can be none. They need an inertia, which may be 0.
  std::optional<std::vector<Eigen::Vector2d>> points = {};
  double mass = 1.0;  ///< kg, spread evenly over a shape
  /// kg m², about the centre of mass; nothing: that of the evenly spread mass.
  std::optional<double> inertia = {};
  /// Nothing: the body moves freely. Else only the angle of its position and velocity counts, and
  /// the rest follows from its carrier's. A body does not touch its carrier.
  std::optional<PlanarHinge> hinge = {};
  /// Names of further bodies that this body does not touch, as if it were in front of them.
  std::vector<std::string> exclude = {};
  /// At the start: x, y of the centre of mass, m, and the angle, rad.
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< m/s, m/s, rad/s

  bool is_disc() const { return corners.empty() && !points; }
};

/// A fixed half-plane, such as a floor or a wall.
struct PlanarFloor {
  std::string name;
  Eigen::Vector2d point{0.0, 0.0};      ///< on its edge, m
  Eigen::Vector2d normal{0.0, 1.0};     ///< out of it, of any length
  std::optional<double> friction = {};  ///< nothing: that of the world
};

/// Rigid bodies in the plane, between floors and walls. Coordinates are x, y and angle of each free
/// body, and the angle of each hinged one, in this order; angles are absolute. Every body can touch
/// every floor and every other body, but for those that PlanarBody excludes.
struct PlanarWorld {
  std::vector<PlanarBody> bodies;
  std::vector<PlanarFloor> floors = {};
  double friction = 1.0;                   ///< Coulomb coefficient
  Eigen::Vector2d gravity{0.0, -9.81};     ///< m/s²
  std::optional<double> restitution = {};  ///< of all contacts; nothing: the law's own default

  /// nq = nv: three per free body, one per hinged one.
  int coordinates() const;
};

/// A copy with every rule checked, corners from the centre of mass, unit normals, and hinged bodies
/// where their hinges are.
/// @throws InputError naming the body or floor and the rule
PlanarWorld validated(PlanarWorld world);

/// Mass matrix at the start, nv x nv, kg, kg m and kg m². @param world validated
Eigen::MatrixXd mass_matrix(const PlanarWorld& world);

/// Names of the pairs that can touch, such as "box 1 floor" for the first corner of a box: in the
/// order of contacts everywhere.
std::vector<std::string> pair_names(const PlanarWorld& world);

/// Where a pair is nearest.
struct PlanarTouch {
  double gap;              ///< m; negative: the depth to which the pair penetrates
  Eigen::Vector2d place;   ///< of the contact, m
  Eigen::Vector2d normal;  ///< away from the floor, or from the body that comes second in the name
};

/// Of each pair at the start.
std::vector<PlanarTouch> touches(const PlanarWorld& world);

/// A coordinate of a world.
struct PlanarCoordinate {
  std::size_t body;
  Eigen::Index part;  ///< of its position: 0 x, 1 y, 2 the angle

  bool is_angle() const { return part == 2; }
};

/// The coordinates, in their order.
std::vector<PlanarCoordinate> coordinates_of(const PlanarWorld& world);

/// Names of the coordinates, such as "box.x", "box.y" and "box.angle"; without "box." if there is
/// only one body.
std::vector<std::string> coordinate_names(const PlanarWorld& world);

}  // namespace carom
