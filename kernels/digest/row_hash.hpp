#pragma once

#include <cstdint>

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// XXH3, 64 bits, of a few words: equal to the result of the xxHash library, on host and device.
/// Follows the specification of xxHash 0.8 (doc/xxhash_spec.md of that project).
class WordHash {
 public:
  /// Longer inputs need another algorithm, which is not implemented here.
  static constexpr int most_words = 30;

  /// @param count 1 to most_words
  CAROM_HOST_DEVICE static std::uint64_t hash(const std::uint64_t* word, int count,
                                              std::uint64_t seed = 0) {
    if (count == 1) return hash_1(*word, seed);
    if (count == 2) return hash_2(word[0], word[1], seed);
    if (count <= 16) return hash_to_16(word, count, seed);
    return hash_to_30(word, count, seed);
  }

 private:
  static constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87;

  /// Eight bytes of the default secret, little-endian.
  CAROM_HOST_DEVICE static constexpr std::uint64_t secret_at(int offset) {
    constexpr unsigned char secret[] = {
        0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21,
        0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4,
        0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a,
        0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e,
        0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3,
        0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97,
        0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa,
        0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
        0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78,
        0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3};
    std::uint64_t value = 0;
    for (int i = 7; i >= 0; --i) value = value << 8 | secret[offset + i];
    return value;
  }
  template <int offset>
  CAROM_HOST_DEVICE static std::uint64_t secret() {
    constexpr std::uint64_t value = secret_at(offset);
    return value;
  }

  CAROM_HOST_DEVICE static std::uint64_t swap_bytes(std::uint64_t value) {
    std::uint64_t swapped = 0;
    for (int i = 0; i < 8; ++i) swapped = swapped << 8 | (value >> (8 * i) & 0xff);
    return swapped;
  }
  CAROM_HOST_DEVICE static std::uint64_t rotate_left(std::uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
  }

  /// The exclusive or of the two halves of a 128-bit product.
  CAROM_HOST_DEVICE static std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t mask = 0xffffffff;
    const std::uint64_t low = (a & mask) * (b & mask);
    const std::uint64_t middle = (a >> 32) * (b & mask) + (low >> 32);
    const std::uint64_t other = (a & mask) * (b >> 32) + (middle & mask);
    const std::uint64_t high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
    return (a * b) ^ high;
  }
  CAROM_HOST_DEVICE static std::uint64_t avalanche(std::uint64_t value) {
    value ^= value >> 37;
    value *= 0x165667919E3779F9;
    return value ^ value >> 32;
  }
  template <int offset>
  CAROM_HOST_DEVICE static std::uint64_t mix(const std::uint64_t* word, std::uint64_t seed) {
    return multiply_fold(word[0] ^ (secret<offset>() + seed),
                         word[1] ^ (secret<offset + 8>() - seed));
  }

  CAROM_HOST_DEVICE static std::uint64_t hash_1(std::uint64_t word, std::uint64_t seed) {
    seed ^= swap_bytes(seed & 0xffffffff);
    const std::uint64_t swapped = word >> 32 | word << 32;
    std::uint64_t value = swapped ^ ((secret<8>() ^ secret<16>()) - seed);
    value ^= rotate_left(value, 49) ^ rotate_left(value, 24);
    value *= 0x9FB21C651E98DF25;
    value ^= (value >> 35) + 8;
    value *= 0x9FB21C651E98DF25;
    return value ^ value >> 28;
  }
  CAROM_HOST_DEVICE static std::uint64_t hash_2(std::uint64_t first, std::uint64_t last,
                                                std::uint64_t seed) {
    const std::uint64_t low = first ^ ((secret<24>() ^ secret<32>()) + seed);
    const std::uint64_t high = last ^ ((secret<40>() ^ secret<48>()) - seed);
    return avalanche(16 + swap_bytes(low) + high + multiply_fold(low, high));
  }
  CAROM_HOST_DEVICE static std::uint64_t hash_to_16(const std::uint64_t* word, int count,
                                                    std::uint64_t seed) {
    const std::uint64_t* const end = word + count;
    std::uint64_t value = 8 * static_cast<std::uint64_t>(count) * prime_1;
    if (count > 12) value += mix<96>(word + 6, seed) + mix<112>(end - 8, seed);
    if (count > 8) value += mix<64>(word + 4, seed) + mix<80>(end - 6, seed);
    if (count > 4) value += mix<32>(word + 2, seed) + mix<48>(end - 4, seed);
    return avalanche(value + mix<0>(word, seed) + mix<16>(end - 2, seed));
  }
  CAROM_HOST_DEVICE static std::uint64_t hash_to_30(const std::uint64_t* word, int count,
                                                    std::uint64_t seed) {
    std::uint64_t value = 8 * static_cast<std::uint64_t>(count) * prime_1;
    value += mix<0>(word, seed) + mix<16>(word + 2, seed) + mix<32>(word + 4, seed) +
             mix<48>(word + 6, seed) + mix<64>(word + 8, seed) + mix<80>(word + 10, seed) +
             mix<96>(word + 12, seed) + mix<112>(word + 14, seed);
    value = avalanche(value);
    const int pairs = count / 2;
    if (pairs > 8) value += mix<3>(word + 16, seed);
    if (pairs > 9) value += mix<19>(word + 18, seed);
    if (pairs > 10) value += mix<35>(word + 20, seed);
    if (pairs > 11) value += mix<51>(word + 22, seed);
    if (pairs > 12) value += mix<67>(word + 24, seed);
    if (pairs > 13) value += mix<83>(word + 26, seed);
    if (pairs > 14) value += mix<99>(word + 28, seed);
    return avalanche(value + mix<119>(word + count - 2, seed));
  }
};

}  // namespace carom::inline CAROM_ISA
