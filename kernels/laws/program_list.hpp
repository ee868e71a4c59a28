#pragma once

#include "kernels/laws/plan_list.hpp"
#include "kernels/laws/plus/law.hpp"
#include "kernels/laws/propagative/law.hpp"
#include "kernels/laws/sequential/law.hpp"
#include "kernels/laws/set_valued/all_solutions.hpp"
#include "kernels/laws/set_valued/law.hpp"
#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/laws/set_valued/line_solutions.hpp"
#include "kernels/laws/set_valued/restitution.hpp"
#include "kernels/laws/set_valued/searched_solutions.hpp"
#include "kernels/laws/set_valued/tabulated.hpp"
#include "kernels/laws/simultaneous/law.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/trajectory/trajectory.hpp"

namespace carom::inline CAROM_ISA {

// with_law<Size, effort>(plan, run) calls run(law) with the program of a law.

template <class Size, Effort effort, class Run>
void with_law(const PropagativePlan& plan, Run&& run) {
  run(PropagativeLaw<Size>{plan});
}

/// The set-valued law with a way to solve its steps, with restitution if the plan has some. A
/// device has no program with restitution.
template <class Solver, Effort effort, class Run>
void with_solver(const SetValuedPlan& plan, Run&& run) {
  if constexpr (effort == Effort::thorough) {
    if (plan.restitution != nullptr) return run(RestitutionLaw<Solver>{{{}, {}, plan}});
  }
  run(SetValuedLaw<Solver>{{}, {}, plan});
}

template <class Size, Effort effort, class Run>
void with_law(const SetValuedPlan& plan, Run&& run) {
  if (plan.solutions == Solutions::all && plan.method == SolutionMethod::unique) {
    with_solver<UniqueSolution<Size, effort>, effort>(plan, run);
  } else if (plan.solutions == Solutions::all) {
    if constexpr (exceeds_table<Size>) {
      if (plan.method == SolutionMethod::signs) {
        return with_solver<SearchedSolutions<Size, effort>, effort>(plan, run);
      }
    }
    if constexpr (exceeds_search<Size>) {
      if (plan.method == SolutionMethod::lines) {
        return with_solver<LineSolutions<Size, effort>, effort>(plan, run);
      }
    }
    with_solver<AllSolutions<Size, effort>, effort>(plan, run);
  } else if (plan.solutions == Solutions::table) {
    with_solver<TabulatedSolution<Size, effort>, effort>(plan, run);
  } else {
    with_solver<LemkeSolution<Size, effort>, effort>(plan, run);
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

template <class Size, Effort effort, class Run>
void with_law(const PlusPlan& plan, Run&& run) {
  run(PlusLaw<typename Size::General>{plan});
}

/// Calls run(program) with the program of a plan's size and law.
/// @tparam fixed_shapes whether frequent shapes have programs of their own
template <Effort effort, bool fixed_shapes, class Run>
void with_program(const SamplingPlan& plan, Run&& run) {
  visit_plan(plan.law, [&]<class LawPlan>(const LawPlan& law_plan) {
    const auto run_size = [&]<class Size>(Size) {
      with_law<Size, effort>(law_plan, [&]<class Law>(const Law& law) {
        run(Trajectory<Law>{law, plan});
      });
    };
    if constexpr (LawPlan::normals_only) {
      with_normal_capacity(plan.shape, run_size);
    } else if constexpr (fixed_shapes) {
      with_size(plan.shape, run_size);
    } else {
      with_capacity(plan.shape, run_size);
    }
  });
}

}  // namespace carom::inline CAROM_ISA
