#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/bits.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/modes/mode_table_view.hpp"

namespace carom::inline CAROM_ISA {

/// Amount by which a condition must fail in single precision to rule its mode out. The rounding
/// errors of at most 40 products whose sizes sum to 1 are smaller, and so is the tolerance of 1e-9.
inline constexpr float mode_margin = 4e-6f;

/// The regular modes of a table that no condition rules out, in the table's order.
/// @tparam only_first whether the first of them is most often the only one that is asked for
template <class Size, bool only_first>
class PossibleModes {
 public:
  /// @param input caps and contact velocities, see ModeTableView
  CAROM_HOST_DEVICE PossibleModes(const ModeTableView& table, const double* input) : table_(table) {
    double scale = 0.0;
    for (int j = 0; j < inputs(); ++j) scale = larger(scale, std::fabs(input[j]));
    const double inverse = scale > 0.0 ? 1.0 / scale : 0.0;
    for (int j = 0; j < inputs(); ++j) scaled_[j] = static_cast<float>(input[j] * inverse);
  }

  /// Calls possible(mode) for each of the modes until it returns true.
  template <class Possible>
  CAROM_HOST_DEVICE void until(Possible&& possible) const {
    for (int mode = 0; mode < table_.modes;) {
      const int first = mode - mode % mode_lanes;  // of the block
      std::uint32_t left = 0;                      // of the block's modes, as bits
      mode = look(mode, left);
      for (; left != 0; left &= left - 1) {
        if (possible(first + lowest_bit(left))) return;
      }
    }
  }

 private:
  static constexpr int most_inputs = Size::contacts + Size::impulses;

  /// Of the table; a constant for a shape that is known at compile time.
  CAROM_HOST_DEVICE int inputs() const { return Size::is_fixed ? most_inputs : table_.inputs; }

#if defined(CAROM_HAS_VECTORS)

  /// Finds those of the modes from `mode` to the end of its block that no condition rules out, side
  /// by side; returns the first mode that it did not look at.
  int look(int mode, std::uint32_t& left) const {
    constexpr int width = 2 * row_lanes<double, mode_lanes>;
    constexpr int groups = mode_lanes / width;
    using Group = Lanes<float, width>;
    const Group limit = Group::all(-mode_margin);
    const int modes = table_.modes - mode;
    left = modes >= mode_lanes ? ~0u : (1u << modes) - 1u;
    const int block = mode / mode_lanes;
    const float* row = table_.filter + table_.stage_start[block] * inputs() * mode_lanes;
    int stages = table_.stage_start[block + 1] - table_.stage_start[block];
    for (; stages > 0 && left != 0; --stages) {
      Group sum[groups];
      for (int g = 0; g < groups; ++g) sum[g] = Group::all(0.0f);
      for (int j = 0; j < inputs(); ++j, row += mode_lanes) {
        const Group input = Group::all(scaled_[j]);
        for (int g = 0; g < groups; ++g) {
          sum[g] = fused(Group::load(row + g * width), input, sum[g]);
        }
      }
      for (int g = 0; g < groups; ++g) left &= ~(Group::below(sum[g], limit) << (g * width));
    }
    return mode + mode_lanes;
  }

#else

  /// The same, one condition after the other, but a mode is left with the first that fails. The
  /// threads of a warp look at conditions of different modes at a time.
  CAROM_HOST_DEVICE int look(int mode, std::uint32_t& left) const {
    const int block = mode / mode_lanes;
    const int modes = table_.modes - block * mode_lanes;
    const int end = modes < mode_lanes ? modes : mode_lanes;
    const int stage_size = inputs() * mode_lanes;
    const float* rows = table_.filter + table_.stage_start[block] * stage_size;
    const int last = (table_.stage_start[block + 1] - table_.stage_start[block] - 1) * stage_size;
    int lane = mode % mode_lanes;
    std::uint32_t open = ~0u << lane;  // all that no condition has ruled out yet
    bool found = false;
    for (int at = lane; lane < end && !(only_first && found);) {
      const float* row = rows + at;
      float sum = row[0] * scaled_[0];
      CAROM_UNROLL
      for (int j = 1; j < inputs(); ++j) sum = std::fma(row[j * mode_lanes], scaled_[j], sum);
      const bool fails = sum < -mode_margin;
      const bool is_last = at >= last;
      open &= ~((fails ? 1u : 0u) << lane);
      found = is_last && !fails;
      lane += fails || is_last ? 1 : 0;
      at = fails || is_last ? lane : at + stage_size;
    }
    left = lane == mode_lanes ? open : open & ~(~0u << lane);
    return block * mode_lanes + lane;
  }

#endif

  const ModeTableView& table_;
  float scaled_[most_inputs];
};

}  // namespace carom::inline CAROM_ISA
