#pragma once

#include <cstdint>

#include "carom/selection.hpp"
#include "kernels/laws/set_valued/caps_view.hpp"
#include "kernels/laws/set_valued/pivot_tree.hpp"
#include "kernels/modes/mode_table_view.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// The set-valued law of a run.
struct SetValuedPlan {
  static constexpr bool normals_only = false;  ///< whether problems have no tangents
  Solutions solutions = Solutions::first;
  SolutionMethod method = SolutionMethod::modes;  ///< of Solutions::all
  CapsView caps;
  const ModeTableView* modes = nullptr;  ///< one per problem; null unless a table is used
  /// Null, or one per problem: pivot paths known from a pilot run; without nodes if none are known.
  /// Outcomes do not depend on them.
  const PivotTree* trees = nullptr;
  /// Null, or problems x m coefficients of restitution, of which some are not 0
  const double* restitution = nullptr;
  double capture_speed = 0.0;  ///< m/s: a contact that approached slower keeps no energy

  /// Numbers of a script's step: caps as parts of h, and the number that selects its solution.
  static constexpr int step_numbers(const ProblemShape& shape) { return shape.contacts + 1; }
  /// Numbers of a state besides impulses and speeds: energies kept, fastest approaches, and the
  /// kinetic energy.
  constexpr int more_state(const ProblemShape& shape) const {
    return restitution == nullptr ? 0 : 2 * shape.contacts + 1;
  }

  /// How all solutions of a step are searched for.
  CAROM_VIEW_FUNCTION static constexpr SolutionMethod search(const ProblemShape& shape) {
    return shape.coordinates() <= most_searched_coordinates ? SolutionMethod::signs
                                                            : SolutionMethod::lines;
  }
  /// Whether each step draws one of all its solutions, found by a method.
  constexpr bool finds_all_by(SolutionMethod its) const {
    return solutions == Solutions::all && method == its;
  }
  /// Whether a device has a program: not where all solutions are searched for, which took an H100
  /// longer than the processor beside it; and with restitution, not for tables.
  constexpr bool on_devices() const {
    return !(finds_all_by(SolutionMethod::signs) || finds_all_by(SolutionMethod::lines) ||
             (restitution != nullptr && solutions == Solutions::table));
  }

  /// Calls array(pointer, count) for every array of `problems` problems that a device needs.
  template <class Array>
  void for_each_array(const ProblemShape& shape, std::size_t problems, Array&& array) {
    const auto contacts = static_cast<std::size_t>(shape.contacts);
    caps.for_each_array(contacts, array);
    array(modes, problems);
    array(trees, problems);
    array(restitution, problems * contacts);
  }
};

}  // namespace carom
