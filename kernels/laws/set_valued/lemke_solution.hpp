#pragma once

#include <type_traits>

#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/step_lcp.hpp"

namespace carom::inline CAROM_ISA {

/// A step of Halm & Posa's law: normal impulses up to given caps, Coulomb friction (Eq. 72-75).
/// Among several solutions, Lemke's method selects one by a covering vector: the view's, or a
/// random one with Solutions::cover. Where solutions are counted, it counts as the step's only one.
///
/// The call has the form of every solver: from contact speeds `before` (m (1 + d)) to the step's
/// impulses and the speeds `after` the step, all as speeds. Results are written only if the outcome
/// is `separated`.
template <class AnySize, Effort effort>
struct LemkeSolution {
  using Size = AnySize;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                                           const double* before, double* impulse,
                                           double* after) const {
    double drawn[Size::lcp_size];
    const double* cover = nullptr;
    if (context.solutions == Solutions::cover) {
      context.draw_cover(problem, drawn);
      cover = drawn;
    }
    const StepOutcome outcome =
        solve_step<Size, effort>(problem, before, context.cap, cover, impulse, after);
    if (outcome.status == Status::separated) context.count_solutions(1);
    return outcome;
  }
};

static_assert(std::is_trivially_copyable_v<LemkeSolution<Capacity<10, 16>, Effort::fast>>);

/// Lemke's solution of a step of which not all solutions were found. It is left to the thorough
/// effort.
template <class Size, Effort effort>
CAROM_HOST_DEVICE StepOutcome without_solutions(const StepLcpView& problem,
                                                const StepContext& context, const double* before,
                                                double* impulse, double* after) {
  if constexpr (effort == Effort::thorough) {
    return count_as_incomplete(LemkeSolution<Size, effort>{}, problem, context, before, impulse,
                               after);
  } else {
    return {.status = undecided};
  }
}

}  // namespace carom::inline CAROM_ISA
