#pragma once

#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/random/philox.hpp"

namespace carom::inline CAROM_ISA {

/// Binary digits of a Sobol' point's coordinate and of its index.
inline constexpr int sobol_digits = 32;

/// One coordinate of Sobol' point `index`, times 2^32: the sum modulo two of the dimension's
/// direction numbers (sobol_digits of them) at the digits of the index. Points can be computed in
/// any order; the first 2^k points are those of the usual Gray code order.
CAROM_HOST_DEVICE inline std::uint32_t sobol_coordinate(const std::uint32_t* direction,
                                                        std::uint32_t index) {
  std::uint32_t coordinate = 0;
  for (int digit = 0; index != 0; ++digit, index >>= 1) {
    coordinate ^= (0u - (index & 1u)) & direction[digit];
  }
  return coordinate;
}

/// Owen's nested uniform scrambling of one coordinate times 2^32: each digit is flipped by a random
/// bit that depends on all higher digits. The bits are Philox' of (seed, problem, dimension), so
/// another seed gives an independent replicate.
CAROM_HOST_DEVICE inline std::uint32_t scramble(const Philox& random, std::uint32_t dimension,
                                                std::uint32_t coordinate) {
  // The bits of one Philox block are the nodes of a subtree of seven levels, in the order of a
  // heap: root 1, below node i its children 2 i and 2 i + 1, 127 in all.
  constexpr int levels = 7;
  std::uint32_t scrambled = 0;
  for (int top = 0; top < sobol_digits; top += levels) {
    const std::uint32_t above = top == 0 ? 0 : coordinate >> (sobol_digits - top);
    const auto bits = random.of(above).words(dimension, Purpose::scramble,
                                             static_cast<std::uint32_t>(top / levels));
    const int end = top + levels < sobol_digits ? top + levels : sobol_digits;
    std::uint32_t node = 1;
    for (int at = top; at < end; ++at) {
      const std::uint32_t digit = (coordinate >> (sobol_digits - 1 - at)) & 1u;
      const std::uint32_t flip = (bits.v[node >> 5] >> (node & 31u)) & 1u;
      scrambled = (scrambled << 1) | (digit ^ flip);
      node = 2 * node + digit;
    }
  }
  return scrambled;
}

}  // namespace carom::inline CAROM_ISA
