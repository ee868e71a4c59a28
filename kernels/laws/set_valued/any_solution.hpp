#pragma once

#include <type_traits>

#include "kernels/laws/set_valued/all_solutions.hpp"
#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/laws/set_valued/line_solutions.hpp"
#include "kernels/laws/set_valued/searched_solutions.hpp"
#include "kernels/laws/set_valued/tabulated.hpp"

namespace carom::inline CAROM_ISA {

/// Returns run(solver) with the solver that finds all solutions without a table.
template <class Size, Effort effort, class Run>
CAROM_HOST_DEVICE auto with_search(SolutionMethod method, Run&& run) {
  if constexpr (exceeds_search<Size>) {
    if (method == SolutionMethod::lines) return run(LineSolutions<Size, effort>{});
  }
  return run(SearchedSolutions<Size, effort>{});
}

/// The solver without a table that the step's context names.
template <class AnySize, Effort effort>
struct AnySearch {
  using Size = AnySize;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                                           const double* before, double* impulse,
                                           double* after) const {
    return with_search<Size, effort>(context.method, [&](const auto& solver) {
      return solver(problem, context, before, impulse, after);
    });
  }
};

/// Returns run(solver) with the solver of a plan's solutions.
template <class Size, Effort effort, class Run>
CAROM_HOST_DEVICE auto with_solution(Solutions solutions, SolutionMethod method, Run&& run) {
  if (solutions == Solutions::all && method != SolutionMethod::unique) {
    if (method != SolutionMethod::modes) return with_search<Size, effort>(method, run);
    return run(AllSolutions<Size, effort>{});
  }
  if (solutions == Solutions::table) return run(TabulatedSolution<Size, effort>{});
  return run(LemkeSolution<Size, effort>{});
}

}  // namespace carom::inline CAROM_ISA
