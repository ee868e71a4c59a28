#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/modes/mode_table_view.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// The sequential law of a run: every contact of every problem as a problem with this contact only.
struct SequentialPlan {
  static constexpr bool normals_only = false;  ///< whether problems have no tangents
  const double* alone = nullptr;               ///< problems x m flat problems of one contact
  const ModeTableView* modes = nullptr;        ///< problems x m, without caps

  /// As of SetValuedPlan: the numbers that choose contact and solution.
  static constexpr int step_numbers(const ProblemShape&) { return 2; }
  static constexpr int more_state(const ProblemShape&) { return 0; }

  static constexpr ProblemShape shape_alone(const ProblemShape& shape) {
    return {1, shape.velocities, shape.tangent_dimension, shape.friction_directions};
  }
  /// Contact `contact` of problem `problem` alone.
  CAROM_VIEW_FUNCTION StepLcpView view(const ProblemShape& shape, std::uint64_t problem,
                                       int contact) const {
    const StepLcpView one{{1, shape.velocities, shape.tangent_dimension, shape.friction_directions},
                          nullptr};
    return {one.shape,
            alone + place(shape, problem, contact) * static_cast<std::uint64_t>(one.data_size())};
  }
  CAROM_VIEW_FUNCTION static std::uint64_t place(const ProblemShape& shape, std::uint64_t problem,
                                                 int contact) {
    return problem * static_cast<std::uint64_t>(shape.contacts) +
           static_cast<std::uint64_t>(contact);
  }

  /// As SetValuedPlan::for_each_array.
  template <class Array>
  void for_each_array(const ProblemShape& shape, std::size_t problems, Array&& array) {
    const std::size_t contacts = problems * static_cast<std::size_t>(shape.contacts);
    const StepLcpView one{shape_alone(shape), nullptr};
    array(alone, contacts * static_cast<std::size_t>(one.data_size()));
    array(modes, contacts);
  }
};

}  // namespace carom
