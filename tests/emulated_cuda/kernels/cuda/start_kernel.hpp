#pragma once

#include <array>
#include <tuple>

#include "kernels/cuda/device_stream.hpp"
#include "kernels/cuda/grid.hpp"

namespace carom {

/// As the header of this name that nvcc reads, on the emulated device.
template <class... Parameters, class... Arguments>
void start_kernel(void (*kernel)(Parameters...), const Grid& grid, const Stream& stream,
                  const Arguments&... arguments) {
  constexpr std::array<std::size_t, sizeof...(Parameters)> bytes = {sizeof(Parameters)...};
  emulated::enqueue_kernel(
      stream.handle, grid.blocks, grid.threads, grid.shared_bytes,
      [kernel, translation = emulated::translation_of(reinterpret_cast<const void*>(kernel), bytes),
       parameters = std::tuple<Parameters...>(arguments...)] {
        std::apply(
            [&](const Parameters&... each) {
              if (!translation) return kernel(each...);
              const unsigned char* const addresses[] = {
                  reinterpret_cast<const unsigned char*>(&each)...};
              translation(addresses);
            },
            parameters);
      });
}

}  // namespace carom
