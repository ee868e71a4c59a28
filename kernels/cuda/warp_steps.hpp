#pragma once

#include <cstdlib>
#include <new>
#include <string_view>

#include "kernels/cuda/whole_warp.hpp"
#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/step/step_lcp.hpp"

namespace carom {

/// The shared memory of a block, of the size that its grid has.
alignas(64) extern __shared__ double shared_memory[];

/// Whether steps that warps can solve are left to threads, to compare their times: if
/// CAROM_CUDA_STEPS=thread stands in the environment. No bit depends on it.
inline bool leaves_steps_to_threads() {
  const char* const asked = std::getenv("CAROM_CUDA_STEPS");
  return asked != nullptr && std::string_view(asked) == "thread";
}

/// A step that a warp solves, with all that it takes, in the shared memory of the warp.
template <class Size>
struct WarpStep {
  using Lcp = StepLcp<ByWarp<Size>>;
  using Room =
      typename Lcp::template Room<typename Lcp::template Method<double, Size::carried_inputs>>;

  StepLcpView problem;
  StepContext context;
  double before[Size::impulses];
  double cap[Size::contacts];
  double cover[Size::lcp_size];
  double impulse[Size::impulses];
  double after[Size::impulses];
  Room room;
  alignas(Lcp) unsigned char lcp[sizeof(Lcp)];

  /// @param speed before the step
  __device__ void set(const StepLcpView& its_problem, const StepContext& its_context,
                      const double* speed) {
    problem = its_problem;
    context = its_context;
    for (int i = 0; i < problem.shape.impulses(); ++i) before[i] = speed[i];
    for (int i = 0; i < problem.shape.contacts; ++i) cap[i] = its_context.cap[i];
  }
};

/// Solves a step as LemkeSolution does, by all lanes of the warp.
template <class Size>
CAROM_OUT_OF_LINE __device__ StepOutcome solve_by_warp(WarpStep<Size>& step) {
  using Lcp = typename WarpStep<Size>::Lcp;
  const bool draws = step.context.solutions == Solutions::cover;
  if (draws) step.context.template draw_cover<WholeWarp>(step.problem, step.cover);
  Lcp& lcp = *new (step.lcp) Lcp(step.problem, step.before, step.cap);
  return lcp.solve_in(step.room, draws ? step.cover : nullptr, step.impulse, step.after);
}

}  // namespace carom
