#pragma once

#include <cstdint>

#include "kernels/base/bits.hpp"
#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// A set of row numbers below `capacity`, as bits.
template <int capacity>
class RowSet {
 public:
  /// Adds first + b for every bit b of `bits`; the number of bits divides 64.
  CAROM_HOST_DEVICE void add(std::uint32_t bits, int first) {
    word_[word_of(first)] |= static_cast<std::uint64_t>(bits) << (first % 64);
  }
  CAROM_HOST_DEVICE void remove(int row) {
    word_[word_of(row)] &= ~(std::uint64_t{1} << (row % 64));
  }
  CAROM_HOST_DEVICE bool has(int row) const {
    return (word_[word_of(row)] >> (row % 64) & 1u) != 0;
  }

  /// The least row; -1 if there is none.
  CAROM_HOST_DEVICE int first() const {
    for (int w = 0; w < words; ++w) {
      if (word_[w] != 0) return 64 * w + lowest_bit(word_[w]);
    }
    return -1;
  }
  /// The greatest row; -1 if there is none.
  CAROM_HOST_DEVICE int last() const {
    int row = -1;
    for_each([&](int one) { row = one; });
    return row;
  }
  CAROM_HOST_DEVICE bool has_several() const {
    bool found = false;
    for (int w = 0; w < words; ++w) {
      if (word_[w] == 0) continue;
      if (found || (word_[w] & (word_[w] - 1)) != 0) return true;
      found = true;
    }
    return false;
  }
  /// Calls visit(row) for every row, ascending; it may remove the row.
  template <class Visit>
  CAROM_HOST_DEVICE void for_each(Visit&& visit) const {
    for (int w = 0; w < words; ++w) {
      for (std::uint64_t left = word_[w]; left != 0; left &= left - 1) {
        visit(64 * w + lowest_bit(left));
      }
    }
  }

 private:
  static constexpr int words = (capacity + 63) / 64;
  /// A single word is in a register, but only if the compiler sees which one it is.
  CAROM_HOST_DEVICE static int word_of(int row) { return words == 1 ? 0 : row / 64; }
  std::uint64_t word_[words] = {};
};

}  // namespace carom::inline CAROM_ISA
