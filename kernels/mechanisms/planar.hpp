#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/base/sine_cosine.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/mechanisms/longest_time.hpp"
#include "kernels/mechanisms/planar_view.hpp"
#include "kernels/mechanisms/polygon.hpp"

namespace carom::inline CAROM_ISA {

/// Rigid bodies in the plane, free or hinged to others, as a mechanism: mass matrix, acceleration
/// without contact, gaps and Jacobians as functions of position and velocity.
struct PlanarMechanism {
  static constexpr int tangent_dimension = 1;
  /// Whether coordinates are as many as velocities, which are their rates.
  static constexpr bool has_rates_alone = true;
  /// Whether the gaps that a first motion leaves are taken back: on hinges, where they are of
  /// second order in the time.
  static constexpr bool leaves_gaps = true;
  /// Coordinates of a mechanism with at most so many velocities.
  template <int velocities>
  static constexpr int coordinates_up_to = velocities;

  PlanarView view;

  /// A position, with what all pairs need of it.
  struct Pose {
    double x[max_bodies];
    double y[max_bodies];
    SineCosine angle[max_bodies];
  };

  /// The mass matrix of hinged bodies, M = L D L': below the diagonal L D, above it L'.
  template <int most_velocities>
  struct Inertia {
    double factors[most_velocities * most_velocities];
  };

  /// Where a pair is nearest.
  struct Touch {
    double gap;        ///< m; negative: the depth
    double normal[2];  ///< from the surface to the point
    double place[2];   ///< of the contact, in the middle of the gap
  };

  CAROM_HOST_DEVICE int coordinates() const { return view.coordinates; }
  CAROM_HOST_DEVICE int velocities() const { return view.coordinates; }
  CAROM_HOST_DEVICE int pairs() const { return view.pairs; }
  CAROM_HOST_DEVICE double friction(int pair) const { return view.contact[pair].friction; }
  /// Whether accelerations without contact depend on the velocity.
  CAROM_HOST_DEVICE bool has_inertial_forces() const { return view.hinged; }

  /// Writes the position after a time with a constant velocity.
  CAROM_HOST_DEVICE void advance(const double* position, const double* velocity, double time,
                                 double* result) const {
    for (int i = 0; i < coordinates(); ++i) result[i] = std::fma(time, velocity[i], position[i]);
  }

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void place(const double* position, Pose& pose) const {
    for (int b = 0; b < view.bodies; ++b) {
      const PlanarLinkView& link = view.link[b];
      const double* const own = position + link.coordinate;
      if (link.carrier < 0) {
        pose.x[b] = own[0];
        pose.y[b] = own[1];
        pose.angle[b] = sine_cosine(own[2]);
      } else {
        pose.angle[b] = sine_cosine(own[0]);
        const double hinge[2] = {x_of(pose, link.carrier, link.at),
                                 y_of(pose, link.carrier, link.at)};
        pose.x[b] = pose.y[b] = 0.0;
        pose.x[b] = hinge[0] - x_of(pose, b, link.own);
        pose.y[b] = hinge[1] - y_of(pose, b, link.own);
      }
    }
  }

  /// Writes nv x nv numbers, symmetric to the last bit.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void mass_matrix(const Pose& pose, double* matrix) const {
    const int nv = coordinates();
    for (int i = 0; i < nv * nv; ++i) matrix[i] = 0.0;
    for (int b = 0; b < view.bodies; ++b) {
      const double mass = view.mass[2 * b];
      const int angle = angle_of(b);
      matrix[angle * nv + angle] += view.mass[2 * b + 1];
      if (!view.hinged) {
        for (int k = 1; k <= 2; ++k) matrix[(angle - k) * (nv + 1)] = mass;
        continue;
      }
      const double centre[2] = {pose.x[b], pose.y[b]};
      for (int axis = 0; axis < 2; ++axis) {
        const double along[2] = {axis == 0 ? 1.0 : 0.0, axis == 0 ? 0.0 : 1.0};
        double row[max_velocities] = {};
        add_row(pose, b, centre, along, 1.0, row);
        for (int i = 0; i < nv; ++i) {
          if (row[i] == 0.0) continue;
          for (int j = 0; j <= i; ++j) {
            matrix[i * nv + j] = std::fma(mass * row[i], row[j], matrix[i * nv + j]);
          }
        }
      }
    }
    for (int i = 0; i < nv; ++i) {
      for (int j = 0; j < i; ++j) matrix[j * nv + i] = matrix[i * nv + j];
    }
  }

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE double longest_time(const Pose& pose,
                                                          const double* velocity) const {
    return carom::longest_time(view, pose.x, pose.y, velocity);
  }

