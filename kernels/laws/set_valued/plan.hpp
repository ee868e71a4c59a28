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
  /// Null, or for each item steps x (m + 1) numbers in (0, 1] instead of random numbers: a step's
  /// caps as parts of h, and the number that selects its solution. Host memory, but for
  /// CudaLauncher::take_steps().
  const double* script = nullptr;
  int script_steps = 0;
  /// Null, or for each item of a script the impulses so far and the contact speeds (m (1 + d) each,
  /// as speeds) from which it starts;
  /// it then ends with its script, without Algorithm 2's final step.
  const double* start = nullptr;
  /// Null, or problems x m coefficients of restitution, of which some are not 0
  const double* restitution = nullptr;
  double capture_speed = 0.0;  ///< m/s: a contact that approached slower keeps no energy

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
