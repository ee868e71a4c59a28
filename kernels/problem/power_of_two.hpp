#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// The power of two whose ratio to a positive number lies between 1 / sqrt(2) and sqrt(2), from the
/// number's bits; at least 2^-1022 and at most 2^1022, so that its inverse is exact.
CAROM_HOST_DEVICE inline double power_of_two_near(double value) {
  constexpr int mantissa_bits = 52;
  constexpr std::uint64_t one = std::uint64_t{1023} << mantissa_bits;
  constexpr std::uint64_t root_of_two = 0x3FF6A09E667F3BCD;  // bits of the next double above it
  constexpr std::uint64_t most = 1023 + 1022;
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  std::uint64_t exponent =
      (bits + (one + (std::uint64_t{1} << mantissa_bits) - root_of_two)) >> mantissa_bits;
  if (exponent < 1) exponent = 1;
  if (exponent > most) exponent = most;
  bits = exponent << mantissa_bits;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return power;
}

}  // namespace carom::inline CAROM_ISA
