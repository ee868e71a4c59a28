#pragma once

#include "carom/selection.hpp"
#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/step/host_step.hpp"

namespace carom::inline CAROM_ISA {

/// A solver's call: see LemkeSolution.
using StepSolver = StepOutcome (*)(const StepLcpView& problem, const StepContext& context,
                                   const double* before, double* impulse, double* after);

/// The solver of problems of a shape, with Effort::thorough. All solvers are compiled once per
/// instruction set, by kernels/cpu/solve_steps.cpp, and not once for each law and program.
StepSolver step_solver(const ProblemShape& shape, Solutions solutions, SolutionMethod method);

/// The solver that finds all solutions without a table: see with_search().
StepSolver step_search(const ProblemShape& shape, SolutionMethod method);

/// Lemke's method as a solver.
struct HostStep {
  SolveStep solve;

  StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                         const double* before, double* impulse, double* after) const {
    return solve(problem, before, context.cap, nullptr, impulse, after);
  }
};

/// Any solver, for programs of a size.
template <class AnySize>
struct HostSolution {
  using Size = AnySize;
  StepSolver solver;

  StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                         const double* before, double* impulse, double* after) const {
    return solver(problem, context, before, impulse, after);
  }
};

}  // namespace carom::inline CAROM_ISA
