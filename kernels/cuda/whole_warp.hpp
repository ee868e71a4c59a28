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

/// The place of a lane in its warp.
struct WarpPlace {
  CAROM_HOST_DEVICE static int lane() { return lane_of_warp(); }
  CAROM_HOST_DEVICE static std::uint32_t bits(bool condition) {
    std::uint32_t lanes = condition ? 1u : 0u;
    CAROM_IN_WARP(lanes = __ballot_sync(all_lanes, condition));
    return lanes;
  }
};

/// One number per lane of the warp.
template <class T>
using WarpLanes = Lanes<T, 1, WarpPlace>;

/// Of all lanes' numbers, in every lane: of a pair, join(a, b) is kept.
template <class T, class Join>
CAROM_HOST_DEVICE T join_lanes(T number, const Join& join) {
  CAROM_ROLLED for (int distance = lanes_per_warp / 2; distance > 0; distance /= 2) {
    T other = number;
    CAROM_IN_WARP(other = __shfl_xor_sync(all_lanes, number, distance));
    number = join(number, other);
  }
  return number;
}

template <class T>
CAROM_HOST_DEVICE WarpLanes<T> least_of_all(WarpLanes<T> a) {
  return {join_lanes(a.value, [](T x, T y) { return y < x ? y : x; })};
}

struct WholeWarp {
  template <class T, int rows>
  static constexpr int width = lanes_per_warp;
  template <class T, int rows>
  using Group = WarpLanes<T>;
  template <class T>
  using Numbers = WarpLanes<T>;
  template <class T, int columns>
  using Row = Lanes<T, 1>;
  static constexpr int threads = lanes_per_warp;

  CAROM_HOST_DEVICE static void meet() { CAROM_IN_WARP(__syncwarp()); }
  template <class Work>
  CAROM_HOST_DEVICE static void own(int count, const Work& work) {
    CAROM_ROLLED for (int i = lane_of_warp(); i < count; i += threads) work(i);
  }
  template <class Work>
  CAROM_HOST_DEVICE static void each(int count, const Work& work) {
    meet();
    own(count, work);
    meet();
  }
  template <class Row, class Work>
  CAROM_HOST_DEVICE static void columns(int first, int last, const Work& work) {
    each(last - first, [&](int i) { work(first + i); });
  }
  template <class Row, class First, class Work>
  CAROM_HOST_DEVICE static void cells(int rows, const First& first, int last, const Work& work) {
    const int from = rows > 0 ? first(0) : last;
    meet();
    int row = 0;
    CAROM_ROLLED for (int b = from + lane_of_warp(); from < last; b += threads) {
      CAROM_ROLLED while (b >= last) {
        b -= last - from;
        ++row;
      }
      if (row >= rows) break;
      work(row, b);
    }
    meet();
  }
  template <class Row, class Work>
  CAROM_HOST_DEVICE static void cells(int rows, int last, const Work& work) {
    cells<Row>(
        rows, [](int) { return 0; }, last, work);
  }
  /// The number of one thread, in all.
  template <class T>
  CAROM_HOST_DEVICE static T of_thread(int thread, T number) {
    T its = number;
    CAROM_IN_WARP(its = __shfl_sync(all_lanes, number, thread));
    return its;
  }
  template <class Number, class Fold>
  CAROM_HOST_DEVICE static void fold(int count, const Number& number, const Fold& fold) {
    using T = decltype(number(0));
    CAROM_ROLLED for (int first = 0; first < count; first += threads) {
      const int mine = first + lane_of_warp();
      const T its = mine < count ? number(mine) : T{};
      CAROM_ROLLED for (int lane = 0; lane < threads && first + lane < count; ++lane) {
        fold(first + lane, of_thread(lane, its));
      }
    }
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
