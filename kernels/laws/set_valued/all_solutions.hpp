#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/modes/mode_enumeration.hpp"

namespace carom::inline CAROM_ISA {

/// One of all distinct outcomes of a step, each equally probable. If the enumeration finds none
/// (rounding at the edges of all modes), Lemke's solution is used, and the step is counted as such.
template <class AnySize, Effort effort>
struct AllSolutions {
  using Size = AnySize;
  /// Greatest number of distinct velocities that are kept; no step with more is known.
  static constexpr int most_distinct = 16;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                                           const double* before, double* impulse,
                                           double* after) const {
    const ContactStep<Size> one(problem, before, context.cap);
    const ModeEnumeration<Size> enumeration(problem, *context.modes, one);
    const int impulses = problem.shape.impulses();
    const double distance = one.merge_distance();
    double step[most_distinct][Size::impulses];
    double speed[most_distinct][Size::impulses];
    double residual[most_distinct];
    int count = 0;
    enumeration.for_each_solution(
        [&](int, const double* its_impulse, const double* its_speed, double its_residual) {
          if (count == most_distinct) return;
          for (int other = 0; other < count; ++other) {
            double difference = 0.0;
            for (int i = 0; i < impulses; ++i) {
              difference = larger(difference, std::fabs(its_speed[i] - speed[other][i]));
            }
            if (difference <= distance) return;
          }
          for (int i = 0; i < impulses; ++i) {
            step[count][i] = its_impulse[i];
            speed[count][i] = its_speed[i];
          }
          residual[count++] = its_residual;
        });
    if (count == 0) {
      return without_solutions<Size, effort>(problem, context, before, impulse, after);
    }

    bool continuum = false;
    enumeration.for_each_segment(
        [&](int, const double*, const double*, double, double) { continuum = true; });
    if (continuum) context.count_solutions(0);
    context.count_solutions(count < solution_bins - 2 ? count : solution_bins - 2);

    const int chosen = count == 1 ? 0 : choose_evenly(context.selection(), count);
    for (int i = 0; i < impulses; ++i) {
      impulse[i] = step[chosen][i];
      after[i] = speed[chosen][i];
    }
    StepOutcome outcome;
    outcome.residual = residual[chosen];
    return outcome;
  }
};

static_assert(std::is_trivially_copyable_v<AllSolutions<Capacity<10, 16>, Effort::fast>>);

}  // namespace carom::inline CAROM_ISA
