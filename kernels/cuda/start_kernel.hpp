#pragma once

#include "kernels/cuda/device_stream.hpp"
#include "kernels/cuda/grid.hpp"

namespace carom {

/// Starts a kernel on a stream. @throws RunError if the device refuses
template <class... Parameters, class... Arguments>
void start_kernel(void (*kernel)(Parameters...), const Grid& grid, const Stream& stream,
                  const Arguments&... arguments) {
  kernel<<<grid.blocks, grid.threads, grid.shared_bytes, stream.handle>>>(arguments...);
  CAROM_CUDA_CHECK(cudaGetLastError());
}

}  // namespace carom
