#pragma once

#include "kernels/laws/sequential/law.hpp"
#include "kernels/laws/set_valued/any_solution.hpp"
#include "kernels/laws/set_valued/host_solution.hpp"
#include "kernels/laws/simultaneous/law.hpp"

namespace carom::inline CAROM_ISA {

// Laws with the solvers of a host, or of a device whose programs have one solver each.

template <class Size, Effort effort>
CAROM_HOST_DEVICE auto simultaneous_law(const ProblemShape& shape, const SimultaneousPlan& plan) {
  if constexpr (effort == Effort::thorough) {
    const StepSolver solver = step_search(shape, plan.method(shape));
    return SimultaneousLaw<HostSolution<Size>>{{}, {solver}, plan};
  } else {
    return SimultaneousLaw<AnySearch<Size, effort>>{{}, {}, plan};
  }
}

template <class Size, Effort effort>
CAROM_HOST_DEVICE auto sequential_law(const SequentialPlan& plan) {
  if constexpr (effort == Effort::thorough) {
    return SequentialLaw<Size, HostStep>{{}, {solve_host_step}, plan};
  } else {
    return SequentialLaw<Size, NoSolver>{{}, {}, plan};
  }
}

}  // namespace carom::inline CAROM_ISA
