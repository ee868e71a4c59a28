#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/start_kernel.hpp"

namespace carom {

inline constexpr unsigned lanes_per_warp = 32;
/// A block keeps its place until the slowest of its warps is done, so blocks have few.
inline constexpr unsigned threads_per_block = 2 * lanes_per_warp;

/// Starts a kernel with a thread for each of `rows`, or as many threads as the device runs at a
/// time.
/// @param rows 0: one block, which finds out whether the device has room for the kernel
template <class... Parameters, class... Arguments>
void start_for_rows(void (*kernel)(Parameters...), std::uint64_t rows, const Stream& stream,
                    const Arguments&... arguments) {
  int grid = 0;
  int block = 0;
  CAROM_CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel));
  const std::uint64_t at_a_time =
      static_cast<std::uint64_t>(grid) * static_cast<std::uint64_t>(block);
  const std::uint64_t threads = std::clamp(rows, std::uint64_t{1}, at_a_time);
  start_kernel(kernel, static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block),
               threads_per_block, stream, arguments...);
}

}  // namespace carom
