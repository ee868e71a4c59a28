#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "carom/roll.hpp"
#include "host/roll/roll_plan.hpp"

namespace carom {

/// Whole rollouts in which something was found.
struct FoundInRollouts {
  std::uint64_t count = 0;
  std::string first;  ///< of the first of them: the text, and its time
};

/// Looks at the positions of whole rollouts at the kept times, on up to `threads` threads (0: all).
/// @param make_finder called in each thread: its finder(position) is a text where it finds
/// something
template <class MakeFinder>
FoundInRollouts find_in(const Rollouts& rollouts, int threads, const MakeFinder& make_finder) {
  const std::size_t times = rollouts.time.size();
  const std::size_t size = rollouts.size();
  const std::size_t width = rollouts.position.size() / std::max<std::size_t>(size * times, 1);
  const auto position = [&](std::size_t i, std::size_t k) {
    return &rollouts.position[(i * times + k) * width];
  };
  std::vector<std::size_t> found(size, times);  // of each rollout, at which time
  on_threads(threads, size, [&](std::size_t first, std::size_t count) {
    auto finder = make_finder();
    for (std::size_t i = first; i < first + count; ++i) {
      if (!is_whole(rollouts.status[i])) continue;
      std::size_t& k = found[i];
      for (k = 0; k < times && finder(position(i, k)).empty();) ++k;
    }
  });
  FoundInRollouts result;
  const auto has_time = [&](std::size_t k) { return k < times; };
  result.count = static_cast<std::uint64_t>(std::ranges::count_if(found, has_time));
  if (result.count == 0) return result;
  const auto at = std::ranges::find_if(found, has_time);
  const auto i = static_cast<std::size_t>(at - found.begin());
  result.first = fmt::format("{} at {:.3g} s", make_finder()(position(i, *at)), rollouts.time[*at]);
  return result;
}

}  // namespace carom
