#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"

namespace carom {

/// The state of one contact in a contact mode.
struct ContactState {
  enum Normal : std::uint8_t {
    none,       ///< no impulse, separates
    below_cap,  ///< stays in touch
    at_cap,     ///< still approaches
  };
  enum Friction : std::uint8_t {
    free,    ///< no friction (mu = 0)
    stick,   ///< no slip
    vertex,  ///< along one friction direction
    edge,    ///< between two neighbouring friction directions (in space)
    idle,    ///< no impulse and no slip, because of the neighbours; only in tables of given modes
  };
  Normal normal = none;
  Friction friction = free;
  std::int16_t direction = 0;  ///< of vertex; for edge: this direction and the next

  friend constexpr bool operator==(const ContactState&, const ContactState&) = default;
};

/// Number of states with friction of a contact that stays in touch.
CAROM_VIEW_FUNCTION constexpr int frictional_states(int tangent_dimension, int directions) {
  return tangent_dimension == 1 ? 3 : 1 + 2 * directions;
}

/// Number of modes that are filtered side by side.
inline constexpr int mode_lanes = 32;

/// Contact modes of one problem: each is a linear map from x = [caps (m); contact velocities (m (1
/// + d))] to impulses (m (1 + d)), all as speeds (see StepLcpView), with linear conditions on the x
/// for which the mode holds. Contact by contact: normal, then tangential.
struct ModeTableView {
  int inputs = 0;      ///< m (2 + d)
  int impulses = 0;    ///< m (1 + d)
  int modes = 0;       ///< regular ones
  int segments = 0;    ///< singular ones that leave the velocity one degree of freedom
  bool capped = true;  ///< false: the simultaneous law; caps are not read

  /// Single-precision rows of the modes' conditions, row . x >= 0; the sizes of a row sum to at
  /// most 1. The rows only rule modes out, with a margin. Stored as stage x input x lane,
  /// `mode_lanes` modes side by side.
  const float* filter = nullptr;
  const std::int32_t* stage_start = nullptr;  ///< blocks + 1: the block's first row of the filter
  const double* map = nullptr;                ///< modes x impulses x inputs
  const std::int32_t* mode_number = nullptr;  ///< modes: digits, the first contact's highest;
                                              ///< list positions if a table has only some

  const double* consistency = nullptr;  ///< segments x inputs: row . x = 0 where the segment exists
  const double* segment_map = nullptr;  ///< segments x impulses x inputs: a point of the segment
  const double* segment_direction = nullptr;    ///< segments x impulses
  const ContactState* segment_state = nullptr;  ///< segments x m

  /// Blocks of `mode_lanes` modes.
  CAROM_VIEW_FUNCTION constexpr int blocks() const { return (modes + mode_lanes - 1) / mode_lanes; }

  /// Calls array(pointer, count) for every array.
  template <class Array>
  void for_each_array(Array&& array) {
    const auto size = [](int count) { return static_cast<std::size_t>(count); };
    const std::size_t map_size = size(impulses) * size(inputs);
    const std::size_t contacts = size(inputs - impulses);
    array(filter, size(stage_start[blocks()]) * size(inputs) * mode_lanes);
    array(stage_start, size(blocks()) + 1);
    array(map, size(modes) * map_size);
    array(mode_number, size(modes));
    array(consistency, size(segments) * size(inputs));
    array(segment_map, size(segments) * map_size);
    array(segment_direction, size(segments) * size(impulses));
    array(segment_state, size(segments) * contacts);
  }
};

}  // namespace carom
