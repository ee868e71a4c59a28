#pragma once

#include "kernels/base/qualifiers.hpp"
#include "kernels/step/host_step.hpp"

namespace carom {

/// One step LCP of a problem in plain units.
struct StepArrays {
  double* cap_slack;          ///< m, m/s
  double* normal_impulse;     ///< m, N·s
  double* direction_impulse;  ///< m k, N·s
  double* slip_speed;         ///< m, m/s
  double* impulse;            ///< m (1 + d): normal and net tangential, N·s
  double* velocity;           ///< nv: velocity before the step on entry, after it on return
};

inline namespace CAROM_ISA {

/// Solves one step with caps (m, N·s); the arrays are written only if the step is solved.
StepOutcome run_step(const StepLcpView& problem, const double* cap, Effort effort,
                     const StepArrays& arrays);

}  // namespace CAROM_ISA
}  // namespace carom
