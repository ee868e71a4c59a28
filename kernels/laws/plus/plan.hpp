#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// Speeds and angle of the PLUS law (Uchida, Sherman & Delp, Table A1).
struct PlusParameters {
  double capture_speed = 0.0;     ///< m/s: slower approach has no restitution
  double plastic_speed = 0.0;     ///< m/s: from this approach on, restitution is e_min
  double transition_speed = 0.0;  ///< m/s: slower slip can roll
  double sine = 0.0;              ///< of theta_max, the largest turn of a slip in an interval
  double cosine = 1.0;
  double viscous_friction = 0.0;  ///< s/m
};

/// The PLUS law of a run.
struct PlusPlan {
  static constexpr bool normals_only = false;  ///< whether problems have no tangents

  PlusParameters parameters;
  std::uint32_t max_rounds = 0;
  const double* restitution = nullptr;      ///< problems x m: e_min
  const double* static_friction = nullptr;  ///< problems x m

  /// As of SetValuedPlan: nothing is drawn.
  static constexpr int step_numbers(const ProblemShape&) { return 0; }
  static constexpr int more_state(const ProblemShape&) { return 0; }

  CAROM_VIEW_FUNCTION static std::size_t first_of(const ProblemShape& shape,
                                                  std::uint64_t problem) {
    return static_cast<std::size_t>(problem) * static_cast<std::size_t>(shape.contacts);
  }

  /// As SetValuedPlan::for_each_array.
  template <class Array>
  void for_each_array(const ProblemShape& shape, std::size_t problems, Array&& array) {
    array(restitution, first_of(shape, problems));
    array(static_friction, first_of(shape, problems));
  }
};

}  // namespace carom
