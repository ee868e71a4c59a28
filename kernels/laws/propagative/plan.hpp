#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// The propagative law of a run. Its problems have normals only, and impulses are speeds, as in
/// StepLcpView.
struct PropagativePlan {
  static constexpr bool normals_only = true;
  static constexpr int padding = 8;  ///< rows are whole vectors of any instruction set

  /// problems x m rows: what a reflection at a contact adds to all speeds, per its own speed,
  /// -2 A_i / A_ii
  const double* reflections = nullptr;
  const double* before = nullptr;           ///< problems x stride: speeds before the impact, padded
  const double* impulses = nullptr;         ///< problems x m: 2 / A_ii
  const double* plastic_impulse = nullptr;  ///< problems x m: of the plastic outcome
  const double* plastic_speed = nullptr;    ///< problems x m: after it
  const double* restitution = nullptr;      ///< problems: R

  /// As of SetValuedPlan: the number that chooses the contact.
  static constexpr int step_numbers(const ProblemShape&) { return 1; }
  static constexpr int more_state(const ProblemShape&) { return 0; }

  CAROM_VIEW_FUNCTION static constexpr int stride(int contacts) {
    return (contacts + padding - 1) / padding * padding;
  }
  CAROM_VIEW_FUNCTION static std::size_t first_of(const ProblemShape& shape,
                                                  std::uint64_t problem) {
    return static_cast<std::size_t>(problem) * static_cast<std::size_t>(shape.contacts);
  }
  /// Row of a contact.
  CAROM_VIEW_FUNCTION const double* reflection(const ProblemShape& shape, std::uint64_t problem,
                                               int contact) const {
    return reflections + (first_of(shape, problem) + static_cast<std::size_t>(contact)) *
                             static_cast<std::size_t>(stride(shape.contacts));
  }

  /// Padded, as a row.
  CAROM_VIEW_FUNCTION const double* speeds_before(const ProblemShape& shape,
                                                  std::uint64_t problem) const {
    return before +
           static_cast<std::size_t>(problem) * static_cast<std::size_t>(stride(shape.contacts));
  }

  /// As SetValuedPlan::for_each_array.
  template <class Array>
  void for_each_array(const ProblemShape& shape, std::size_t problems, Array&& array) {
    const std::size_t contacts = first_of(shape, problems);
    array(reflections, contacts * static_cast<std::size_t>(stride(shape.contacts)));
    array(before, problems * static_cast<std::size_t>(stride(shape.contacts)));
    array(impulses, contacts);
    array(plastic_impulse, contacts);
    array(plastic_speed, contacts);
    array(restitution, problems);
  }
};

}  // namespace carom
