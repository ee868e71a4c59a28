#pragma once

#include "kernels/laws/set_valued/pivot_tree_learner.hpp"
#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/step_lcp.hpp"

namespace carom::inline CAROM_ISA {

/// LemkeSolution with the view's covering vector; a tree learns its pivot paths.
template <class AnySize>
struct LearningSolution {
  using Size = AnySize;
  PivotTree* tree;

  StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                         const double* before, double* impulse, double* after) const {
    StepLcp<Size> lcp(problem, before, context.cap);
    StepOutcome outcome = lcp.solve(nullptr, impulse, after, PivotTreeLearner(*tree));
    if (outcome.status == undecided) {
      solve_thoroughly(problem, before, context.cap, nullptr, impulse, after, outcome);
    }
    return outcome;
  }
};

}  // namespace carom::inline CAROM_ISA
