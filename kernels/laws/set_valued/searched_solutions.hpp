#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/signs/sign_search.hpp"
#include "kernels/signs/solution_components.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom::inline CAROM_ISA {

/// One of all distinct outcomes of a step, each equally probable, as AllSolutions, but found by a
/// search over signs: for steps with too many contact modes for a table. A continuum is one
/// outcome, and every place along its pieces is equally probable. If the search finds none, or
/// meets a limit, Lemke's solution is used, and the step is counted as such.
template <class AnySize, Effort effort>
struct SearchedSolutions {
  using Size = AnySize;
  static constexpr int max_coordinates = Size::bounded_size / 2 < most_searched_coordinates
                                             ? Size::bounded_size / 2
                                             : most_searched_coordinates;
  /// Steps of four spatial contacts with their most pieces need 200 nodes.
  static constexpr int most_nodes = 20'000;
  static constexpr int most_pieces = 32;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                                           const double* before, double* impulse,
                                           double* after) const {
    using Piece = SolutionPiece<max_coordinates>;
    const ContactStep<Size> step(problem, before, context.cap);
    const BoxForm<max_coordinates> box(problem, before, context.cap,
                                       summed_speed(problem, problem.pre_impact_velocity()));
    SignSearch<max_coordinates> search(box);
    SolutionComponents<max_coordinates, most_pieces> solutions(box, step.merge_distance());
    double its_impulse[Size::impulses];
    double its_after[Size::impulses];
    bool room = true;
    const SearchReport report = search.run(most_nodes, [&](const Piece& piece) {
      for (int end = 0; end < piece.ends; ++end) {
        box.impulses_of(piece.x[end], its_impulse);
        if (!(step.assess(its_impulse, its_after) <= residual_tolerance)) return;
      }
      room = solutions.add(piece) && room;
    });
    if (solutions.pieces() == 0 || !report.complete || !room) {
      return without_solutions<Size, effort>(problem, context, before, impulse, after);
    }
    solutions.join();
    const int count = solutions.components();
    if (solutions.has_continuum()) context.count_solutions(0);
    context.count_solutions(count < solution_bins - 2 ? count : solution_bins - 2);

    const double number = context.selection();
    const int chosen = choose_evenly(number, count);
    double x[max_coordinates];
    solutions.place(chosen, std::fma(number, count, -chosen), x);
    box.impulses_of(x, impulse);
    StepOutcome outcome;
    outcome.residual = step.assess(impulse, after);
    return outcome;
  }
};

static_assert(std::is_trivially_copyable_v<SearchedSolutions<Capacity<10, 16>, Effort::fast>>);

}  // namespace carom::inline CAROM_ISA
