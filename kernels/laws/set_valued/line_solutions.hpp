#pragma once

#include <type_traits>

#include "kernels/laws/set_valued/draw_solution.hpp"
#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/signs/sign_lines.hpp"
#include "kernels/signs/solution_pieces.hpp"

namespace carom::inline CAROM_ISA {

/// Whether problems of a size can have more coordinates than a search goes over.
template <class Size>
inline constexpr bool exceeds_search = Size::bounded_size / 2 > most_searched_coordinates;

/// One of the distinct outcomes of a step that random lines find, each equally probable: for steps
/// too large for SearchedSolutions. Some outcomes may be missed; if that is certain, the step
/// counts as one whose solutions were not all found. If the lines find none, Lemke's solution is
/// used.
template <class AnySize, Effort effort>
struct LineSolutions {
  using Size = AnySize;
  static constexpr int max_coordinates = Size::bounded_size / 2;
  static constexpr int most_pieces = 32;

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem,
                                                             const StepContext& context,
                                                             const double* before, double* impulse,
                                                             double* after) const {
    const ContactStep<Size> step(problem, before, context.cap);
    const BoxForm<max_coordinates> box(problem, before, context.cap,
                                       summed_speed(problem, problem.pre_impact_velocity()));
    SignLines<max_coordinates> lines(box);
    SolutionPieces<Size, max_coordinates, most_pieces> solutions(step, box);
    const LinesReport report = lines.run(
        context.random, context.step,
        [&](const SolutionPiece<max_coordinates>& piece) { return solutions.add(piece); });
    if (!solutions.has_all()) {
      return without_solutions<Size, effort>(problem, context, before, impulse, after);
    }
    const bool may_have_all = report.parity && report.room;
    return draw_solution(solutions.join(), step, context, impulse, after, may_have_all);
  }
};

static_assert(std::is_trivially_copyable_v<LineSolutions<Capacity<10, 16>, Effort::fast>>);

}  // namespace carom::inline CAROM_ISA
