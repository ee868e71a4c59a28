#pragma once

#include "kernels/cuda/device_stream.hpp"

namespace carom {

/// As the header of this name that nvcc reads, on the emulated device.
template <class... Parameters, class... Arguments>
void start_kernel(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                  const Stream& stream, const Arguments&... arguments) {
  emulated::enqueue_kernel(stream.handle, blocks, threads,
                           [kernel, arguments...] { kernel(arguments...); });
}

}  // namespace carom
