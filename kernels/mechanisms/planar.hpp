#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/base/sine_cosine.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/mechanisms/planar_view.hpp"

namespace carom::inline CAROM_ISA {

/// Free rigid bodies in the plane as a mechanism: mass matrix, acceleration without contact, gaps
/// and Jacobians as functions of position and velocity.
struct PlanarMechanism {
  PlanarView view;

  /// A position, with what all pairs need of it.
  struct Pose {
    double x[max_bodies];
    double y[max_bodies];
    SineCosine angle[max_bodies];
  };

  /// Where a pair is nearest.
  struct Touch {
    double gap;        ///< m; negative: the depth
    double normal[2];  ///< from the surface to the point
    double place[2];   ///< of the contact, in the middle of the gap
  };

  CAROM_HOST_DEVICE int coordinates() const { return 3 * view.bodies; }
  CAROM_HOST_DEVICE int pairs() const { return view.pairs; }
  CAROM_HOST_DEVICE double friction(int pair) const { return view.contact[pair].friction; }

  CAROM_HOST_DEVICE void place(const double* position, Pose& pose) const {
    for (int b = 0; b < view.bodies; ++b) {
      pose.x[b] = position[3 * b];
      pose.y[b] = position[3 * b + 1];
      pose.angle[b] = sine_cosine(position[3 * b + 2]);
    }
  }

  /// Writes nv x nv numbers.
  CAROM_HOST_DEVICE void mass_matrix(const Pose&, double* matrix) const {
    const int nv = coordinates();
    for (int i = 0; i < nv * nv; ++i) matrix[i] = 0.0;
    for (int i = 0; i < nv; ++i) matrix[i * nv + i] = view.mass[i / 3 * 2 + (i % 3 == 2 ? 1 : 0)];
  }

  /// Writes M^-1 times a vector (nv).
  CAROM_HOST_DEVICE void respond(const Pose&, const double* vector, double* result) const {
    for (int i = 0; i < coordinates(); ++i) {
      result[i] = vector[i] / view.mass[i / 3 * 2 + (i % 3 == 2 ? 1 : 0)];
    }
  }

  /// Writes the nv accelerations of a motion without contact.
  CAROM_HOST_DEVICE void acceleration(const Pose&, const double* /*velocity*/,
                                      double* result) const {
    for (int b = 0; b < view.bodies; ++b) {
      result[3 * b] = view.gravity[0];
      result[3 * b + 1] = view.gravity[1];
      result[3 * b + 2] = 0.0;
    }
  }

  CAROM_HOST_DEVICE Touch touch(const Pose& pose, int pair) const {
    const PlanarContactView& contact = view.contact[pair];
    const PlanarSurfaceView& surface = view.surface[contact.surface];
    const double point[2] = {x_of(pose, contact.body, contact.point),
                             y_of(pose, contact.body, contact.point)};
    Touch found = nearest(pose, surface, point);
    const double middle = 0.5 * (found.gap + contact.radius);
    found.gap -= contact.radius;
    for (int i = 0; i < 2; ++i) found.place[i] = std::fma(-middle, found.normal[i], point[i]);
    return found;
  }

  /// Writes a pair's rows of the normal and the tangent Jacobian, nv numbers each. The tangent is
  /// the normal turned clockwise.
  CAROM_HOST_DEVICE void rows(const Pose& pose, int pair, const Touch& touch, double* normal,
                              double* tangent) const {
    const PlanarContactView& contact = view.contact[pair];
    const int nv = coordinates();
    for (int i = 0; i < nv; ++i) normal[i] = tangent[i] = 0.0;
    add_rows(pose, contact.body, 1.0, touch, normal, tangent);
    const int other = view.surface[contact.surface].body;
    if (other >= 0) add_rows(pose, other, -1.0, touch, normal, tangent);
  }

 private:
  CAROM_HOST_DEVICE static double x_of(const Pose& pose, int body, const double* point) {
    const SineCosine turn = pose.angle[body];
    return pose.x[body] + std::fma(turn.cosine, point[0], -turn.sine * point[1]);
  }
  CAROM_HOST_DEVICE static double y_of(const Pose& pose, int body, const double* point) {
    const SineCosine turn = pose.angle[body];
    return pose.y[body] + std::fma(turn.sine, point[0], turn.cosine * point[1]);
  }

