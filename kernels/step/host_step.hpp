#pragma once

#include "kernels/base/qualifiers.hpp"
#include "kernels/step/step_lcp_view.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom {

/// Solves a step's LCP: see StepLcp::solve().
using SolveStep = StepOutcome (*)(const StepLcpView& view, const double* speed, const double* cap,
                                  const double* cover, double* impulse, double* after);

inline namespace CAROM_ISA {

// What programs of a host share: compiled once per instruction set, by kernels/cpu/solve_steps.cpp,
// and not once for each law and program.

/// solve_step() with Effort::thorough, in the smallest size that holds the problem.
StepOutcome solve_host_step(const StepLcpView& view, const double* speed, const double* cap,
                            const double* cover, double* impulse, double* after);

/// StepLcp::solve_thoroughly() in the largest size, since few steps need it.
void solve_thoroughly(const StepLcpView& view, const double* speed, const double* cap,
                      const double* cover, double* impulse, double* after, StepOutcome& outcome);

}  // namespace CAROM_ISA
}  // namespace carom
