#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
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

/// A rollout's state at one of the kept times.
class KeptState {
 public:
  KeptState(const Rollouts& rollouts, std::size_t rollout, std::size_t time)
      : rollouts_(rollouts), place_(rollout * rollouts.time.size() + time), is_first_(time == 0) {}

  /// nq
  std::span<const double> position() const {
    return row(rollouts_.position, rollouts_.coordinates);
  }
  /// nv
  std::span<const double> velocity() const { return row(rollouts_.velocity, rollouts_.velocities); }
  /// The state at the kept time before; nothing: this is the first one.
  std::optional<KeptState> before() const {
    if (is_first_) return std::nullopt;
    const std::size_t times = rollouts_.time.size();
    return KeptState(rollouts_, (place_ - 1) / times, (place_ - 1) % times);
  }

 private:
  std::span<const double> row(const std::vector<double>& column, int width) const {
    return std::span(column).subspan(place_ * static_cast<std::size_t>(width),
                                     static_cast<std::size_t>(width));
  }

  const Rollouts& rollouts_;
  std::size_t place_;
  bool is_first_;
};

/// Looks at the states of whole rollouts at the kept times, on up to `threads` threads (0: all).
/// @param make_finder called in each thread: its finder(KeptState) is a text where it finds
/// something
template <class MakeFinder>
FoundInRollouts find_in(const Rollouts& rollouts, int threads, const MakeFinder& make_finder) {
  const std::size_t times = rollouts.time.size();
  const std::size_t size = rollouts.size();
  std::vector<std::size_t> found(size, times);  // of each rollout, at which time
  on_threads(threads, size, [&](std::size_t first, std::size_t count) {
    auto finder = make_finder();
    for (std::size_t i = first; i < first + count; ++i) {
      if (!is_whole(rollouts.status[i])) continue;
      std::size_t& k = found[i];
      for (k = 0; k < times && finder(KeptState(rollouts, i, k)).empty();) ++k;
    }
  });
  FoundInRollouts result;
  const auto has_time = [&](std::size_t k) { return k < times; };
  result.count = static_cast<std::uint64_t>(std::ranges::count_if(found, has_time));
  if (result.count == 0) return result;
  const auto at = std::ranges::find_if(found, has_time);
  const auto i = static_cast<std::size_t>(at - found.begin());
  result.first =
      fmt::format("{} at {:.3g} s", make_finder()(KeptState(rollouts, i, *at)), rollouts.time[*at]);
  return result;
}

}  // namespace carom
