#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/start_for_rows.hpp"
#include "kernels/cuda/trajectory_kernels.hpp"
#include "kernels/cuda/warp_trajectories.hpp"

namespace carom {

/// Starts a kernel in which warps solve the steps; false if the device has too little shared
/// memory.
template <class StepSize, class Program>
bool start_by_warps(const Program& program, const Stream& stream, std::uint64_t first,
                    std::uint64_t rows, const SampleView& out) {
  if constexpr (StepSize::lcp_size <= Program::Size::lcp_size) {
    const auto kernel = run_by_warps_kernel<Program, StepSize>;
    const Grid grid = grid_of_warps(kernel, sizeof(WarpStep<StepSize>),
                                    (rows + lanes_per_warp - 1) / lanes_per_warp);
    if (grid.blocks == 0) return false;
    start_kernel(kernel, grid, stream, program, first, rows, out);
    return true;
  }
  return false;
}

/// Starts the kernel of a program for `rows` rows. Which kernel it is changes no bit.
template <class Program>
void start_program(const Program& program, const Stream& stream, std::uint64_t first,
                   std::uint64_t rows, const SampleView& out) {
  static_assert(std::is_trivially_copyable_v<Program>);
  if constexpr (is_solved_by_warps<Program>) {
    if (!leaves_steps_to_threads()) {
      const ProblemShape& shape = program.plan.shape;
      const bool fits = OneLaneEach::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities);
      if (fits && start_by_warps<OneLaneEach>(program, stream, first, rows, out)) return;
      if (start_by_warps<typename Program::Size>(program, stream, first, rows, out)) return;
    }
  }
  start_for_rows(run_trajectories_kernel<Program>, rows, stream, program, first, rows, out);
}

}  // namespace carom
