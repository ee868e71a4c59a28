#pragma once

#include <cstddef>

#include "carom/selection.hpp"
#include "kernels/modes/mode_table_view.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// The simultaneous law of a run.
struct SimultaneousPlan {
  static constexpr bool normals_only = false;  ///< whether problems have no tangents
  SolutionMethod method = SolutionMethod::modes;
  const ModeTableView* modes = nullptr;  ///< one per problem, without caps; null without a table

  /// As of SetValuedPlan: the number that selects the solution.
  static constexpr int step_numbers(const ProblemShape&) { return 1; }
  static constexpr int more_state(const ProblemShape&) { return 0; }
  /// Whether a device has a program: for tables.
  constexpr bool on_devices() const { return method == SolutionMethod::modes; }

  /// As SetValuedPlan::for_each_array.
  template <class Array>
  void for_each_array(const ProblemShape&, std::size_t problems, Array&& array) {
    array(modes, problems);
  }
};

}  // namespace carom
