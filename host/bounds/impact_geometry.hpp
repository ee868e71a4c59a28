#pragma once

#include <vector>

#include "carom/impact_problem.hpp"
#include "host/bounds/exact.hpp"
#include "host/bounds/polyhedron.hpp"

namespace carom {

/// The velocities that the impulses of contacts can reach, exactly as the problem's doubles
/// say: v = v- + spread y with y = 0 before the impact, and one coordinate for each linearly
/// independent edge of the contacts' friction cones. Conditions and generators are homogeneous
/// vectors (1, y).
class ImpactGeometry {
 public:
  /// @param problem validated
  explicit ImpactGeometry(const ImpactProblem& problem);

  int contacts() const { return contacts_; }
  /// k
  int directions() const { return directions_; }
  bool frictionless(int contact) const { return frictionless_[index(contact)]; }
  std::size_t dimension() const { return spread_.size(); }
  int velocities() const { return static_cast<int>(start_.size()); }
  /// direction . v as a row on (1, y); `direction` has nv entries.
  RationalVector row(const RationalVector& direction) const;
  /// A contact's separating speed, and its slip along a friction direction.
  const RationalVector& normal(int contact) const { return normals_[index(contact)]; }
  const RationalVector& slip(int contact, int direction) const {
    return slips_[index(contact * directions_ + direction)];
  }
  /// The change of (1, y) by a contact's impulse on the friction cone's edge in a direction, or a
  /// positive multiple of it.
  const IntegerVector& edge(int contact, int direction) const {
    return edges_[index(contact * directions_ + direction)];
  }
  RationalVector velocity(const IntegerVector& point) const;
  /// The part of row . (1, y) that multiplies v, nv entries: y is linear in v.
  RationalVector gradient(const IntegerVector& row) const;
  /// Rows (nv entries) that vanish at v - v- for every v that impulses can reach.
  RationalMatrix unreachable() const;
  Rational kinetic_energy(const IntegerVector& point) const;

  /// What a direction . v can be for the velocities that impulses can reach without more kinetic
  /// energy than before the impact: an ellipsoid, whose centre is the velocity without any slip or
  /// separation.
  struct Reach {
    Rational centre;
    Rational square;  ///< of the greatest distance from the centre
  };
  /// @param directions nv entries each
  std::vector<Reach> within_energy(const RationalMatrix& directions) const;

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  int contacts_;
  int directions_;
  std::vector<bool> frictionless_;
  RationalMatrix mass_;
  RationalVector start_;        // nv
  RationalMatrix spread_;       // columns of the map from y to velocities, nv entries each
  RationalMatrix gram_;         // r x r: of the spread, in the mass matrix
  RationalMatrix coordinates_;  // r rows: y = coordinates (v - v-)
  RationalMatrix normals_;      // m rows of 1 + r
  RationalMatrix slips_;        // m k rows of 1 + r
  std::vector<IntegerVector> edges_;
};

}  // namespace carom
