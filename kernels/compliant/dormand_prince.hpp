#pragma once

#include <cmath>
#include <utility>

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// The method of fifth order of Dormand and Prince, without its error estimate: steps are as long
/// as the plan says.
struct DormandPrince {
  static constexpr int stages = 6;

  /// The weight of stage j's slope in stage s; for s = stages, in the step.
  template <int s, int j>
  static constexpr double weight = [] {
    constexpr double all[stages + 1][stages] = {
        {},
        {1.0 / 5.0},
        {3.0 / 40.0, 9.0 / 40.0},
        {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
        {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
        {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
        {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
    return all[s][j];
  }();

  /// Calls stage.operator()<s>() for s = 0, 1, ..., while it returns true; whether all did.
  template <class Stage>
  CAROM_HOST_DEVICE static bool for_each_stage(const Stage& stage) {
    return [&]<int... s>(std::integer_sequence<int, s...>) {
      return (stage.template operator()<s>() && ...);
    }
    (std::make_integer_sequence<int, stages>());
  }

  /// out = x + the slopes so far, weighted for stage s; n numbers each, `size` apart.
  template <int s, int size>
  CAROM_HOST_DEVICE static void combine(int n, const double* x, const double* slopes, double* out) {
    for (int i = 0; i < n; ++i) {
      out[i] = [&]<int... j>(std::integer_sequence<int, j...>) {
        double sum = x[i];
        ((sum = std::fma(weight<s, j>, slopes[j * size + i], sum)), ...);
        return sum;
      }
      (std::make_integer_sequence<int, s>());
    }
  }
};

}  // namespace carom::inline CAROM_ISA
