#pragma once

#include <cstdint>

#include "kernels/base/team.hpp"
#include "kernels/cuda/warp.hpp"

// A warp whose lanes compute one thing together, on arrays in the shared memory of its block.

namespace carom {

CAROM_HOST_DEVICE inline int lane_of_warp() {
  int lane = 0;
  CAROM_IN_WARP(lane = static_cast<int>(threadIdx.x % lanes_per_warp));
  return lane;
}

/// One number per lane of the warp.
template <class T>
struct WarpLanes : Lanes<T, 1> {
  using Base = Lanes<T, 1>;

  WarpLanes() = default;
  CAROM_HOST_DEVICE WarpLanes(Base number) : Base(number) {}  // NOLINT: sums of Base are Base

  CAROM_HOST_DEVICE static WarpLanes load(const T* from) { return Base{from[lane_of_warp()]}; }
  CAROM_HOST_DEVICE static WarpLanes all(T x) { return Base{x}; }
  template <class Number>
  CAROM_HOST_DEVICE static WarpLanes each(const Number& number) {
    return Base{number(lane_of_warp())};
  }
  CAROM_HOST_DEVICE void store(T* to) const { to[lane_of_warp()] = this->value; }
  CAROM_HOST_DEVICE static std::uint32_t at_most(Base a, Base b) {
    std::uint32_t lanes = 0;
    CAROM_IN_WARP(lanes = __ballot_sync(all_lanes, a.value <= b.value));
    return lanes;
  }
  CAROM_HOST_DEVICE static bool is_lane(int lane) { return lane == lane_of_warp(); }
};

/// Of all lanes' numbers, in every lane: of a pair, join(a, b) is kept.
template <class T, class Join>
CAROM_HOST_DEVICE T join_lanes(T number, const Join& join) {
  for (int distance = lanes_per_warp / 2; distance > 0; distance /= 2) {
    T other = number;
    CAROM_IN_WARP(other = __shfl_xor_sync(all_lanes, number, distance));
    number = join(number, other);
  }
  return number;
}

template <class T>
CAROM_HOST_DEVICE WarpLanes<T> least_of_all(WarpLanes<T> a) {
  return Lanes<T, 1>{join_lanes(a.value, [](T x, T y) { return y < x ? y : x; })};
}

struct WholeWarp {
  template <class T, int rows>
  static constexpr int width = lanes_per_warp;
  template <class T, int rows>
  using Group = WarpLanes<T>;
  template <class T>
  using Numbers = WarpLanes<T>;
  static constexpr int threads = lanes_per_warp;

  CAROM_HOST_DEVICE static void meet() { CAROM_IN_WARP(__syncwarp()); }
  template <class Work>
  CAROM_HOST_DEVICE static void own(int count, const Work& work) {
    for (int i = lane_of_warp(); i < count; i += threads) work(i);
  }
  template <class Work>
  CAROM_HOST_DEVICE static void each(int count, const Work& work) {
    meet();
    own(count, work);
    meet();
  }
  template <class Work>
  CAROM_HOST_DEVICE static void once(const Work& work) {
    meet();
    if (lane_of_warp() == 0) work();
    meet();
  }
  template <class T>
  CAROM_HOST_DEVICE static T largest(T number) {
    return join_lanes(number, [](T a, T b) { return a > b ? a : b; });
  }
  template <class T>
  CAROM_HOST_DEVICE static T sum(T number) {
    return join_lanes(number, [](T a, T b) { return a + b; });
  }
};

/// A size whose steps a warp solves.
template <class Size>
struct ByWarp : Size {
  using Team = WholeWarp;
};

}  // namespace carom
