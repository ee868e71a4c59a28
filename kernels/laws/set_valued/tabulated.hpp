#pragma once

#include <type_traits>

#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/modes/mode_enumeration.hpp"

namespace carom::inline CAROM_ISA {

/// The solution of the first contact mode of a table that holds; Lemke's solution if none holds.
template <class AnySize, Effort effort>
struct TabulatedSolution {
  using Size = AnySize;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                                           const double* before, double* impulse,
                                           double* after) const {
    const ContactStep<Size> step(problem, before, context.cap);
    const ModeEnumeration<Size> enumeration(problem, *context.modes, step);
    StepOutcome outcome;
    outcome.residual = enumeration.find_first(impulse, after);
    outcome.tabulated = outcome.residual <= residual_tolerance;
    if (outcome.tabulated) return outcome;
    return LemkeSolution<Size, effort>{}(problem, context, before, impulse, after);
  }
};

static_assert(std::is_trivially_copyable_v<TabulatedSolution<Capacity<10, 16>, Effort::fast>>);

}  // namespace carom::inline CAROM_ISA
