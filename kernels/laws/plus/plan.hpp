#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// Speeds and angle of the PLUS law (Uchida, Sherman & Delp, Table A1), of one trajectory.
struct PlusParameters {
  double capture_speed = 0.0;     ///< m/s: slower approach has no restitution
  double plastic_speed = 0.0;     ///< m/s: from this approach on, restitution is e_min
  double transition_speed = 0.0;  ///< m/s: slower slip can roll
  double sine = 0.0;              ///< of theta_max, the largest turn of a slip in an interval
  double cosine = 1.0;
  double viscous_friction = 0.0;  ///< s/m
};

/// A number of the law, which each trajectory may draw.
struct PlusNumber {
  double first = 0.0;      ///< the number, the least or the mean
  double width = 0.0;      ///< greatest - least where all between are equally probable, else 0
  double deviation = 0.0;  ///< > 0: normal
  double below = 0.0;      ///< probability of what the rule of the number cuts off below
  double inside = 1.0;     ///< probability of what it leaves
  double least = 0.0;      ///< of what it leaves, if normal
  double greatest = 0.0;
};

/// The PLUS law of a run.
struct PlusPlan {
  static constexpr bool normals_only = false;  ///< whether problems have no tangents

  // The parameters; theta_max instead of its sine and cosine.
  PlusNumber capture_speed, plastic_speed, transition_speed, theta_max, viscous_friction;
  std::uint32_t max_rounds = 0;
  bool backtracks = false;
  // Whether one number, drawn once, is that of all contacts.
  bool one_friction = false;
  bool one_static_friction = false;
  bool one_restitution = false;
  bool rests_as_it_slides = true;               ///< static friction is the other one, as drawn
  const PlusNumber* friction = nullptr;         ///< problems x m
  const PlusNumber* static_friction = nullptr;  ///< problems x m
  const PlusNumber* restitution = nullptr;      ///< problems x m: e_min
  const PlusNumber* velocity = nullptr;         ///< problems x nv: before the impact

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
    array(friction, first_of(shape, problems));
    array(static_friction, first_of(shape, problems));
    array(restitution, first_of(shape, problems));
    array(velocity, problems * static_cast<std::size_t>(shape.velocities));
  }
};

}  // namespace carom
