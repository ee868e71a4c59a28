#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/base/sine_cosine.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/mechanisms/spatial_view.hpp"

namespace carom::inline CAROM_ISA {

/// Free rigid bodies in space, as PlanarMechanism has those in the plane.
struct SpatialMechanism {
  static constexpr int tangent_dimension = 2;
  static constexpr bool has_rates_alone = false;
  static constexpr bool leaves_gaps = false;
  template <int velocities>
  static constexpr int coordinates_up_to = velocities / 6 * 7;

  SpatialView view;

  struct Pose {
    double centre[max_spatial_bodies][3];
    double turn[max_spatial_bodies][9];  ///< rotation matrices from body to fixed axes, row-major
  };

  template <int most_velocities>
  struct Inertia {};  ///< bodies have their own

  /// Where a pair is nearest.
  struct Touch {
    double gap;  ///< m; negative: the depth
    /// From the body's centre to the contact, on the surface: so the contacts of a body that lies
    /// on it within the tolerances are in a plane, and redundant without rounding's help.
    double arm[3];
  };

  CAROM_HOST_DEVICE int coordinates() const { return 7 * view.bodies; }
  CAROM_HOST_DEVICE int velocities() const { return 6 * view.bodies; }
  CAROM_HOST_DEVICE int pairs() const { return view.pairs; }
  CAROM_HOST_DEVICE double friction(int pair) const { return view.contact[pair].friction; }
  CAROM_HOST_DEVICE bool has_inertial_forces() const { return view.uneven; }

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void advance(const double* position, const double* velocity,
                                                   double time, double* result) const {
    for (int b = 0; b < view.bodies; ++b) {
      const double* const from = position + 7 * b;
      const double* const rate = velocity + 6 * b;
      double* const to = result + 7 * b;
      for (int i = 0; i < 3; ++i) to[i] = std::fma(time, rate[i], from[i]);
      turn(from + 3, rate + 3, time, to + 3);
    }
  }

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void place(const double* position, Pose& pose) const {
    for (int b = 0; b < view.bodies; ++b) {
      const double* const own = position + 7 * b;
      for (int i = 0; i < 3; ++i) pose.centre[b][i] = own[i];
      const double w = own[3], x = own[4], y = own[5], z = own[6];
      const double twice = 2.0 / std::fma(w, w, std::fma(x, x, std::fma(y, y, z * z)));
      double* const m = pose.turn[b];
      m[0] = std::fma(-twice, std::fma(y, y, z * z), 1.0);
      m[1] = twice * std::fma(x, y, -w * z);
      m[2] = twice * std::fma(x, z, w * y);
      m[3] = twice * std::fma(x, y, w * z);
      m[4] = std::fma(-twice, std::fma(x, x, z * z), 1.0);
      m[5] = twice * std::fma(y, z, -w * x);
      m[6] = twice * std::fma(x, z, -w * y);
      m[7] = twice * std::fma(y, z, w * x);
      m[8] = std::fma(-twice, std::fma(x, x, y * y), 1.0);
    }
  }

  /// Writes nv x nv numbers.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void mass_matrix(const Pose& pose, double* matrix) const {
    const int nv = velocities();
    for (int i = 0; i < nv * nv; ++i) matrix[i] = 0.0;
    for (int b = 0; b < view.bodies; ++b) {
      double* const block = matrix + 6 * b * (nv + 1);
      for (int i = 0; i < 3; ++i) block[i * (nv + 1)] = view.body[b].mass;
      for (int i = 0; i < 3; ++i) {
        double own[3], row[3];
        const double* const axis = pose.turn[b] + 3 * i;
        times(view.body[b].inertia, axis, own);
        times(pose.turn[b], own, row);
        for (int j = i; j < 3; ++j) {
          block[(3 + i) * nv + 3 + j] = block[(3 + j) * nv + 3 + i] = row[j];
        }
      }
    }
  }

  template <class Inertia>
  CAROM_HOST_DEVICE void find_inertia(const Pose& /*pose*/, Inertia& /*inertia*/) const {}

  /// Writes the nv accelerations of a motion without contact.
  /// @param force nv generalised forces beside gravity, N and N m in fixed axes; or none
  template <class Inertia>
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void acceleration(const Pose& pose,
                                                        const Inertia& /*inertia*/,
                                                        const double* velocity, const double* force,
                                                        double* result) const {
    for (int b = 0; b < view.bodies; ++b) {
      const SpatialBodyView& body = view.body[b];
      const double* const its = force == nullptr ? nullptr : force + 6 * b;
      double* const linear = result + 6 * b;
      double* const angular = linear + 3;
      for (int i = 0; i < 3; ++i) {
        linear[i] = view.gravity[i];
        if (its != nullptr) linear[i] += its[i] / body.mass;
        angular[i] = 0.0;
      }
      if (its == nullptr && !view.uneven) continue;
      double torque[3] = {};
      if (its != nullptr) transposed_times(pose.turn[b], its + 3, torque);
      if (view.uneven) {  // Euler's equations
        double rate[3], spin[3], gyroscopic[3];
        transposed_times(pose.turn[b], velocity + 6 * b + 3, rate);
        times(body.inertia, rate, spin);
        cross(spin, rate, gyroscopic);
        for (int i = 0; i < 3; ++i) torque[i] += gyroscopic[i];
      }
      double own[3];
      times(body.inverse, torque, own);
      times(pose.turn[b], own, angular);
    }
  }

