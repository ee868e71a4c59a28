#pragma once

#include <Random123/philox.h>

#include <cstdint>
#include <cstring>

#include "kernels/base/lanes.hpp"

namespace carom::inline CAROM_ISA {

/// Purpose of a random number: separate streams of one trajectory step.
enum class Purpose : std::uint32_t {
  caps = 0,
  cover = 1,
  selection = 2,
  component = 3,
  scramble = 4,    ///< of Sobol' points: the counter contains digits and dimension, see sobol.hpp
  search = 5,      ///< of extremes, on the host: objective and generation replace the step
  family = 6,      ///< of problems, on the host: member and axis replace trajectory and step
  split = 7,       ///< of data sets, on the host: the member replaces the trajectory
  contact = 8,     ///< choice of the sequential law's next contact
  line = 9,        ///< along which a step's solutions are followed; the block contains its number
  audit = 10,      ///< choice of a trajectory's step, on the host
  start = 11,      ///< of a rollout, on the host: the step is the number of the range
  uncertain = 12,  ///< numbers of the PLUS law: their kind replaces the step, the entry the block
};

/// The random numbers of one trajectory: Philox 4x32-10 with key (seed, problem) and counter
/// (trajectory, step, purpose and block). There is no state, so any number can be computed at any
/// time.
class Philox {
 public:
  Philox() = default;  // of no trajectory
  CAROM_HOST_DEVICE Philox(std::uint32_t seed, std::uint32_t problem, std::uint64_t trajectory)
      : seed_(seed), problem_(problem), trajectory_(trajectory) {}

  /// The numbers of another trajectory with the same key.
  CAROM_HOST_DEVICE Philox of(std::uint64_t trajectory) const {
    return Philox(seed_, problem_, trajectory);
  }

  /// 128 random bits.
  CAROM_VIEW_FUNCTION r123::Philox4x32::ctr_type words(std::uint32_t step, Purpose purpose,
                                                       std::uint32_t block) const {
    const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(trajectory_),
                                                 static_cast<std::uint32_t>(trajectory_ >> 32),
                                                 step, counter_end(purpose, block)}};
    const r123::Philox4x32::key_type key = {{seed_, problem_}};
    return r123::Philox4x32{}(counter, key);
  }

  /// words() of trajectories of one problem, side by side.
  static void words(const Philox (&random)[4], std::uint32_t step, Purpose purpose,
                    std::uint32_t block, r123::Philox4x32::ctr_type* (&words)[4]) {
#if defined(CAROM_HAS_VECTORS)
    // The numbers of 32 bits are the lower halves of lanes of 64 bits.
    const auto everywhere = [](std::uint32_t x) { return _mm256_set1_epi64x(x); };
    const auto upper = [](__m256i x) { return _mm256_srli_epi64(x, 32); };
    const auto differ = [](__m256i a, __m256i b, std::uint32_t c) {
      return _mm256_xor_si256(_mm256_xor_si256(a, b), _mm256_set1_epi64x(c));
    };
    const auto of = [&](int i) { return static_cast<long long>(random[i].trajectory_); };
    const __m256i trajectory = _mm256_set_epi64x(of(3), of(2), of(1), of(0));
    __m256i counter[4] = {trajectory, upper(trajectory), everywhere(step),
                          everywhere(counter_end(purpose, block))};
    std::uint32_t key[2] = {random[0].seed_, random[0].problem_};
    for (unsigned round = 0; round < r123::Philox4x32::rounds; ++round) {
      const __m256i first = _mm256_mul_epu32(counter[0], everywhere(PHILOX_M4x32_0));
      const __m256i second = _mm256_mul_epu32(counter[2], everywhere(PHILOX_M4x32_1));
      counter[0] = differ(upper(second), counter[1], key[0]);
      counter[2] = differ(upper(first), counter[3], key[1]);
      counter[1] = second;
      counter[3] = first;
      key[0] += PHILOX_W32_0;
      key[1] += PHILOX_W32_1;
    }
    const auto pairs = [](__m256i low, __m256i high) {
      return _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xAA);
    };
    const __m256i front = pairs(counter[0], counter[1]);
    const __m256i back = pairs(counter[2], counter[3]);
    const __m256i even = _mm256_unpacklo_epi64(front, back);
    const __m256i odd = _mm256_unpackhi_epi64(front, back);
    const auto put = [&](int i, __m128i its) { std::memcpy(words[i], &its, sizeof its); };
    put(0, _mm256_castsi256_si128(even));
    put(1, _mm256_castsi256_si128(odd));
    put(2, _mm256_extracti128_si256(even, 1));
    put(3, _mm256_extracti128_si256(odd, 1));
#else
    for (int i = 0; i < 4; ++i) *words[i] = random[i].words(step, purpose, block);
#endif
  }

  /// Two independent numbers uniform on (0, 1], multiples of 2^-53.
  CAROM_HOST_DEVICE void uniform_pair(std::uint32_t step, Purpose purpose, std::uint32_t block,
                                      double (&pair)[2]) const {
    const r123::Philox4x32::ctr_type bits = words(step, purpose, block);
    pair[0] = to_unit(bits.v[0], bits.v[1]);
    pair[1] = to_unit(bits.v[2], bits.v[3]);
  }

  /// uniform_pair() of many trajectories, with pair[0] and pair[1] in separate arrays: a loop that
  /// compilers vectorise.
  static void uniform_pairs(std::uint32_t seed, std::uint32_t problem,
                            const std::uint64_t* __restrict trajectory, int count,
                            std::uint32_t step, Purpose purpose, std::uint32_t block,
                            double* __restrict first, double* __restrict second) {
    for (int i = 0; i < count; ++i) {
      const r123::Philox4x32::ctr_type bits =
          Philox(seed, problem, trajectory[i]).words(step, purpose, block);
      first[i] = to_unit(bits.v[0], bits.v[1]);
      second[i] = to_unit(bits.v[2], bits.v[3]);
    }
  }

 private:
  CAROM_VIEW_FUNCTION static constexpr std::uint32_t counter_end(Purpose purpose,
                                                                 std::uint32_t block) {
    constexpr std::uint32_t purpose_shift = 24;  // 2^24 blocks per purpose and step
    return (static_cast<std::uint32_t>(purpose) << purpose_shift) | block;
  }

  CAROM_HOST_DEVICE static double to_unit(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = ((static_cast<std::uint64_t>(high) << 32) | low) >> 11;
    return static_cast<double>(bits + 1) * 0x1p-53;
  }

  std::uint32_t seed_;
  std::uint32_t problem_;
  std::uint64_t trajectory_;
};

}  // namespace carom::inline CAROM_ISA