  template <int most_velocities>
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void find_inertia(const Pose& pose,
                                                        Inertia<most_velocities>& inertia) const {
    if (!view.hinged) return;
    const int nv = coordinates();
    double* const m = inertia.factors;
    mass_matrix(pose, m);
    for (int j = 0; j < nv; ++j) {
      for (int i = j + 1; i < nv; ++i) {
        const double factor = m[i * nv + j] / m[j * nv + j];
        for (int k = i; k < nv; ++k)
          m[k * nv + i] = std::fma(-factor, m[k * nv + j], m[k * nv + i]);
        m[j * nv + i] = factor;
      }
    }
  }

  /// Writes M^-1 times a vector (nv). Numbers are infinite or NaN if M is not positive definite.
  template <int most_velocities>
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void respond(const Inertia<most_velocities>& inertia,
                                                   const double* vector, double* result) const {
    if (view.hinged) {
      for (int i = 0; i < coordinates(); ++i) result[i] = vector[i];
      divide_by_mass(inertia.factors, result);
      return;
    }
    for (int i = 0; i < coordinates(); ++i) {
      result[i] = vector[i] / view.mass[i / 3 * 2 + (i % 3 == 2 ? 1 : 0)];
    }
  }

  /// Writes the nv accelerations of a motion without contact.
  /// @param force nv generalised forces beside gravity, N and N m; or none
  template <int most_velocities>
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void acceleration(const Pose& pose,
                                                        const Inertia<most_velocities>& inertia,
                                                        const double* velocity, const double* force,
                                                        double* result) const {
    if (view.hinged) {
      for (int i = 0; i < coordinates(); ++i) result[i] = force == nullptr ? 0.0 : force[i];
      add_weight_and_turning(pose, velocity, result);
      divide_by_mass(inertia.factors, result);
      return;
    }
    for (int b = 0; b < view.bodies; ++b) {
      for (int i = 0; i < 3; ++i) {
        double& its = result[3 * b + i];
        its = i < 2 ? view.gravity[i] : 0.0;
        if (force != nullptr) its += force[3 * b + i] / view.mass[2 * b + (i == 2 ? 1 : 0)];
      }
    }
  }

  /// Potential energy in the field of gravity, J.
  CAROM_HOST_DEVICE double potential(const Pose& pose) const {
    double sum = 0.0;
    for (int b = 0; b < view.bodies; ++b) {
      const double height = std::fma(view.gravity[0], pose.x[b], view.gravity[1] * pose.y[b]);
      sum = std::fma(-view.mass[2 * b], height, sum);
    }
    return sum;
  }

  /// Of all bodies, N.
  CAROM_HOST_DEVICE double weight() const {
    double mass = 0.0;
    for (int b = 0; b < view.bodies; ++b) mass += view.mass[2 * b];
    return mass *
           std::sqrt(std::fma(view.gravity[0], view.gravity[0], view.gravity[1] * view.gravity[1]));
  }

  /// The first body of each of the two chains that a pair moves, see find_groups().
  CAROM_HOST_DEVICE void moved(int pair, int* chains) const {
    const PlanarContactView& contact = view.contact[pair];
    chains[0] = first_of(contact.body);
    chains[1] = first_of(view.surface[contact.surface].body);
  }

