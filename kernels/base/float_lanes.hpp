#pragma once

#include <cstring>

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// Sums of products of several rows side by side, one row per lane, and which sums were ever below
/// a limit. Vectors of the processor's width are explicit where GCC or Clang has them, since plain
/// loops are not vectorised here; a GPU thread computes one lane at a time.
template <int count>
class FloatLanes {
 public:
  CAROM_HOST_DEVICE void clear() {
    for (int g = 0; g < groups; ++g) sum_[g] = Lanes{};
  }

  /// sum += row * factor; not fused, since not every processor has a fused product.
  CAROM_HOST_DEVICE void add_multiple(const float* row, float factor) {
    for (int g = 0; g < groups; ++g) {
      sum_[g] += load(row + g * width) * factor;
    }
  }

  /// Marks the lanes whose sum is below `limit`.
  CAROM_HOST_DEVICE void mark_below(float limit) {
    for (int g = 0; g < groups; ++g) marked_[g] |= sum_[g] < limit;
  }

  CAROM_HOST_DEVICE bool all_marked() const {
    Marks all = marked_[0];
    for (int g = 1; g < groups; ++g) all &= marked_[g];
    int lanes[width];
    std::memcpy(lanes, &all, sizeof lanes);
    int left = -1;
    for (int lane = 0; lane < width; ++lane) left &= lanes[lane];
    return left != 0;
  }

  /// Bit `lane` is set where the lane was never marked.
  CAROM_HOST_DEVICE unsigned unmarked() const {
    int lanes[count];
    std::memcpy(lanes, marked_, sizeof lanes);
    unsigned bits = 0;
    for (int lane = 0; lane < count; ++lane) bits |= (lanes[lane] == 0 ? 1u : 0u) << lane;
    return bits;
  }

 private:
#if defined(__GNUC__) && !defined(__CUDACC__)
#if defined(__AVX512F__)
  static constexpr int width = 16;
#elif defined(__AVX2__)
  static constexpr int width = 8;
#else
  static constexpr int width = 4;
#endif
  using Lanes = float __attribute__((vector_size(width * sizeof(float))));
  using Marks = int __attribute__((vector_size(width * sizeof(int))));

  static Lanes load(const float* from) {
    Lanes values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
#else
  static constexpr int width = 1;
  using Lanes = float;
  using Marks = int;

  /// A plain load, since nvcc copies byte by byte what memcpy copies.
  CAROM_HOST_DEVICE static float load(const float* from) { return *from; }
#endif
  static constexpr int groups = count / width;
  static_assert(count % width == 0);

  Lanes sum_[groups];
  Marks marked_[groups] = {};
};

}  // namespace carom::inline CAROM_ISA
