// Compiled once per instruction set, like kernels/cpu/run_items.cpp: all solvers of a host's steps.
#include "kernels/cpu/solve_steps.hpp"

#include "kernels/laws/set_valued/any_solution.hpp"
#include "kernels/laws/set_valued/host_solution.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/step_lcp.hpp"

namespace carom::inline CAROM_ISA {

void solve_thoroughly(const StepLcpView& view, const double* speed, const double* cap,
                      const double* cover, double* impulse, double* after, StepOutcome& outcome) {
  StepLcp<LargestCapacity>(view, speed, cap).solve_thoroughly(cover, impulse, after, outcome);
}

StepOutcome solve_host_step(const StepLcpView& view, const double* speed, const double* cap,
                            const double* cover, double* impulse, double* after) {
  StepOutcome outcome;
  with_size(view.shape, [&]<class Size>(Size) {
    outcome = solve_step<Size, Effort::thorough>(view, speed, cap, cover, impulse, after);
  });
  return outcome;
}

template <class Solver>
static StepOutcome solve_by(const StepLcpView& problem, const StepContext& context,
                            const double* before, double* impulse, double* after) {
  return Solver{}(problem, context, before, impulse, after);
}

StepSolver step_solver(const ProblemShape& shape, Solutions solutions, SolutionMethod method) {
  StepSolver found = nullptr;
  with_size(shape, [&]<class Size>(Size) {
    with_solution<Size, Effort::thorough>(
        solutions, method, [&]<class Solver>(const Solver&) { found = solve_by<Solver>; });
  });
  return found;
}

StepSolver step_search(const ProblemShape& shape, SolutionMethod method) {
  StepSolver found = nullptr;
  with_capacity(shape, [&]<class Size>(Size) {
    with_search<Size, Effort::thorough>(
        method, [&]<class Solver>(const Solver&) { found = solve_by<Solver>; });
  });
  return found;
}

template <class Size>
static StepOutcome run_step_of(const StepLcpView& problem, const double* cap, Effort effort,
                               const StepArrays& arrays) {
  const ProblemShape& shape = problem.shape;
  double speed[Size::impulses];
  double after[Size::impulses];
  double impulse[Size::impulses];
  double cap_speed[Size::contacts];
  contact_speeds(problem, arrays.velocity, speed);
  for (int i = 0; i < shape.contacts; ++i) cap_speed[i] = cap[i] * problem.impulse_unit();
  const auto solve =
      effort == Effort::fast ? solve_step<Size, Effort::fast> : solve_step<Size, Effort::thorough>;
  const StepOutcome outcome = solve(problem, speed, cap_speed, nullptr, impulse, after);
  if (outcome.status != Status::separated) return outcome;
  apply_impulse(problem, impulse, arrays.velocity);
  const ContactStep<Size> step(problem, speed, cap_speed);
  const int k = shape.friction_directions;
  for (int i = 0; i < shape.impulses(); ++i)
    arrays.impulse[i] = impulse[i] / problem.impulse_unit();
  for (int i = 0; i < shape.contacts; ++i) {
    const int at = i * (1 + shape.tangent_dimension);
    arrays.cap_slack[i] = step.cap_slack(after + at);
    arrays.slip_speed[i] = step.slip_speed(after + at);
    arrays.normal_impulse[i] = arrays.impulse[at];
    step.split_friction(arrays.impulse + at + 1, arrays.direction_impulse + i * k);
  }
  return outcome;
}

StepOutcome run_step(const StepLcpView& problem, const double* cap, Effort effort,
                     const StepArrays& arrays) {
  StepOutcome outcome;
  with_size(problem.shape,
            [&]<class Size>(Size) { outcome = run_step_of<Size>(problem, cap, effort, arrays); });
  return outcome;
}

}  // namespace carom::inline CAROM_ISA
