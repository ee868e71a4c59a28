#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"

namespace carom {

/// What a rounded point of a body can touch.
enum class SurfaceKind : std::uint8_t { half_plane, disc, polygon };

/// A surface of a body, or a fixed one.
struct PlanarSurfaceView {
  SurfaceKind kind;
  int body;               ///< whose coordinates it has; -1: fixed
  double normal[2] = {};  ///< of a half-plane: a unit vector out of it
  double offset = 0.0;    ///< of a half-plane: normal . p = offset on its edge, m
  double radius = 0.0;    ///< of a disc around the body's centre, m
  int first_vertex = 0;   ///< of a convex polygon, counter-clockwise, in body coordinates
  int vertices = 0;
};

/// A pair that can touch: a rounded point of a body, and a surface.
struct PlanarContactView {
  int body;
  double point[2];  ///< m, in body coordinates
  double radius;    ///< m, >= 0, around the point
  int surface;
  double friction;
  double sides[2][2] = {};  ///< of a polygon's corner: unit vectors along both, away from it
  double lengths[2] = {};   ///< of these sides, m
};

/// How a body moves: freely, or about a hinge on an earlier body.
struct PlanarLinkView {
  int coordinate;         ///< its first: x, y and angle of a free body, the angle of a hinged one
  int carrier = -1;       ///< the body with the hinge; -1: none
  double at[2] = {};      ///< of the hinge, m, in coordinates of the carrier
  double own[2] = {};     ///< of the hinge, m, in coordinates of the body itself
  bool is_round = false;  ///< whether the body can turn without coming nearer to others

  /// Its angle's number among the coordinates.
  CAROM_HOST_DEVICE int angle() const { return coordinate + (carrier < 0 ? 2 : 0); }
};

/// Rigid bodies in the plane, as flat arrays. Coordinates are the angle of each body, and before it
/// x, y of the centre of mass of each free one.
struct PlanarView {
  int bodies = 0;
  int pairs = 0;
  int coordinates = 0;
  int surfaces = 0;
  int corners = 0;                       ///< of all polygons
  bool hinged = false;                   ///< whether any body is
  const PlanarLinkView* link = nullptr;  ///< of each body
  const double* mass = nullptr;      ///< 2 per body: mass, kg, and inertia about its centre, kg m²
  const double* vertices = nullptr;  ///< 2 per corner
  const PlanarSurfaceView* surface = nullptr;
  const PlanarContactView* contact = nullptr;  ///< of each pair
  double gravity[2] = {};                      ///< m/s²
  /// Of each body, the largest distance of a point of it from its centre, m.
  const double* extent = nullptr;
  double travel = 0.0;  ///< m, see longest_time(); 0: bodies move by any distance
  double slack = 0.0;   ///< m, see polygon_separation()

  /// Calls array(pointer, count) for every array.
  template <class Array>
  void for_each_array(Array&& array) {
    array(link, static_cast<std::size_t>(bodies));
    array(mass, static_cast<std::size_t>(2 * bodies));
    array(extent, static_cast<std::size_t>(bodies));
    array(vertices, static_cast<std::size_t>(2 * corners));
    array(surface, static_cast<std::size_t>(surfaces));
    array(contact, static_cast<std::size_t>(pairs));
  }
};

}  // namespace carom
