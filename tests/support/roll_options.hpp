#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "carom/roll_options.hpp"

namespace carom::test {

inline RollOptions roll_options(std::uint64_t rollouts, double duration, double step,
                                std::vector<double> times = {}) {
  RollOptions options;
  options.rollouts = rollouts;
  options.duration = duration;
  options.step = step;
  options.times = std::move(times);
  return options;
}

}  // namespace carom::test
