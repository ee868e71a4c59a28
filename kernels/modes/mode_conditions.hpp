#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/modes/mode_table_view.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// One problem's friction polygon, the same for every contact except for mu.
struct FrictionPolygon {
  int d;                     ///< 1 or 2
  int k;                     ///< vertices
  const double* directions;  ///< k x d

  CAROM_HOST_DEVICE double along(int j, const double* tangential) const {
    const double* row = directions + (j < k ? j : j % k) * d;
    double sum = 0.0;
    for (int a = 0; a < d; ++a) sum = std::fma(row[a], tangential[a], sum);
    return sum;
  }
  /// Outward normal of the edge between directions j and j + 1; not of length 1.
  CAROM_HOST_DEVICE double across_edge(int j, const double* tangential) const {
    return along(j, tangential) + along(j + 1, tangential);
  }
  CAROM_HOST_DEVICE double along_edge(int j, const double* tangential) const {
    return along(j + 1, tangential) - along(j, tangential);
  }
  /// across_edge at the edge itself, for a polygon of radius 1.
  CAROM_HOST_DEVICE double edge_distance(int j) const {
    return across_edge(j, directions + (j % k) * d);
  }
  /// along_edge at the edge's end.
  CAROM_HOST_DEVICE double edge_end(int j) const {
    return along_edge(j, directions + ((j + 1) % k) * d);
  }
};

/// Calls condition(value) for each number that must be >= 0 for a contact to be in `state`. The
/// values are linear in (cap, impulse, speed), so the function can also be applied to rows of
/// conditions. `impulse` and `speed` (after the step) are the contact's normal and tangential
/// components.
template <class Condition>
CAROM_HOST_DEVICE void contact_conditions(const ContactState& state, const FrictionPolygon& polygon,
                                          double mu, bool capped, double cap, const double* impulse,
                                          const double* speed, Condition&& condition) {
  if (state.normal == ContactState::none) {
    condition(speed[0]);
    return;
  }
  if (state.normal == ContactState::at_cap) {
    condition(-speed[0]);
  } else {
    condition(impulse[0]);
    if (capped) condition(cap - impulse[0]);
  }
  const double* tangential = impulse + 1;
  const double radius = mu * impulse[0];
  const int j = state.direction;
  if (state.friction == ContactState::stick) {
    if (polygon.d == 1) {
      condition(radius - tangential[0]);
      condition(radius + tangential[0]);
      return;
    }
    for (int e = 0; e < polygon.k; ++e) {
      condition(radius * polygon.edge_distance(e) - polygon.across_edge(e, tangential));
    }
  } else if (state.friction == ContactState::vertex) {
    if (polygon.d == 1) {
      condition(-polygon.along(j, speed + 1));
      return;
    }
    condition(polygon.along_edge(j, speed + 1));
    condition(-polygon.along_edge(j + polygon.k - 1, speed + 1));
  } else if (state.friction == ContactState::edge) {
    const double reach = radius * polygon.edge_end(j);
    condition(reach - polygon.along_edge(j, tangential));
    condition(reach + polygon.along_edge(j, tangential));
    condition(-polygon.across_edge(j, speed + 1));
  } else if (state.friction == ContactState::idle) {
    for (int a = 0; a < polygon.d; ++a) {
      condition(speed[1 + a]);
      condition(-speed[1 + a]);
    }
  }
}

}  // namespace carom::inline CAROM_ISA
