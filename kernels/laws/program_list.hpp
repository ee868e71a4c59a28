#pragma once

#include <type_traits>

#include "kernels/laws/laws_with_solvers.hpp"
#include "kernels/laws/plan_list.hpp"
#include "kernels/laws/plus/law.hpp"
#include "kernels/laws/propagative/law.hpp"
#include "kernels/laws/set_valued/law.hpp"
#include "kernels/laws/set_valued/restitution.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/trajectory/trajectory.hpp"

namespace carom::inline CAROM_ISA {

// with_law<Size, effort>(plan, shape, run) calls run(law) with the program of a law.

template <class Size, Effort effort, class Run>
void with_law(const PropagativePlan& plan, const ProblemShape&, Run&& run) {
  run(PropagativeLaw<Size>{plan});
}

/// With restitution, if the plan has some, and one program for all solvers; on a device, a program
/// for each solver, of those that the plan's on_devices() names: there, the registers of the
/// largest solver would be those of each. All solutions of two planar contacts are found in half
/// the instructions if the shape is known at compile time.
template <class Size, Effort effort, class Run>
void with_law(const SetValuedPlan& plan, const ProblemShape& shape, Run&& run) {
  if constexpr (effort == Effort::thorough) {
    using Solver = HostSolution<Size>;
    const Solver solver{step_solver(shape, plan.solutions, plan.method)};
    if (plan.restitution != nullptr) return run(RestitutionLaw<Solver>{{{}, solver, plan}});
    run(SetValuedLaw<Solver>{{}, solver, plan});
  } else {
    if constexpr (std::is_same_v<Size, TwoPlanarContacts::General>) {
      if (plan.restitution == nullptr && plan.finds_all_by(SolutionMethod::modes) &&
          TwoPlanarContacts::is_shape_of(shape)) {
        return run(SetValuedLaw<AllSolutions<TwoPlanarContacts, effort>>{{}, {}, plan});
      }
    }
    const bool finds_all = plan.finds_all_by(SolutionMethod::modes);
    if (plan.restitution != nullptr) {
      if (finds_all) return run(RestitutionLaw<AllSolutions<Size, effort>>{{{}, {}, plan}});
      return run(RestitutionLaw<LemkeSolution<Size, effort>>{{{}, {}, plan}});
    }
    if (finds_all) return run(SetValuedLaw<AllSolutions<Size, effort>>{{}, {}, plan});
    if (plan.solutions == Solutions::table) {
      return run(SetValuedLaw<TabulatedSolution<Size, effort>>{{}, {}, plan});
    }
    run(SetValuedLaw<LemkeSolution<Size, effort>>{{}, {}, plan});
  }
}

/// On no device: see SimultaneousPlan::on_devices().
template <class Size, Effort effort, class Run>
void with_law(const SimultaneousPlan& plan, const ProblemShape& shape, Run&& run) {
  if constexpr (effort == Effort::thorough) {
    run(simultaneous_law<typename Size::General, effort>(shape, plan));
  }
}

template <class Size, Effort effort, class Run>
void with_law(const SequentialPlan& plan, const ProblemShape&, Run&& run) {
  run(sequential_law<typename Size::General, effort>(plan));
}

template <class Size, Effort effort, class Run>
void with_law(const PlusPlan& plan, const ProblemShape&, Run&& run) {
  run(PlusLaw<typename Size::General>{plan});
}

/// Calls run(program) with the program of a plan's size and law.
/// @tparam fixed_shapes whether frequent shapes have programs of their own
template <Effort effort, bool fixed_shapes, class Run>
void with_program(const SamplingPlan& plan, Run&& run) {
  visit_plan(plan.law, [&]<class LawPlan>(const LawPlan& law_plan) {
    const auto run_size = [&]<class Size>(Size) {
      with_law<Size, effort>(law_plan, plan.shape, [&]<class Law>(const Law& law) {
        run(Trajectory<Law>{law, plan});
      });
    };
    if constexpr (LawPlan::normals_only) {
      with_normal_capacity(plan.shape, run_size);
    } else {
      using Largest =
          std::conditional_t<effort == Effort::fast, LargestDeviceCapacity, LargestCapacity>;
      with_size_up_to<Largest, fixed_shapes>(plan.shape, run_size);
    }
  });
}

}  // namespace carom::inline CAROM_ISA
