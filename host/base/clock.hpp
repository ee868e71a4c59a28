#pragma once

#include <chrono>

namespace carom {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point moment) {
  return std::chrono::duration<double>(Clock::now() - moment).count();
}

}  // namespace carom
