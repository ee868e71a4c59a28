#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/modes/mode_table_view.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// The sequential law of a run.
struct SequentialPlan {
  static constexpr bool normals_only = false;  ///< whether problems have no tangents

  /// problems x m x states x (1 + d) x (1 + d): maps of each contact alone, see write_map(); null:
  /// each step computes those of its contact
  const double* maps = nullptr;

  /// As of SetValuedPlan: the numbers that choose contact and solution.
  static constexpr int step_numbers(const ProblemShape&) { return 2; }
  static constexpr int more_state(const ProblemShape&) { return 0; }

  /// Numbers of a contact's maps, of which there are fewer without friction.
  CAROM_VIEW_FUNCTION static constexpr std::size_t map_numbers(const ProblemShape& shape) {
    const int width = 1 + shape.tangent_dimension;
    const int states = frictional_states(shape.tangent_dimension, shape.friction_directions);
    return static_cast<std::size_t>(states * width * width);
  }
  /// The maps of a contact.
  CAROM_VIEW_FUNCTION const double* maps_of(const ProblemShape& shape, std::uint64_t problem,
                                            int contact) const {
    if (maps == nullptr) return nullptr;
    const std::size_t place =
        problem * static_cast<std::size_t>(shape.contacts) + static_cast<std::size_t>(contact);
    return maps + place * map_numbers(shape);
  }

  /// As SetValuedPlan::for_each_array.
  template <class Array>
  void for_each_array(const ProblemShape& shape, std::size_t problems, Array&& array) {
    array(maps, problems * static_cast<std::size_t>(shape.contacts) * map_numbers(shape));
  }
};

}  // namespace carom
