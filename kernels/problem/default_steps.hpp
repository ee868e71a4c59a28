#pragma once

#include "kernels/base/qualifiers.hpp"

namespace carom {

/// Default h, N·s: what contacts need, 1 where none approaches.
CAROM_VIEW_FUNCTION constexpr double default_impulse_step(double needed_impulse) {
  constexpr double where_nothing_approaches = 1.0;
  return needed_impulse > 0.0 ? needed_impulse : where_nothing_approaches;
}

/// Default epsilon of a single trajectory, where it only sets the cap of the final step, and a
/// pilot run would cost more than the trajectory.
CAROM_VIEW_FUNCTION constexpr double default_epsilon(double impulse_step) {
  constexpr double usual = 0.01;
  constexpr double part_of_step = 0.1;
  return usual < impulse_step ? usual : part_of_step * impulse_step;
}

/// The cap of Algorithm 2's final step, N·s.
CAROM_VIEW_FUNCTION constexpr double final_cap(double epsilon, double psi) {
  return epsilon / (3.0 * psi);
}

/// Caps as speeds, m/s, beyond which products with M^-1 would leave the range of a double.
inline constexpr double most_step_speed = 1e150;
inline constexpr double least_cap_speed = 1e-150;

}  // namespace carom
