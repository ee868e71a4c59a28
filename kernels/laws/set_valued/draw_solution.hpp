#pragma once

#include <cmath>

#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/step/solution_components.hpp"

namespace carom::inline CAROM_ISA {

/// One of the distinct solutions of a step: each component is equally probable, and in a continuum
/// each place along its pieces. Counts the step. One number selects both.
/// @param solutions see SolutionComponents
/// @param step a ContactStep
/// @param has_all false if some solutions are known to be missing
template <class Components, class Step>
CAROM_HOST_DEVICE StepOutcome draw_solution(const Components& solutions, const Step& step,
                                            const StepContext& context, double* impulse,
                                            double* after, bool has_all = true) {
  const int count = solutions.components();
  const bool continuum = solutions.has_continuum();
  if (continuum) context.count_solutions(0);
  context.count_solutions(!has_all                    ? solution_bins - 1
                          : count < solution_bins - 2 ? count
                                                      : solution_bins - 2);
  const double number = count > 1 || continuum ? context.selection() : 1.0;
  const int chosen = choose_evenly(number, count);
  solutions.place(chosen, std::fma(number, count, -chosen), impulse);
  StepOutcome outcome;
  outcome.residual = step.assess(impulse, after);
  return outcome;
}

}  // namespace carom::inline CAROM_ISA
