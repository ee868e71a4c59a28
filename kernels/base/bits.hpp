#pragma once

#include <cstdint>

#include "kernels/base/qualifiers.hpp"

#if defined(__BMI2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

namespace carom::inline CAROM_ISA {

/// Place of the lowest bit that is set; `bits` is not 0.
CAROM_HOST_DEVICE inline int lowest_bit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return __builtin_ctzll(bits);
#endif
}

CAROM_HOST_DEVICE inline int count_bits(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __popcll(bits);
#else
  return __builtin_popcountll(bits);
#endif
}

/// Place of bit `number` (0, 1, ...) of those that are set.
CAROM_HOST_DEVICE inline int nth_bit(std::uint64_t bits, int number) {
#if defined(__BMI2__) && !defined(__CUDACC__)
  return lowest_bit(_pdep_u64(std::uint64_t{1} << number, bits));
#else
  for (; number > 0; --number) bits &= bits - 1;
  return lowest_bit(bits);
#endif
}

}  // namespace carom::inline CAROM_ISA
