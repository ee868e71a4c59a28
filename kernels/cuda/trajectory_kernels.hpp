#pragma once

#include <cstdint>

#include "kernels/cuda/items_kernel.hpp"
#include "kernels/step/step_outcome.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

/// As run_items_kernel, with known paths; `list` receives the rows without a known path, in any
/// order, and `listed` their number.
template <class Program>
__global__ void run_known_kernel(Program program, std::uint64_t first, std::uint64_t count,
                                 SampleView out, std::uint32_t* list, unsigned* listed) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; row < count;
       row += stride) {
    program(first + row, row, out);
    if (out.status[row] == undecided) {
      list[atomicAdd(listed, 1u)] = static_cast<std::uint32_t>(row);
    }
  }
}

/// The rows that run_known_kernel left, side by side, so that no warp waits for a single row.
template <class Program>
__global__ void run_listed_kernel(Program program, std::uint64_t first, SampleView out,
                                  const std::uint32_t* list, const unsigned* listed) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < *listed; i += stride) {
    program(first + list[i], list[i], out);
  }
}

/// The rows that double precision could not decide, in any order.
__global__ void list_undecided_kernel(const Status* status, std::uint64_t count,
                                      std::uint32_t* list, unsigned* listed) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; row < count;
       row += stride) {
    if (status[row] == undecided) list[atomicAdd(listed, 1u)] = static_cast<std::uint32_t>(row);
  }
}

/// Copies one row.
__device__ inline void copy_row(const SampleView& to, const SampleView& from,
                                const RowShape& shape) {
  for_each_column(
      [&](const ColumnInfo& info, auto* target, const auto* source) {
        for (std::size_t i = 0; i < shape.numbers(info.shape); ++i) target[i] = source[i];
      },
      to, from);
}

/// Moves row i of `from` to row list[i] of `to`.
__global__ void put_rows_kernel(SampleView to, SampleView from, const std::uint32_t* list,
                                unsigned count, RowShape shape) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    copy_row(to.from(list[i], shape), from.from(i, shape), shape);
  }
}

}  // namespace carom
