#pragma once

#include <cstdint>

#include "kernels/laws/set_valued/plan.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/trajectory/run_plan.hpp"

namespace carom {

/// Contacts of a planar problem in the largest compiled size.
inline constexpr int max_contacts = LargestCapacity::contacts;

/// The set-valued law of problems that become flat where they are sampled, each of which has one
/// trajectory. Its steps take Lemke's solutions: of Solutions::all, if they are proven to be all.
struct ImpactPlan {
  Solutions solutions = Solutions::first;  ///< not `table`
  CapsView caps[max_contacts];             ///< of 1, 2, ... contacts
  RunPlan run;                             ///< seed, problem id, N and tolerance
  double impulse_step = 0.0;               ///< h, N·s; 0: what each problem needs
  double epsilon = 0.0;                    ///< 0: chosen by h
  bool kinetic = false;                    ///< the norm of epsilon
  double capture_speed = 0.0;              ///< as of SetValuedPlan, where there is restitution

  /// Calls array(pointer, count) for every array that a device needs.
  template <class Array>
  void for_each_array(Array&& array) {
    for (int m = 1; m <= max_contacts; ++m) {
      caps[m - 1].for_each_array(static_cast<std::size_t>(m), array);
    }
  }
};

}  // namespace carom
