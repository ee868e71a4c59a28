#pragma once

#include <type_traits>

#include "kernels/laws/set_valued/draw_solution.hpp"
#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/signs/sign_search.hpp"
#include "kernels/signs/solution_pieces.hpp"

namespace carom::inline CAROM_ISA {

/// One of all distinct outcomes of a step, each equally probable, as AllSolutions, but found by a
/// search over signs. If the search finds none, or meets a limit, Lemke's solution is used, and the
/// step is counted as such.
template <class AnySize, Effort effort>
struct SearchedSolutions {
  using Size = AnySize;
  static constexpr int max_coordinates = Size::bounded_size / 2 < most_searched_coordinates
                                             ? Size::bounded_size / 2
                                             : most_searched_coordinates;
  /// Steps of four spatial contacts with their most pieces need 200 nodes.
  static constexpr int most_nodes = 20'000;
  static constexpr int most_pieces = 16;

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem,
                                                             const StepContext& context,
                                                             const double* before, double* impulse,
                                                             double* after) const {
    const ContactStep<Size> step(problem, before, context.cap);
    const BoxForm<max_coordinates> box(problem, before, context.cap,
                                       summed_speed(problem, problem.pre_impact_velocity()));
    SignSearch<max_coordinates> search(box);
    SolutionPieces<Size, max_coordinates, most_pieces> solutions(step, box);
    const SearchReport report = search.run(
        most_nodes, [&](const SolutionPiece<max_coordinates>& piece) { solutions.add(piece); });
    if (!report.complete || !solutions.has_all()) {
      return without_solutions<Size, effort>(problem, context, before, impulse, after);
    }
    return draw_solution(solutions.join(), step, context, impulse, after);
  }
};

static_assert(std::is_trivially_copyable_v<SearchedSolutions<Capacity<60, 48>, Effort::fast>>);

}  // namespace carom::inline CAROM_ISA
