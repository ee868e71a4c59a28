#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/laws/set_valued/draw_solution.hpp"
#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/modes/mode_enumeration.hpp"

namespace carom::inline CAROM_ISA {

/// One of all distinct outcomes of a step, each equally probable. If the enumeration finds none
/// (rounding at the edges of all modes), Lemke's solution is used, and the step is counted as such.
template <class AnySize, Effort effort>
struct AllSolutions {
  using Size = AnySize;
  /// Greatest number of distinct velocities and segments that are kept; no step with more is known.
  static constexpr int most_pieces = 24;

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem,
                                                             const StepContext& context,
                                                             const double* before, double* impulse,
                                                             double* after) const {
    const ContactStep<Size> step(problem, before, context.cap);
    const ModeEnumeration<Size> enumeration(problem, *context.modes, step);
    SolutionComponents<Size, most_pieces> solutions(step);
    enumeration.for_each_solution(
        [&](int, const double* its_impulse, const double* its_speed, double residual) {
          solutions.add(its_impulse, its_speed, residual);
        });
    if (solutions.pieces() == 0) {
      return without_solutions<Size, effort>(problem, context, before, impulse, after);
    }
    enumeration.for_each_segment(
        [&](int, const double* point, const double* direction, double low, double high) {
          double end[2][Size::impulses];
          double speed[2][Size::impulses];
          double residual = 0.0;
          for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < problem.shape.impulses(); ++i) {
              end[side][i] = std::fma(side == 0 ? low : high, direction[i], point[i]);
            }
            residual = larger(residual, step.assess(end[side], speed[side]));
            if (!(residual <= residual_tolerance)) return;
          }
          solutions.add(end[0], speed[0], end[1], speed[1], residual);
        });
    solutions.join([](int, int) { return false; });
    return draw_solution(solutions, step, context, impulse, after);
  }
};

static_assert(std::is_trivially_copyable_v<AllSolutions<Capacity<10, 16>, Effort::fast>>);

}  // namespace carom::inline CAROM_ISA
