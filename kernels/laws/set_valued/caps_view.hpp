#pragma once

#include <cstddef>
#include <cstdint>

#include "carom/selection.hpp"

namespace carom {

/// A CapsDistribution in the form that kernels read; the pointers point into the plan's arrays.
struct CapsView {
  int components = 1;
  CapsKind kind[max_caps_components] = {};
  int power[max_caps_components] = {};
  /// Cumulative weights: a trajectory uses the first component whose number is at least the
  /// trajectory's uniform number; the last number is 1.
  double cumulative_weight[max_caps_components] = {1.0};
  const double* scale = nullptr;         ///< components x m; null without `weighted`
  const std::uint32_t* sobol = nullptr;  ///< dimensions x 32 direction numbers; null without it
  int sobol_dimensions = 0;              ///< step m + contact; further coordinates are uniform

  static constexpr std::size_t sobol_bits = 32;  ///< direction numbers per dimension
  /// As SetValuedPlan::for_each_array.
  template <class Array>
  void for_each_array(std::size_t contacts, Array&& array) {
    array(scale, static_cast<std::size_t>(components) * contacts);
    array(sobol, static_cast<std::size_t>(sobol_dimensions) * sobol_bits);
  }
};

}  // namespace carom
