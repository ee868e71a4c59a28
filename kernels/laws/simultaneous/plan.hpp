#pragma once

#include <cstddef>
#include <cstdint>

#include "carom/selection.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// The simultaneous law of a run.
struct SimultaneousPlan {
  static constexpr bool normals_only = false;  ///< whether problems have no tangents
  /// Its solutions are searched for: see SetValuedPlan::on_devices().
  static constexpr bool on_devices() { return false; }

  /// How a step's solutions are found. There are few steps, so that a table of contact modes or a
  /// proof that solutions are unique takes longer than it saves.
  CAROM_VIEW_FUNCTION static constexpr SolutionMethod method(const ProblemShape& shape) {
    constexpr int most = 12;  // less of a search is left out without caps: with 16, it takes 100 ms
    return shape.coordinates() <= most ? SolutionMethod::signs : SolutionMethod::lines;
  }

  /// The step of a run's trajectories is the same. Null, or for each problem how many distinct
  /// solutions it has; 0: unknown, or not all are points.
  const std::int32_t* known_count = nullptr;
  static constexpr int most_known = 7;
  /// problems x most_known x 2 x m (1 + d): impulses, and contact speeds after them, as speeds
  const double* known = nullptr;

  /// A problem's known solution.
  CAROM_VIEW_FUNCTION const double* known_solution(const ProblemShape& shape, std::uint64_t problem,
                                                   int solution) const {
    const auto size = static_cast<std::uint64_t>(2 * shape.impulses());
    return known + (problem * most_known + static_cast<std::uint64_t>(solution)) * size;
  }

  /// As of SetValuedPlan: the number that selects the solution.
  static constexpr int step_numbers(const ProblemShape&) { return 1; }
  static constexpr int more_state(const ProblemShape&) { return 0; }

  /// As SetValuedPlan::for_each_array.
  template <class Array>
  void for_each_array(const ProblemShape& shape, std::size_t problems, Array&& array) {
    array(known_count, problems);
    array(known, problems * most_known * static_cast<std::size_t>(2 * shape.impulses()));
  }
};

}  // namespace carom
