#pragma once

#include <cstdint>

#include "kernels/cuda/trajectory_kernels.hpp"
#include "kernels/cuda/warp_steps.hpp"
#include "kernels/laws/set_valued/law.hpp"
#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/trajectory/trajectory.hpp"

namespace carom {

/// Whether a warp solves the steps of a program, one lane's after the other's: one thread's arrays
/// for so large a step would be in the device's memory.
template <class Program>
inline constexpr bool is_solved_by_warps = false;
template <class Size, Effort effort>
inline constexpr bool is_solved_by_warps<Trajectory<SetValuedLaw<LemkeSolution<Size, effort>>>> =
    Size::lcp_size > 10;

/// Steps whose unknowns are no more than the lanes of a warp: up to 8 contacts in the plane, or 5
/// in space. More warps have room for them than for those of the largest size.
using OneLaneEach = Capacity<40, LargestDeviceCapacity::velocities, int{lanes_per_warp}>;

/// run_trajectories_kernel() of a program whose steps warps solve, in blocks of one warp.
/// @tparam StepSize that holds the problems' steps
template <class Program, class StepSize>
__global__ void run_by_warps_kernel(Program program, std::uint64_t first, std::uint64_t count,
                                    SampleView out) {
  using Step = WarpStep<StepSize>;
  Step& step = *reinterpret_cast<Step*>(shared_memory);
  const auto advance = [&](typename Program::Run& run, bool moves) {
    StepContext context;
    const bool asks = moves && program.pose(run, context);
    bool goes_on = false;
    for (unsigned open = __ballot_sync(all_lanes, asks); open != 0; open &= open - 1) {
      const bool its_own = lane_of_warp() == __ffs(static_cast<int>(open)) - 1;
      if (its_own) step.set(run.problem, context, run.state.speed);
      __syncwarp();
      const StepOutcome outcome = solve_by_warp(step);
      __syncwarp();
      if (!its_own) continue;
      for (int i = 0; i < run.problem.shape.impulses(); ++i) run.state.impulse[i] = step.impulse[i];
      goes_on = program.take(run, outcome, step.after);
      if (goes_on) context.count_solutions(1);
    }
    return goes_on;
  };
  run_in_turns(
      program, first, count, out, [](std::uint64_t i) { return i; }, [](std::uint64_t) {}, advance);
}

}  // namespace carom