  CAROM_HOST_DEVICE static void add_rows(const Pose& pose, int body, double sign,
                                         const Touch& touch, double* normal, double* tangent) {
    const double x = touch.place[0] - pose.x[body];
    const double y = touch.place[1] - pose.y[body];
    const double along[2] = {touch.normal[1], -touch.normal[0]};
    const auto add = [&](const double* direction, double* row) {
      row[3 * body] += sign * direction[0];
      row[3 * body + 1] += sign * direction[1];
      row[3 * body + 2] += sign * std::fma(x, direction[1], -y * direction[0]);
    };
    add(touch.normal, normal);
    add(along, tangent);
  }

  /// Signed distance of a point from a surface, and the normal there.
  CAROM_HOST_DEVICE Touch nearest(const Pose& pose, const PlanarSurfaceView& surface,
                                  const double* point) const {
    if (surface.kind == SurfaceKind::half_plane) {
      const double distance =
          std::fma(surface.normal[0], point[0], surface.normal[1] * point[1]) - surface.offset;
      return {distance, {surface.normal[0], surface.normal[1]}, {}};
    }
    const bool fixed = surface.body < 0;
    const double from[2] = {fixed ? point[0] : point[0] - pose.x[surface.body],
                            fixed ? point[1] : point[1] - pose.y[surface.body]};
    if (surface.kind == SurfaceKind::disc) {
      Touch found = away(from[0], from[1]);
      found.gap -= surface.radius;
      return found;
    }
    if (fixed) return outside(surface, from);
    // In the polygon's own coordinates, and back.
    const SineCosine turn = pose.angle[surface.body];
    const double own[2] = {std::fma(turn.cosine, from[0], turn.sine * from[1]),
                           std::fma(-turn.sine, from[0], turn.cosine * from[1])};
    Touch found = outside(surface, own);
    const double x = found.normal[0];
    found.normal[0] = std::fma(turn.cosine, x, -turn.sine * found.normal[1]);
    found.normal[1] = std::fma(turn.sine, x, turn.cosine * found.normal[1]);
    return found;
  }

  /// The distance (x, y) and its direction; upwards where there is none.
  CAROM_HOST_DEVICE static Touch away(double x, double y) {
    const double distance = std::sqrt(std::fma(x, x, y * y));
    if (!(distance > 0.0)) return {0.0, {0.0, 1.0}, {}};
    return {distance, {x / distance, y / distance}, {}};
  }

  /// The same for a convex polygon. Inside, the nearest edge counts.
  CAROM_HOST_DEVICE Touch outside(const PlanarSurfaceView& surface, const double* point) const {
    const double* const corners = view.vertices + 2 * surface.first_vertex;
    Touch edge{-INFINITY, {0.0, 1.0}, {}};
    Touch corner{INFINITY, {0.0, 1.0}, {}};
    bool beside_an_edge = false;
    for (int i = 0; i < surface.vertices; ++i) {
      const double* a = corners + 2 * i;
      const double* b = corners + 2 * (i + 1 == surface.vertices ? 0 : i + 1);
      const double side[2] = {b[0] - a[0], b[1] - a[1]};
      const double length = std::sqrt(std::fma(side[0], side[0], side[1] * side[1]));
      const double normal[2] = {side[1] / length, -side[0] / length};
      const double from[2] = {point[0] - a[0], point[1] - a[1]};
      const double height = std::fma(normal[0], from[0], normal[1] * from[1]);
      const double along = std::fma(side[0], from[0], side[1] * from[1]) / length;
      if (height > edge.gap) {
        edge = {height, {normal[0], normal[1]}, {}};
        beside_an_edge = along >= 0.0 && along <= length;
      }
      const Touch its = away(from[0], from[1]);
      if (its.gap < corner.gap) corner = its;
    }
    return edge.gap <= 0.0 || beside_an_edge ? edge : corner;
  }
};

}  // namespace carom::inline CAROM_ISA
