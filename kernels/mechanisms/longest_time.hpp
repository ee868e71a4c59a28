#pragma once

#include <cmath>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/mechanisms/planar_view.hpp"
#include "kernels/mechanisms/polygon.hpp"

namespace carom::inline CAROM_ISA {

/// The longest time for which the bodies can keep their velocity, s: no two that can touch move
/// relative to each other by more than their distance and twice PlanarView::travel, so that none
/// could be on the other side of the other, none turns so far that a corner could come and go, and
/// inertial forces are resolved.
/// @param x, y the bodies' centres, m
CAROM_HOST_DEVICE inline double longest_time(const PlanarView& view, const double* x,
                                             const double* y, const double* velocity) {
  int root[max_bodies];  // the free body of the same chain
  double
      chain[max_bodies];  // m/s, at most: the centre's speed beside that of the chain's free body
  double turning = 0.0;   // rad/s
  for (int b = 0; b < view.bodies; ++b) {
    const PlanarLinkView& link = view.link[b];
    const double rate = std::fabs(velocity[link.angle()]);
    root[b] = link.carrier < 0 ? b : root[link.carrier];
    chain[b] = 0.0;
    if (link.carrier >= 0) {
      const double of_carrier = std::fabs(velocity[view.link[link.carrier].angle()]);
      chain[b] = chain[link.carrier] + of_carrier * away(link.at[0], link.at[1]).gap +
                 rate * away(link.own[0], link.own[1]).gap;
    }
    if (view.hinged || !link.is_round) turning = larger(turning, rate);
  }
  double longest = most_turn / turning;
  if (view.travel == 0.0) return longest;
  int before[2] = {-1, -1};
  for (int i = 0; i < view.pairs; ++i) {
    const int pair[2] = {view.contact[i].body, view.surface[view.contact[i].surface].body};
    // A fixed surface has no other side; contacts of the same bodies follow one another.
    if (pair[1] < 0 || (pair[0] == before[0] && pair[1] == before[1])) continue;
    double reach = 0.0;
    double speed = 0.0;
    for (int k = 0; k < 2; ++k) {
      const int b = before[k] = pair[k];
      const double rate = std::fabs(velocity[view.link[b].angle()]);
      reach += view.extent[b];
      speed += std::fma(rate, view.extent[b], chain[b]);
    }
    const int first = view.link[root[pair[0]]].coordinate;
    const int second = view.link[root[pair[1]]].coordinate;
    speed +=
        away(velocity[first] - velocity[second], velocity[first + 1] - velocity[second + 1]).gap;
    const double distance = away(x[pair[0]] - x[pair[1]], y[pair[0]] - y[pair[1]]).gap - reach;
    longest = smaller(longest, (larger(distance, 0.0) + 2.0 * view.travel) / speed);
  }
  return longest;
}

}  // namespace carom::inline CAROM_ISA
