#pragma once

#include <cstddef>

#include "kernels/base/qualifiers.hpp"

namespace carom {

/// A free rigid body in space. Matrices are row-major, in the axes of the body.
struct SpatialBodyView {
  double mass;        ///< kg
  double inertia[9];  ///< about its centre of mass, kg m²
  double inverse[9];  ///< of the inertia
  bool is_round;      ///< whether the body can turn without coming nearer to floors
};

/// A fixed half-space: normal . p <= offset.
struct SpatialSurfaceView {
  double normal[3];      ///< a unit vector out of it
  double tangent[2][3];  ///< with the normal, perpendicular unit vectors
  double offset;         ///< m
};

/// A pair that can touch: a rounded point of a body, and a surface.
struct SpatialContactView {
  int body;
  double point[3];  ///< m, in body coordinates
  double radius;    ///< m, >= 0, around the point
  int surface;
  double friction;
};

/// Free rigid bodies in space, as flat arrays. The coordinates of a body are x, y, z of its centre
/// of mass and the unit quaternion w, x, y, z of its orientation; its velocities are the linear and
/// the angular one, in fixed axes.
struct SpatialView {
  int bodies = 0;
  int pairs = 0;
  int surfaces = 0;
  bool uneven = false;  ///< whether any body's principal moments of inertia differ
  const SpatialBodyView* body = nullptr;
  const SpatialSurfaceView* surface = nullptr;
  const SpatialContactView* contact = nullptr;  ///< of each pair
  double gravity[3] = {};                       ///< m/s²

  /// Calls array(pointer, count) for every array.
  template <class Array>
  void for_each_array(Array&& array) {
    array(body, static_cast<std::size_t>(bodies));
    array(surface, static_cast<std::size_t>(surfaces));
    array(contact, static_cast<std::size_t>(pairs));
  }
};

}  // namespace carom
