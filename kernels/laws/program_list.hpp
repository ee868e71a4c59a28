#pragma once

#include "kernels/laws/plan_list.hpp"
#include "kernels/laws/sequential/law.hpp"
#include "kernels/laws/set_valued/all_solutions.hpp"
#include "kernels/laws/set_valued/law.hpp"
#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/laws/set_valued/line_solutions.hpp"
#include "kernels/laws/set_valued/searched_solutions.hpp"
#include "kernels/laws/set_valued/tabulated.hpp"
#include "kernels/laws/simultaneous/law.hpp"

namespace carom::inline CAROM_ISA {

// with_law<Size, effort>(plan, run) calls run(law) with the program of a law.

template <class Size, Effort effort, class Run>
void with_law(const SetValuedPlan& plan, Run&& run) {
  if (plan.solutions == Solutions::all && plan.method == SolutionMethod::unique) {
    run(SetValuedLaw<UniqueSolution<Size, effort>>{{}, plan});
  } else if (plan.solutions == Solutions::all) {
    if constexpr (exceeds_table<Size>) {
      if (plan.method == SolutionMethod::signs) {
        return run(SetValuedLaw<SearchedSolutions<Size, effort>>{{}, plan});
      }
      if (plan.method == SolutionMethod::lines) {
        return run(SetValuedLaw<LineSolutions<Size, effort>>{{}, plan});
      }
    }
    run(SetValuedLaw<AllSolutions<Size, effort>>{{}, plan});
  } else if (plan.solutions == Solutions::table) {
    run(SetValuedLaw<TabulatedSolution<Size, effort>>{{}, plan});
  } else {
    run(SetValuedLaw<LemkeSolution<Size, effort>>{{}, plan});
  }
}

template <class Size, Effort effort, class Run>
void with_law(const SimultaneousPlan& plan, Run&& run) {
  run(SimultaneousLaw<typename Size::General, effort>{{}, plan});
}

template <class Size, Effort effort, class Run>
void with_law(const SequentialPlan& plan, Run&& run) {
  run(SequentialLaw<typename Size::General, effort>{{}, plan});
}

}  // namespace carom::inline CAROM_ISA
