#pragma once

#include <cstdint>

#include "kernels/trajectory/sample_view.hpp"

namespace carom {

/// The kernel of a program: each thread computes indices and forwards them.
/// @tparam View of the rows: of samples, or of rollouts
template <class Program, class View = SampleView>
__global__ void run_items_kernel(Program program, std::uint64_t first, std::uint64_t count,
                                 View out) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; row < count;
       row += stride) {
    program(first + row, row, out);
  }
}

}  // namespace carom
