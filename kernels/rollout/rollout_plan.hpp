#pragma once

#include <cstdint>

#include "carom/rollout_columns.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// Status of a rollout with a step that `Effort::fast` cannot decide. It is never returned outside
/// kernels/: a launcher repeats such rollouts on the host with `Effort::thorough`.
inline constexpr RolloutStatus undecided_rollout = static_cast<RolloutStatus>(255);
static_assert(!is_whole(undecided_rollout));

/// After so many divisions of a step no more impacts are located in it: contacts close at most
/// their gaps in the rest of it.
inline constexpr int most_divisions = 100;
/// Parts of a step that bodies divide which are fast beside their thickness, at most.
inline constexpr int most_parts = 10000;

/// A run of rollouts of one mechanism, without the mechanism and the law of its impacts.
struct RolloutPlan {
  const double* position = nullptr;            ///< nq per item: where its rollout starts
  const double* velocity = nullptr;            ///< nv per item
  const double* force = nullptr;               ///< nv per item, N and N m, beside gravity; or none
  const std::uint32_t* first_event = nullptr;  ///< per item: number of its first impact; none: 0
  /// P per item: whether a pair touched when the item's motion ended, from its start on; or none.
  std::uint8_t* held = nullptr;
  const double* times = nullptr;       ///< T, s, increasing, >= 0; the last one is the duration
  const double* directions = nullptr;  ///< k x d friction directions of a contact
  int tangent_dimension = 1;           ///< d
  int friction_directions = 2;         ///< k
  RolloutShape shape;
  double step = 0.0;          ///< s
  double window = 0.0;        ///< m: contacts with a smaller gap touch
  double hold = 0.0;          ///< m: the same for contacts that touched in the step before
  double impact_speed = 0.0;  ///< m/s: contacts that approach faster have an impact
  double rest_speed = 0.0;    ///< m/s, of end_time
  std::uint64_t first = 0;    ///< index of item 0's rollout

  /// The largest gap of a contact that touched before, m.
  CAROM_VIEW_FUNCTION double reach() const { return hold > window ? hold : window; }

  /// Calls array(pointer, count) for every array of `items` items of a mechanism with `pairs`.
  template <class Array>
  void for_each_array(std::uint64_t items, int pairs, Array&& array) {
    const auto velocities = items * static_cast<std::uint64_t>(shape.velocities);
    array(position, items * static_cast<std::uint64_t>(shape.coordinates));
    array(velocity, velocities);
    array(force, velocities);
    array(first_event, items);
    array(held, items * static_cast<std::uint64_t>(pairs));
    array(times, static_cast<std::uint64_t>(shape.times));
    array(directions, static_cast<std::uint64_t>(friction_directions * tangent_dimension));
  }
};

/// Destination of rollouts; pointers into host or device memory.
template <class T>
using RolloutColumnPointer = T*;
struct RolloutView : RolloutColumns<RolloutColumnPointer> {
  /// The rows from `row` on.
  CAROM_VIEW_FUNCTION RolloutView from(std::uint64_t row, const RolloutShape& shape) const {
    RolloutView rest = *this;
    for_each_rollout_column([&](const RolloutColumnInfo& info, auto*& column)
                                CAROM_INLINE_LAMBDA { column += row * info.numbers(shape); },
                            rest);
    return rest;
  }
};

/// An impact of a rollout, for its law.
struct RolloutImpact {
  std::uint64_t rollout;  ///< its index
  std::uint32_t event;    ///< first_event for the rollout's first impact
  int contacts;           ///< that touch
  const int* pair;        ///< which they are
  ProblemShape shape;
  const double* mass_matrix;
  const double* normal_jacobian;
  const double* tangent_jacobian;
  const double* friction;
  double* velocity;                    ///< before the impact; after it
  const double* directions = nullptr;  ///< k x d
};

/// Index of an impact's trajectory: of rollouts below 2^40, with less than 2^24 impacts each.
CAROM_VIEW_FUNCTION constexpr std::uint64_t trajectory_of(const RolloutImpact& impact) {
  constexpr int event_shift = 40;
  return impact.rollout | (std::uint64_t{impact.event} << event_shift);
}

}  // namespace carom
