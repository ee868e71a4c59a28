#pragma once

#include <cmath>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/mechanisms/planar_view.hpp"
#include "kernels/mechanisms/polygon.hpp"

namespace carom::inline CAROM_ISA {

/// The longest time for which the bodies can keep their velocity, s: no one moves so far that it
/// could be on the other side of another one, or turns so far that a corner could come and go,
/// and inertial forces are resolved. What all have in common of their velocities moves none
/// towards another.
CAROM_HOST_DEVICE inline double longest_time(const PlanarView& view, const double* velocity) {
  double common[2];  // m/s: the middle of the free bodies' velocities
  for (int i = 0; i < 2; ++i) {
    double least = INFINITY;
    double greatest = -INFINITY;
    for (int b = 0; b < view.bodies; ++b) {
      if (view.link[b].carrier >= 0) continue;
      least = smaller(least, velocity[view.link[b].coordinate + i]);
      greatest = larger(greatest, velocity[view.link[b].coordinate + i]);
    }
    common[i] = 0.5 * (least + greatest);
  }
  double centre[max_bodies];  // at most, m/s, beside the common velocity
  double fastest = 0.0;
  double turning = 0.0;  // rad/s
  for (int b = 0; b < view.bodies; ++b) {
    const PlanarLinkView& link = view.link[b];
    const double rate = std::fabs(velocity[link.angle()]);
    if (link.carrier < 0) {
      centre[b] =
          away(velocity[link.coordinate] - common[0], velocity[link.coordinate + 1] - common[1])
              .gap;
    } else {
      const double of_carrier = std::fabs(velocity[view.link[link.carrier].angle()]);
      centre[b] = centre[link.carrier] + of_carrier * away(link.at[0], link.at[1]).gap +
                  rate * away(link.own[0], link.own[1]).gap;
    }
    fastest = larger(fastest, std::fma(rate, view.extent[b], centre[b]));
    if (view.hinged || !link.is_round) turning = larger(turning, rate);
  }
  // Two bodies meet at most twice as fast; alone, each is faster by what is common.
  const double speed = fastest + smaller(fastest, away(common[0], common[1]).gap);
  const double of_travel = view.travel == 0.0 ? INFINITY : view.travel / speed;
  return smaller(of_travel, most_turn / turning);
}

}  // namespace carom::inline CAROM_ISA
