#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "kernels/cuda/warp_steps.hpp"
#include "kernels/impact/world_impact.hpp"

// Worlds of which each is a warp's: all lanes compute the same, and share what is large. The flat
// problem is in device memory, since little of it is read in each step. The assembly and, once the
// problem is flat, the step are in the warp's shared memory.

namespace carom {

/// The warp's shared memory, of which the room is larger than here.
struct WarpOfWorlds {
  double* flat;                       ///< in device memory
  alignas(64) unsigned char room[1];  ///< of the assembly, then of the step

  __device__ static WarpOfWorlds& own() { return *reinterpret_cast<WarpOfWorlds*>(shared_memory); }
  /// Bytes of a warp that serves worlds of a size.
  template <class Size>
  static constexpr std::size_t bytes() {
    constexpr std::size_t rooms[] = {sizeof(Assembly<ByWarp<Size>>), sizeof(WarpStep<Size>)};
    return offsetof(WarpOfWorlds, room) + (rooms[0] > rooms[1] ? rooms[0] : rooms[1]);
  }
};

/// LemkeSolution by all lanes of the warp.
template <class AnySize>
struct WarpSolution {
  using Size = AnySize;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                                           const double* before, double* impulse,
                                           double* after) const {
    StepOutcome outcome;
    CAROM_IN_WARP(outcome = solve(problem, context, before, impulse, after));
    return outcome;
  }

 private:
  __device__ static StepOutcome solve(const StepLcpView& problem, const StepContext& context,
                                      const double* before, double* impulse, double* after) {
    WarpStep<Size>& step = *reinterpret_cast<WarpStep<Size>*>(WarpOfWorlds::own().room);
    WholeWarp::once([&] { step.set(problem, context, before); });
    const StepOutcome outcome = solve_by_warp(step);
    WholeWarp::meet();
    for (int i = 0; i < problem.shape.impulses(); ++i) {
      impulse[i] = step.impulse[i];
      after[i] = step.after[i];
    }
    if (outcome.status == Status::separated) context.count_solutions(1);
    return outcome;
  }
};

/// SingleImpact by all lanes of the warp.
template <class ItsSize, Effort effort>
struct WarpImpact : SingleImpact<ItsSize, effort> {
  using Size = ItsSize;
  using Solver = WarpSolution<Size>;
  struct Memory {};

  CAROM_HOST_DEVICE bool prepare(const ProblemShape& its_shape, const ProblemArrays& arrays,
                                 const ImpactPlan& plan, double impulse_step, Memory&) {
    using Shared = Assembly<ByWarp<Size>>;
    this->shape = its_shape;
    bool obeys = false;
    CAROM_IN_WARP(WarpOfWorlds& its = WarpOfWorlds::own();
                  Shared& assembly = *new (its.room) Shared;
                  obeys = this->prepare_by(assembly, arrays, plan, impulse_step, its.flat));
    return obeys;
  }

  CAROM_HOST_DEVICE Solver solver(const SetValuedPlan&) const { return {}; }
};

template <WorldsLaw which, class Largest>
using WorldOfWarp = WorldImpact<which, Largest, Effort::fast, WarpImpact>;

/// Doubles of the largest flat problem of worlds of a plan.
template <class Largest>
std::size_t flat_size_of_worlds(const WorldsPlan& plan) {
  int most = 0;
  for (int m = 1; m <= plan.batch.contacts; ++m) {
    const ProblemShape shape = plan.shape_of(m);
    if (!Largest::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities)) break;
    most = StepLcpView{shape, nullptr}.data_size();
  }
  return static_cast<std::size_t>(most);
}

/// So many warps of a multiprocessor find room in its shared memory, and registers are spared for
/// them.
template <class Largest>
inline constexpr int warps_together = WarpOfWorlds::bytes<Largest>() <= 8'000    ? 16
                                      : WarpOfWorlds::bytes<Largest>() <= 18'000 ? 12
                                                                                 : 1;

/// @param flat so many doubles for each warp
template <WorldsLaw which, class Largest>
__global__ void __launch_bounds__(lanes_per_warp, warps_together<Largest>)
    run_worlds_by_warps_kernel(WorldOfWarp<which, Largest> program, std::uint64_t count,
                               SampleView out, double* flat, std::size_t flat_size) {
  WholeWarp::once([&] { WarpOfWorlds::own().flat = flat + blockIdx.x * flat_size; });
  // All lanes write the same numbers, but one counts.
  if (lane_of_warp() != 0) out.solution_count = nullptr;
  for (std::uint64_t row = blockIdx.x; row < count; row += gridDim.x) {
    program(row, row, out);
    __syncwarp();  // the next world takes the shared memory
  }
}

}  // namespace carom
