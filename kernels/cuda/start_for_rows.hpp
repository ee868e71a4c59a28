#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/start_kernel.hpp"
#include "kernels/cuda/warp.hpp"

namespace carom {

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
  const auto blocks = static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block);
  start_kernel(kernel, {blocks, threads_per_block}, stream, arguments...);
}

/// The grid of a kernel whose warps are blocks of their own and share so many bytes; without blocks
/// if the device has less for one.
/// @param wanted so many warps, or as many as the device runs at a time; 0: one
template <class... Parameters>
Grid grid_of_warps(void (*kernel)(Parameters...), std::size_t shared_bytes, std::uint64_t wanted) {
  int device = 0;
  int multiprocessors = 0;
  int most_shared = 0;
  int warps = 0;  // of a multiprocessor at a time
  CAROM_CUDA_CHECK(cudaGetDevice(&device));
  CAROM_CUDA_CHECK(
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CAROM_CUDA_CHECK(
      cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (shared_bytes > static_cast<std::size_t>(most_shared)) return {.blocks = 0};
  CAROM_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared_bytes)));
  CAROM_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&warps, kernel, lanes_per_warp, shared_bytes));
  const auto at_a_time = static_cast<std::uint64_t>(std::max(multiprocessors * warps, 1));
  const std::uint64_t blocks = std::clamp(wanted, std::uint64_t{1}, at_a_time);
  return {static_cast<unsigned>(blocks), lanes_per_warp, shared_bytes};
}

}  // namespace carom