  /// Potential energy in the field of gravity, J.
  CAROM_HOST_DEVICE double potential(const Pose& pose) const {
    double sum = 0.0;
    for (int b = 0; b < view.bodies; ++b) {
      sum = std::fma(-view.body[b].mass, dot(view.gravity, pose.centre[b]), sum);
    }
    return sum;
  }

  /// Of all bodies, N.
  CAROM_HOST_DEVICE double weight() const {
    double mass = 0.0;
    for (int b = 0; b < view.bodies; ++b) mass += view.body[b].mass;
    return mass * std::sqrt(dot(view.gravity, view.gravity));
  }

  /// As PlanarMechanism::longest_time(): bodies touch floors alone, which have no other side.
  CAROM_HOST_DEVICE double longest_time(const Pose& /*pose*/, const double* velocity) const {
    double square = 0.0;
    for (int b = 0; b < view.bodies; ++b) {
      if (!view.uneven && view.body[b].is_round) continue;
      const double* const rate = velocity + 6 * b + 3;
      square = larger(dot(rate, rate), square);
    }
    return most_turn / std::sqrt(square);
  }

  /// As PlanarMechanism::moved().
  CAROM_HOST_DEVICE void moved(int pair, int* bodies) const {
    bodies[0] = view.contact[pair].body;
    bodies[1] = -1;
  }

  /// As PlanarMechanism::chained_extent().
  CAROM_HOST_DEVICE static double chained_extent(int /*pair*/) { return 0.0; }

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE Touch touch(const Pose& pose, int pair) const {
    const SpatialContactView& contact = view.contact[pair];
    const SpatialSurfaceView& surface = view.surface[contact.surface];
    Touch found;
    times(pose.turn[contact.body], contact.point, found.arm);
    double point[3];
    for (int i = 0; i < 3; ++i) point[i] = pose.centre[contact.body][i] + found.arm[i];
    const double distance = dot(surface.normal, point) - surface.offset;
    found.gap = distance - contact.radius;
    for (int i = 0; i < 3; ++i) {
      found.arm[i] = std::fma(-distance, surface.normal[i], found.arm[i]);
    }
    return found;
  }

  /// As PlanarMechanism::are_one_contact(): bodies do not touch one another.
  CAROM_HOST_DEVICE static bool are_one_contact(const Pose& /*pose*/, int /*first*/, int /*second*/,
                                                double /*window*/) {
    return false;
  }

  /// Writes a pair's row of the normal and its two rows of the tangent Jacobian, nv numbers each.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void rows(const Pose& /*pose*/, int pair, const Touch& touch,
                                                double* normal, double* tangent) const {
    const SpatialContactView& contact = view.contact[pair];
    const SpatialSurfaceView& surface = view.surface[contact.surface];
    write_row(contact.body, touch.arm, surface.normal, normal);
    for (int t = 0; t < tangent_dimension; ++t) {
      write_row(contact.body, touch.arm, surface.tangent[t], tangent + t * velocities());
    }
  }

 private:
  CAROM_HOST_DEVICE static double dot(const double* a, const double* b) {
    return std::fma(a[0], b[0], std::fma(a[1], b[1], a[2] * b[2]));
  }
  CAROM_HOST_DEVICE static void cross(const double* a, const double* b, double* result) {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      result[i] = std::fma(a[j], b[k], -a[k] * b[j]);
    }
  }
  CAROM_HOST_DEVICE static void times(const double* matrix, const double* vector, double* result) {
    for (int i = 0; i < 3; ++i) result[i] = dot(matrix + 3 * i, vector);
  }
  CAROM_HOST_DEVICE static void transposed_times(const double* matrix, const double* vector,
                                                 double* result) {
    for (int i = 0; i < 3; ++i) {
      const double column[3] = {matrix[i], matrix[3 + i], matrix[6 + i]};
      result[i] = dot(column, vector);
    }
  }

  /// Writes the quaternion after a turn with a constant angular velocity in fixed axes.
  CAROM_HOST_DEVICE static void turn(const double* from, const double* rate, double time,
                                     double* to) {
    constexpr double largest_angle = 0x1p30;  // rad: as far as sine_cosine() reaches
    const double speed = std::sqrt(dot(rate, rate));
    const double half_angle = 0.5 * time * speed;
    if (!(half_angle < largest_angle)) {
      for (int i = 0; i < 4; ++i) to[i] = NAN;
      return;
    }
    const SineCosine half = sine_cosine(half_angle);
    const double scale = speed > 0.0 ? half.sine / speed : 0.0;
    const double v[3] = {scale * rate[0], scale * rate[1], scale * rate[2]};
    double vector[3];
    cross(v, from + 1, vector);
    double next[4];
    next[0] = std::fma(half.cosine, from[0], -dot(v, from + 1));
    for (int i = 0; i < 3; ++i) {
      next[1 + i] = std::fma(half.cosine, from[1 + i], std::fma(from[0], v[i], vector[i]));
    }
    const double length = std::sqrt(std::fma(next[0], next[0], dot(next + 1, next + 1)));
    for (int i = 0; i < 4; ++i) to[i] = next[i] / length;
  }

  /// Writes, for each velocity, its part of the speed of a body's point along a vector.
  CAROM_HOST_DEVICE void write_row(int body, const double* arm, const double* along,
                                   double* row) const {
    for (int i = 0; i < velocities(); ++i) row[i] = 0.0;
    double* const its = row + 6 * body;
    for (int i = 0; i < 3; ++i) its[i] = along[i];
    cross(arm, along, its + 3);
  }
};

inline SpatialMechanism mechanism_of(const SpatialView& view, double /*reach*/ = 0.0) {
  return {view};
}

}  // namespace carom::inline CAROM_ISA
