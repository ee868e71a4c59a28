#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/base/bits.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/compliant_plan.hpp"

namespace carom::inline CAROM_ISA {

/// Which contacts touch: one stored bit each. It is part of the state and never read off the sign
/// of an event function near a guard, where rounding would decide.
struct ContactBits {
  static constexpr int of_word = 64;
  static constexpr int words = max_compliant_contacts / of_word;
  std::uint64_t word[words] = {};

  CAROM_HOST_DEVICE bool touches(int contact) const {
    return ((word[contact / of_word] >> (contact % of_word)) & 1) != 0;
  }
  CAROM_HOST_DEVICE void flip(int contact) {
    word[contact / of_word] ^= std::uint64_t{1} << (contact % of_word);
  }
  /// The event function h or its rate, with the sign with which the guard is crossed from below.
  CAROM_HOST_DEVICE double with_sign(int contact, double value) const {
    return negated(word[contact / of_word] >> (contact % of_word), value);
  }
  /// -value if the lowest bit is set; without a branch, for loops over contacts.
  CAROM_VIEW_FUNCTION static double negated(std::uint64_t bit, double value) {
    std::uint64_t number;
    std::memcpy(&number, &value, sizeof number);
    number ^= bit << (of_word - 1);
    std::memcpy(&value, &number, sizeof number);
    return value;
  }
  /// Calls visit(contact) for all that touch.
  template <class Visit>
  CAROM_HOST_DEVICE void for_each(const Visit& visit) const {
    for (int w = 0; w < words; ++w) {
      for (std::uint64_t left = word[w]; left != 0; left &= left - 1) {
        visit(w * of_word + lowest_bit(left));
      }
    }
  }
};

}  // namespace carom::inline CAROM_ISA