  /// How far the bodies of a pair reach from their centres, m, if they belong to one chain; else 0.
  CAROM_HOST_DEVICE double chained_extent(int pair) const {
    if (!view.hinged) return 0.0;
    int chains[2];
    moved(pair, chains);
    if (chains[0] != chains[1]) return 0.0;
    const PlanarContactView& contact = view.contact[pair];
    return larger(view.extent[contact.body], view.extent[view.surface[contact.surface].body]);
  }

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE Touch touch(const Pose& pose, int pair) const {
    const PlanarContactView& contact = view.contact[pair];
    const double point[2] = {x_of(pose, contact.body, contact.point),
                             y_of(pose, contact.body, contact.point)};
    Touch found = nearest(pose, contact, point);
    const double middle = 0.5 * (found.gap + contact.radius);
    found.gap -= contact.radius;
    for (int i = 0; i < 2; ++i) found.place[i] = std::fma(-middle, found.normal[i], point[i]);
    return found;
  }

  /// Whether two pairs are one contact: where corners of two polygons meet, within `window`, whose
  /// edges there are parallel, each corner touches the other polygon's edge.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool are_one_contact(const Pose& pose, int first, int second,
                                                           double window) const {
    constexpr double angle = 1e-8;  // rad
    const PlanarContactView& a = view.contact[first];
    const PlanarContactView& b = view.contact[second];
    if (view.surface[a.surface].body != b.body || view.surface[b.surface].body != a.body) {
      return false;
    }
    const double x = x_of(pose, a.body, a.point) - x_of(pose, b.body, b.point);
    const double y = y_of(pose, a.body, a.point) - y_of(pose, b.body, b.point);
    if (!(away(x, y).gap <= window)) return false;
    const Touch one = touch(pose, first);
    const Touch other = touch(pose, second);
    return away(one.normal[0] + other.normal[0], one.normal[1] + other.normal[1]).gap <= angle;
  }

  /// Writes a pair's rows of the normal and the tangent Jacobian, nv numbers each. The tangent is
  /// the normal turned clockwise.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void rows(const Pose& pose, int pair, const Touch& touch,
                                                double* normal, double* tangent) const {
    const PlanarContactView& contact = view.contact[pair];
    const int nv = coordinates();
    for (int i = 0; i < nv; ++i) normal[i] = tangent[i] = 0.0;
    const double along[2] = {touch.normal[1], -touch.normal[0]};
    add_row(pose, contact.body, touch.place, touch.normal, 1.0, normal);
    add_row(pose, contact.body, touch.place, along, 1.0, tangent);
    const int other = view.surface[contact.surface].body;
    if (other < 0) return;
    add_row(pose, other, touch.place, touch.normal, -1.0, normal);
    add_row(pose, other, touch.place, along, -1.0, tangent);
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

  CAROM_HOST_DEVICE int first_of(int body) const {
    while (body >= 0 && view.link[body].carrier >= 0) body = view.link[body].carrier;
    return body;
  }

  CAROM_HOST_DEVICE int angle_of(int body) const { return view.link[body].angle(); }

  /// Adds to a row, for each velocity, the part of the speed of a body's point along a vector: so a
  /// force there is, of each coordinate.
  CAROM_HOST_DEVICE void add_row(const Pose& pose, int body, const double* place,
                                 const double* along, double sign, double* row) const {
    double x = place[0];
    double y = place[1];
    for (;;) {
      const PlanarLinkView& link = view.link[body];
      const bool free = link.carrier < 0;
      const double pivot[2] = {free ? pose.x[body] : x_of(pose, link.carrier, link.at),
                               free ? pose.y[body] : y_of(pose, link.carrier, link.at)};
      const double turn = std::fma(x - pivot[0], along[1], -(y - pivot[1]) * along[0]);
      if (free) {
        row[link.coordinate] += sign * along[0];
        row[link.coordinate + 1] += sign * along[1];
        row[link.coordinate + 2] += sign * turn;
        return;
      }
      row[link.coordinate] += sign * turn;
      x = pivot[0];
      y = pivot[1];
      body = link.carrier;
    }
  }

  /// Adds the generalised forces of gravity and of the turning of hinged bodies.
  CAROM_HOST_DEVICE void add_weight_and_turning(const Pose& pose, const double* velocity,
                                                double* force) const {
    double own[2 * max_bodies];  // accelerations of the centres where no coordinate accelerates
    for (int b = 0; b < view.bodies; ++b) {
      const PlanarLinkView& link = view.link[b];
      double* const its = own + 2 * b;
      its[0] = its[1] = 0.0;
      if (link.carrier >= 0) {
        const double hinge[2] = {x_of(pose, link.carrier, link.at),
                                 y_of(pose, link.carrier, link.at)};
        const double of_carrier = velocity[angle_of(link.carrier)];
        const double rate = velocity[link.coordinate];
        const double centres[2][2] = {{pose.x[link.carrier], pose.y[link.carrier]},
                                      {pose.x[b], pose.y[b]}};
        for (int i = 0; i < 2; ++i) {
          const double to_hinge = hinge[i] - centres[0][i];
          const double from_hinge = centres[1][i] - hinge[i];
          its[i] = own[2 * link.carrier + i] - of_carrier * of_carrier * to_hinge -
                   rate * rate * from_hinge;
        }
      }
      const double mass = view.mass[2 * b];
      const double centre[2] = {pose.x[b], pose.y[b]};
      const double pull[2] = {mass * (view.gravity[0] - its[0]), mass * (view.gravity[1] - its[1])};
      add_row(pose, b, centre, pull, 1.0, force);
    }
  }

  /// Solves in place with the mass matrix whose factors are `m`, see Inertia.
  CAROM_HOST_DEVICE void divide_by_mass(const double* m, double* vector) const {
    const int nv = coordinates();
    for (int j = 0; j < nv; ++j) {
      for (int i = j + 1; i < nv; ++i) vector[i] = std::fma(-m[j * nv + i], vector[j], vector[i]);
    }
    for (int i = nv - 1; i >= 0; --i) {
      double sum = vector[i];
      for (int k = i + 1; k < nv; ++k) sum = std::fma(-m[k * nv + i], vector[k], sum);
      const double pivot = m[i * nv + i];
      vector[i] = pivot > 0.0 ? sum / pivot : NAN;
    }
  }

  /// Signed distance of a point from a surface, and the normal there.
  CAROM_HOST_DEVICE Touch nearest(const Pose& pose, const PlanarContactView& contact,
                                  const double* point) const {
    const PlanarSurfaceView& surface = view.surface[contact.surface];
    if (surface.kind == SurfaceKind::half_plane) {
      const double distance =
          std::fma(surface.normal[0], point[0], surface.normal[1] * point[1]) - surface.offset;
      return {distance, {surface.normal[0], surface.normal[1]}, {}};
    }
    const bool fixed = surface.body < 0;
    const double from[2] = {fixed ? point[0] : point[0] - pose.x[surface.body],
                            fixed ? point[1] : point[1] - pose.y[surface.body]};
    if (surface.kind == SurfaceKind::disc) {
      const Separation found = away(from[0], from[1]);
      return {found.gap - surface.radius, {found.normal[0], found.normal[1]}, {}};
    }
    // In the polygon's own coordinates, and back.
    const SineCosine turn = fixed ? SineCosine{0.0, 1.0} : pose.angle[surface.body];
    const SineCosine its = pose.angle[contact.body];
    PolygonCorner own;
    double down[2];
    turn_back(turn, from, own.point);
    turn_back(turn, view.gravity, down);
    for (int i = 0; i < 2; ++i) {
      double side[2];
      turn_forth(its, contact.sides[i], side);
      turn_back(turn, side, own.sides[i]);
      own.lengths[i] = contact.lengths[i];
    }
    const double passed = 10.0 * view.travel;  // of some parts: the first may be within the slack
    const Separation its_own = polygon_separation(
        surface.vertices, view.vertices + 2 * surface.first_vertex, own, down, view.slack, passed);
    Touch found{its_own.gap, {}, {}};
    turn_forth(turn, its_own.normal, found.normal);
    return found;
  }
};

/// @param reach largest gap of contacts that touch, m
inline PlanarMechanism mechanism_of(PlanarView view, double reach = 0.0) {
  view.slack = 4.0 * reach;
  return {view};
}

}  // namespace carom::inline CAROM_ISA
