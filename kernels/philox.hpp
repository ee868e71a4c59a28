#pragma once

#include <Random123/philox.h>

#include <cstdint>

#include "kernels/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// What a random number is for: separate streams of one trajectory step.
enum class Purpose : std::uint32_t { caps = 0 };

/// The random numbers of one trajectory: Philox 4x32-10 with key (seed, problem) and counter
/// (trajectory, step, purpose and block). Without state, so any number can be had at any time.
class Philox {
 public:
  CAROM_HOST_DEVICE Philox(std::uint32_t seed, std::uint32_t problem, std::uint64_t trajectory)
      : seed_(seed), problem_(problem), trajectory_(trajectory) {}

  /// Two independent numbers uniform on (0, 1], multiples of 2^-53.
  CAROM_HOST_DEVICE void uniform_pair(std::uint32_t step, Purpose purpose, std::uint32_t block,
                                      double (&pair)[2]) const {
    constexpr std::uint32_t purpose_shift = 24;  // 2^24 blocks per purpose and step
    const r123::Philox4x32::ctr_type counter = {
        {static_cast<std::uint32_t>(trajectory_), static_cast<std::uint32_t>(trajectory_ >> 32),
         step, (static_cast<std::uint32_t>(purpose) << purpose_shift) | block}};
    const r123::Philox4x32::key_type key = {{seed_, problem_}};
    const r123::Philox4x32::ctr_type words = r123::Philox4x32{}(counter, key);
    pair[0] = to_unit(words.v[0], words.v[1]);
    pair[1] = to_unit(words.v[2], words.v[3]);
  }

 private:
  CAROM_HOST_DEVICE static double to_unit(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = ((static_cast<std::uint64_t>(high) << 32) | low) >> 11;
    return static_cast<double>(bits + 1) * 0x1p-53;
  }

  std::uint32_t seed_;
  std::uint32_t problem_;
  std::uint64_t trajectory_;
};

}  // namespace carom::inline CAROM_ISA
