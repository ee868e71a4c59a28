#pragma once

#include <cstdint>

#include "carom/selection.hpp"
#include "kernels/base/team.hpp"
#include "kernels/laws/set_valued/pivot_tree.hpp"
#include "kernels/modes/mode_table_view.hpp"
#include "kernels/trajectory/law.hpp"

namespace carom::inline CAROM_ISA {

/// Data of a step for its solver, besides the contact speeds.
struct StepContext {
  const double* cap;  ///< m, as speeds
  Philox random;
  std::uint32_t step;
  Solutions solutions;
  SolutionMethod method = SolutionMethod::modes;  ///< of Solutions::all
  const ModeTableView* modes;                     ///< of the problem; for Solutions::all and table
  const PivotTree* tree;                          ///< of the problem, or null
  const double* scripted_selection;               ///< null: a random number
  std::uint16_t* solution_count;  ///< solution_bins counters of the trajectory, or null

  /// A covering vector (n): each entry 2^-10 to 1 + 2^-10 times the view's, of cones a power of two
  /// from 1 to 2^7 times it. With much there, friction can act before normal impulses do, and the
  /// LCP's other solutions are found (bench/RESULTS.md, "Covering vectors without units").
  /// @tparam Team the threads that call it together
  template <class Team = SoleThread>
  CAROM_HOST_DEVICE void draw_cover(const StepLcpView& problem, double* cover) const {
    constexpr double least = 0x1p-10;  // far above rounding, small enough for any direction
    constexpr double powers_of_cones = 8.0;
    const int n = problem.shape.lcp_size();
    const int first_cone = n - problem.shape.contacts;
    const auto entry = [&](int i, double drawn) {
      const double factor =
          i < first_cone ? drawn + least : 1 << static_cast<int>(powers_of_cones * drawn);
      cover[i] = problem.cover()[i] * factor;
    };
    Team::each((n + 1) / 2, [&](int block) {
      const int i = 2 * block;
      double pair[2];
      random.uniform_pair(step, Purpose::cover, static_cast<std::uint32_t>(block), pair);
      entry(i, pair[0]);
      if (i + 1 < n) entry(i + 1, pair[1]);
    });
  }

  /// The number, uniform on (0, 1], that selects the step's solution.
  CAROM_HOST_DEVICE double selection() const {
    if (scripted_selection != nullptr) return *scripted_selection;
    double pair[2];
    random.uniform_pair(step, Purpose::selection, 0, pair);
    return pair[0];
  }

  CAROM_HOST_DEVICE void count_solutions(int bin) const {
    if (solution_count != nullptr) ++solution_count[bin];
  }
};

/// The solution by `solver` of a step of which not all solutions were found; the step is counted as
/// such.
template <class Solver>
CAROM_HOST_DEVICE StepOutcome count_as_incomplete(const Solver& solver, const StepLcpView& problem,
                                                  const StepContext& context, const double* before,
                                                  double* impulse, double* after) {
  StepContext uncounted = context;
  uncounted.solution_count = nullptr;
  const StepOutcome outcome = solver(problem, uncounted, before, impulse, after);
  if (outcome.status == Status::separated) context.count_solutions(solution_bins - 1);
  return outcome;
}

}  // namespace carom::inline CAROM_ISA
