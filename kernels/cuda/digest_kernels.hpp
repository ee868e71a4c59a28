#pragma once

#include <cstdint>

#include "kernels/cuda/warp.hpp"
#include "kernels/digest/digest_row.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom {

// The kernels that count the rows of a launch, list them and copy them.

/// The threads of a warp count their rows together: one atomic operation for equal values.
struct WarpTeam {
  int lane = 0;

  __device__ void count(std::uint64_t* bins, std::uint64_t bin, bool there) const {
    for_each_code(bin, there, [&](std::uint64_t rows) { add_to(bins[bin], rows); });
  }

  __device__ void widen(std::uint64_t& least, std::uint64_t& greatest, double value,
                        bool there) const {
    std::uint64_t low = there ? ordered_bits(value) : ~std::uint64_t{0};
    std::uint64_t high = there ? ordered_bits(value) : 0;
    for (int distance = int{lanes_per_warp} / 2; distance > 0; distance /= 2) {
      const std::uint64_t other_low = __shfl_xor_sync(all_lanes, low, distance);
      const std::uint64_t other_high = __shfl_xor_sync(all_lanes, high, distance);
      low = other_low < low ? other_low : low;
      high = other_high > high ? other_high : high;
    }
    if (lane != 0 || low > high) return;
    lower_to(least, low);
    raise_to(greatest, high);
  }

  template <class Count>
  __device__ void for_each_code(std::uint64_t code, bool there, Count&& count) const {
    const unsigned taking_part = __ballot_sync(all_lanes, there);
    const unsigned same = __match_any_sync(all_lanes, code) & taking_part;
    if (there && __ffs(static_cast<int>(same)) - 1 == lane) {
      count(static_cast<std::uint64_t>(__popc(same)));
    }
    __syncwarp();
  }

  /// Leaves the sums of all threads in the first thread.
  __device__ void join(DigestSums& sums) const {
    for (int distance = int{lanes_per_warp} / 2; distance > 0; distance /= 2) {
      for (int i = 0; i < digest_sums; ++i) {
        sums.sum[i] += __shfl_down_sync(all_lanes, sums.sum[i], distance);
      }
      const WideSum other{__shfl_down_sync(all_lanes, sums.energy.low, distance),
                          __shfl_down_sync(all_lanes, sums.energy.high, distance)};
      sums.energy.add(other);
    }
  }
};

/// Blocks of whole warps; every thread of a warp repeats the loop as often as its first thread.
__global__ void digest_kernel(DigestPlan plan, SampleView rows, std::uint64_t first,
                              std::uint64_t count, DigestTotals totals) {
  const WarpTeam team{static_cast<int>(threadIdx.x % int{lanes_per_warp})};
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  const RowShape shape = row_shape(plan.shape, plan.counts_solutions);
  DigestSums sums;
  for (std::uint64_t start = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - team.lane;
       start < count; start += stride) {
    const std::uint64_t row = start + team.lane;
    digest_row(plan, rows.from(row, shape), row < count, row, first + row, team, sums, totals);
  }
  team.join(sums);
  if (team.lane == 0) add_sums(sums, totals);
}

/// Lists the outcomes that no member of the net covers, in any order.
__global__ void list_open_kernel(DigestPlan plan, SampleView rows, std::uint64_t count,
                                 std::uint32_t* list, std::uint64_t* listed) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; row < count;
       row += stride) {
    if (rows.status[row] != Status::separated) continue;
    const double* const velocity = rows.velocity + row * plan.shape.velocities;
    if (plan.members.cover(velocity, plan.shape.velocities)) continue;
    list[add_to(*listed, 1)] = static_cast<std::uint32_t>(row);
  }
}

/// Copies the velocities of the rows on the list side by side.
__global__ void gather_kernel(const double* velocity, int nv, const std::uint32_t* list,
                              std::uint64_t listed, double* gathered) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < listed * nv;
       i += stride) {
    gathered[i] = velocity[std::uint64_t{list[i / nv]} * nv + i % nv];
  }
}

}  // namespace carom
