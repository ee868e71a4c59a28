#pragma once

#include "kernels/base/qualifiers.hpp"

namespace carom {

inline constexpr unsigned lanes_per_warp = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

}  // namespace carom

// What lanes of a warp do, within functions that nvcc compiles for the host, too, where nobody
// calls them.
#if defined(__CUDACC__) && !defined(__CUDA_ARCH__)
#define CAROM_IN_WARP(...) static_cast<void>(0)
#else
#define CAROM_IN_WARP(...) __VA_ARGS__
#endif

// Before loops of warps: unrolled, as nvcc does it four times, they made the code of a step larger
// than the caches of instructions.
#if defined(__CUDA_ARCH__)
#define CAROM_ROLLED _Pragma("unroll 1")
#else
#define CAROM_ROLLED
#endif
