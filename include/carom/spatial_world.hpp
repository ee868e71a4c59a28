#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <vector>

#include "carom/eigen_memory.hpp"

namespace carom {

/// A free rigid body in space: a ball, a box, or points.
struct SpatialBody {
  std::string name;
  /// Of a box, m: its extents along the axes of the body.
  std::optional<Eigen::Vector3d> size = {};
  /// Of a body without size: the points that touch floors, m, from the centre of mass, such as the
  /// corners of a convex hull; none: the body is a ball.
  std::vector<Eigen::Vector3d> points = {};
  double radius = 0.0;  ///< of a ball, or around each point, m
  double mass = 1.0;    ///< kg, spread evenly over a ball or a box
  /// kg m², about the centre of mass in the axes of the body; nothing: that of the evenly spread
  /// mass, which points do not have.
  std::optional<Eigen::Matrix3d> inertia = {};
  // At the start, in fixed axes:
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of the centre of mass, m
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< m/s
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< rad/s

  bool is_ball() const { return !size && points.empty(); }
  /// The points that touch: eight of a box, the lower four first; of a ball its centre.
  std::vector<Eigen::Vector3d> touching_points() const;
};

/// A fixed half-space, such as a floor or a wall.
struct SpatialFloor {
  std::string name;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();    ///< on its surface, m
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< out of it, of any length
  std::optional<double> friction = {};                ///< nothing: that of the world
};

/// Free rigid bodies in space, between floors and walls, which every body can touch; bodies do not
/// touch each other. Coordinates are x, y, z and the unit quaternion w, x, y, z of each body;
/// velocities are its linear and its angular one, in fixed axes.
struct SpatialWorld {
  std::vector<SpatialBody> bodies;
  std::vector<SpatialFloor> floors = {};
  double friction = 1.0;                     ///< Coulomb coefficient
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};  ///< m/s²
  std::optional<double> restitution = {};    ///< of all contacts; nothing: the law's own default
  int friction_directions = 4;               ///< k: sides of the friction pyramid
};

/// A copy with every rule checked, names, inertias, unit normals and unit quaternions.
/// @throws InputError naming the body or floor and the rule
SpatialWorld validated(SpatialWorld world);

}  // namespace carom
