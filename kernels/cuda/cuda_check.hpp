#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "carom/error.hpp"

namespace carom {

/// The device, or the host's page-locked memory, has too little memory.
class DeviceMemoryError : public RunError {
 public:
  using RunError::RunError;
};

inline void check_cuda(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  const std::string message = std::string("CUDA: ") + cudaGetErrorString(error) + " in " + call +
                              " (" + file + ":" + std::to_string(line) + ")";
  if (error != cudaErrorMemoryAllocation) throw RunError(message);
  cudaGetLastError();  // a later check must not find this error
  throw DeviceMemoryError(message);
}

}  // namespace carom

/// Throws RunError, or DeviceMemoryError, unless the CUDA call succeeds; for kernel launches:
/// cudaGetLastError().
#define CAROM_CUDA_CHECK(call) ::carom::check_cuda((call), #call, __FILE__, __LINE__)
