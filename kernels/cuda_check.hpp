#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "carom/error.hpp"

namespace carom {

inline void check_cuda(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  throw RunError(std::string("CUDA: ") + cudaGetErrorString(error) + " in " + call + " (" + file +
                 ":" + std::to_string(line) + ")");
}

}  // namespace carom

/// Throws RunError unless the CUDA call succeeds; for kernel launches: cudaGetLastError().
#define CAROM_CUDA_CHECK(call) ::carom::check_cuda((call), #call, __FILE__, __LINE__)
