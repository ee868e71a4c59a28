#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "kernels/cuda/warp_steps.hpp"
#include "kernels/impact/world_impact.hpp"

// Worlds of which each is a warp's: all lanes compute the same, and share what is large. The flat
// problem is at the start of the warp's shared memory. Behind it lies the assembly and, once the
// problem is flat, the step.

namespace carom {

/// Doubles that the flat problem of a shape takes, so that what lies behind it is aligned as the
/// assembly is.
CAROM_HOST_DEVICE constexpr std::size_t room_of_flat_problem(const ProblemShape& shape) {
  constexpr int whole = 8;
  return static_cast<std::size_t>((StepLcpView{shape, nullptr}.data_size() + whole - 1) / whole *
                                  whole);
}

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
    using Step = WarpStep<Size>;
    Step& step = *reinterpret_cast<Step*>(shared_memory + room_of_flat_problem(problem.shape));
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

/// SingleImpact by all lanes of the warp. The smallest steps have too few rows to share: every lane
/// solves them.
template <class ItsSize, Effort effort>
struct WarpImpact : SingleImpact<ItsSize, effort> {
  using Size = ItsSize;
  using Solver = std::conditional_t<Size::carried_inputs == 0, WarpSolution<Size>,
                                    LemkeSolution<Size, effort>>;
  struct Memory {};

  CAROM_HOST_DEVICE bool prepare(const ProblemShape& its_shape, const ProblemArrays& arrays,
                                 const ImpactPlan& plan, double impulse_step, Memory&) {
    using Shared = Assembly<ByWarp<Size>>;
    this->shape = its_shape;
    bool obeys = false;
    CAROM_IN_WARP(Shared& assembly = *new (shared_memory + room_of_flat_problem(its_shape)) Shared;
                  obeys = this->prepare_by(assembly, arrays, plan, impulse_step, shared_memory));
    return obeys;
  }

  CAROM_HOST_DEVICE Solver solver() const { return {}; }
};

template <WorldsLaw which, class Largest>
using WorldOfWarp = WorldImpact<which, Largest, Effort::fast, WarpImpact>;

/// Shared memory of a warp that serves worlds of a plan.
template <class Largest>
std::size_t shared_bytes_of_worlds(const WorldsPlan& plan) {
  std::size_t flat = 0;
  for (int m = 1; m <= plan.batch.contacts; ++m) {
    const ProblemShape shape = plan.shape_of(m);
    if (!Largest::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities)) break;
    flat = room_of_flat_problem(shape);
  }
  return flat * sizeof(double) +
         std::max(sizeof(Assembly<ByWarp<Largest>>), sizeof(WarpStep<Largest>));
}

template <WorldsLaw which, class Largest>
__global__ void run_worlds_by_warps_kernel(WorldOfWarp<which, Largest> program, std::uint64_t count,
                                           SampleView out) {
  // All lanes write the same numbers, but one counts.
  if (lane_of_warp() != 0) out.solution_count = nullptr;
  for (std::uint64_t row = blockIdx.x; row < count; row += gridDim.x) {
    program(row, row, out);
    __syncwarp();  // the next world takes the shared memory
  }
}

}  // namespace carom
