#pragma once

#include <Random123/philox.h>

#include <cstdint>

#include "kernels/base/qualifiers.hpp"

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
    constexpr std::uint32_t purpose_shift = 24;  // 2^24 blocks per purpose and step
    const r123::Philox4x32::ctr_type counter = {
        {static_cast<std::uint32_t>(trajectory_), static_cast<std::uint32_t>(trajectory_ >> 32),
         step, (static_cast<std::uint32_t>(purpose) << purpose_shift) | block}};
    const r123::Philox4x32::key_type key = {{seed_, problem_}};
    return r123::Philox4x32{}(counter, key);
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
  CAROM_HOST_DEVICE static double to_unit(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = ((static_cast<std::uint64_t>(high) << 32) | low) >> 11;
    return static_cast<double>(bits + 1) * 0x1p-53;
  }

  std::uint32_t seed_;
  std::uint32_t problem_;
  std::uint64_t trajectory_;
};

}  // namespace carom::inline CAROM_ISA
