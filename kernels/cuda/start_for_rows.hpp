#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/start_kernel.hpp"

namespace carom {

/// Starts a kernel with a thread for each of `rows`.
template <class... Parameters, class... Arguments>
void start_for_rows(void (*kernel)(Parameters...), std::uint64_t rows, const Stream& stream,
                    const Arguments&... arguments) {
  int grid = 0;
  int block = 0;
  CAROM_CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel));
  const std::uint64_t blocks =
      (rows + static_cast<std::uint64_t>(block) - 1) / static_cast<std::uint64_t>(block);
  start_kernel(kernel, static_cast<unsigned>(std::min<std::uint64_t>(blocks, 0x7fffffff)),
               static_cast<unsigned>(block), stream, arguments...);
}

}  // namespace carom
