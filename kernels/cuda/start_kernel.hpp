#pragma once

#include "kernels/cuda/device_stream.hpp"

namespace carom {

/// Starts a kernel on a stream. @throws RunError if the device refuses
template <class... Parameters, class... Arguments>
void start_kernel(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                  const Stream& stream, const Arguments&... arguments) {
  kernel<<<blocks, threads, 0, stream.handle>>>(arguments...);
  CAROM_CUDA_CHECK(cudaGetLastError());
}

}  // namespace carom
