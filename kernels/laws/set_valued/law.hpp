#pragma once

#include "kernels/laws/set_valued/draw_caps.hpp"
#include "kernels/laws/set_valued/plan.hpp"
#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/trajectory/law.hpp"

namespace carom::inline CAROM_ISA {

/// Factor that converts a cap from a part of h to a speed, see StepLcpView.
CAROM_HOST_DEVICE inline double cap_unit(const StepLcpView& problem) {
  return problem.impulse_step() * problem.impulse_unit();
}

/// Caps (m, as speeds) of step `number`; of the final step if `number` is `max_steps`.
CAROM_HOST_DEVICE inline void step_caps(const StepLcpView& problem, const CapsSource& source,
                                        int number, int max_steps, double* cap) {
  const int m = problem.shape.contacts;
  if (number == max_steps) {
    for (int i = 0; i < m; ++i) cap[i] = problem.final_cap() * problem.impulse_unit();
    return;
  }
  source.draw(static_cast<std::uint32_t>(number), cap);
  for (int i = 0; i < m; ++i) cap[i] *= cap_unit(problem);
}

/// Halm & Posa's set-valued law: steps whose normal impulses stay below random caps (Algorithm 1),
/// and a final step whose caps keep the outcome within epsilon / 3 (Algorithm 2). `Solver` solves a
/// step with given caps: from the contact speeds before the step to its impulses and the speeds
/// after it.
template <class Solver>
struct SetValuedLaw : UntilSeparated<ContactMotion<typename Solver::Size>> {
  using Size = typename Solver::Size;

  struct State : ContactMotion<Size> {
    CapsSource source;
    double cap[Size::contacts];  ///< of the last step, as speeds
  };

  /// Before the plan: nvcc gives an empty member behind others their size once more, so that what
  /// follows would lie elsewhere than the host has put it.
  [[no_unique_address]] Solver solver{};
  SetValuedPlan plan;

  CAROM_HOST_DEVICE State begin(const StepLcpView& problem, const TrajectoryKey& key) const {
    State state;  // without zeros, which would be written entry by entry
    state.source = CapsSource(plan.caps, key.random, key.trajectory, problem.shape.contacts);
    state.start(problem, key);
    return state;
  }

  CAROM_HOST_DEVICE Status step(const StepLcpView& problem, const TrajectoryKey& key, State& state,
                                std::uint32_t number, Counters& counters) const {
    return advance(problem, state, pose(problem, key, state, number, counters), counters);
  }

  CAROM_HOST_DEVICE Status finish(const StepLcpView& problem, const TrajectoryKey& key,
                                  State& state, std::uint32_t number, Counters& counters) const {
    if (!has_final_step(key)) return Status::step_limit;
    return advance(problem, state, pose_final(problem, key, state, number, counters), counters);
  }

  /// A trajectory from a state takes steps of Algorithm 1 alone.
  CAROM_HOST_DEVICE static bool has_final_step(const TrajectoryKey& key) {
    return key.start == nullptr;
  }

  // step() and finish() in two parts, for those who solve the step between them: its speeds before
  // are state.speed, and its impulses become state.impulse.

  CAROM_HOST_DEVICE StepContext pose(const StepLcpView& problem, const TrajectoryKey& key,
                                     State& state, std::uint32_t number, Counters& counters) const {
    const double* const selection = draw(problem, key, state, number);
    return context_of(key, number, state.cap, selection, counters.solutions);
  }

  CAROM_HOST_DEVICE StepContext pose_final(const StepLcpView& problem, const TrajectoryKey& key,
                                           State& state, std::uint32_t number,
                                           Counters& counters) const {
    counters.final_step = true;
    for (int i = 0; i < problem.shape.contacts; ++i) {
      state.cap[i] = problem.final_cap() * problem.impulse_unit();
    }
    return context_of(key, number, state.cap, nullptr, counters.solutions);
  }

  CAROM_HOST_DEVICE static Status take(const StepLcpView& problem, State& state,
                                       const StepOutcome& outcome, const double* after,
                                       Counters& counters) {
    counters.add(outcome);
    if (outcome.status == Status::separated) state.advance(problem, after);
    return outcome.status;
  }

 protected:
  /// Sets the caps of a step; returns the script's number that selects its solution, or null.
  CAROM_HOST_DEVICE const double* draw(const StepLcpView& problem, const TrajectoryKey& key,
                                       State& state, std::uint32_t number) const {
    const int m = problem.shape.contacts;
    const double* const script = key.scripted(number);
    if (script == nullptr) {
      state.source.draw(number, state.cap);
    } else {
      for (int i = 0; i < m; ++i) state.cap[i] = script[i];
    }
    for (int i = 0; i < m; ++i) state.cap[i] *= cap_unit(problem);
    return script == nullptr ? nullptr : script + m;
  }

  /// Data of step `number` with caps `cap`.
  CAROM_HOST_DEVICE StepContext context_of(const TrajectoryKey& key, std::uint32_t number,
                                           const double* cap, const double* selection,
                                           std::uint16_t* solution_count) const {
    return {.cap = cap,
            .random = key.random_of(selection),
            .step = number,
            .solutions = plan.solutions,
            .method = plan.method,
            .modes = plan.modes == nullptr ? nullptr : plan.modes + key.problem,
            .tree = plan.trees == nullptr ? nullptr : plan.trees + key.problem,
            .scripted_selection = selection,
            .solution_count = solution_count};
  }

  CAROM_ONE_COPY CAROM_HOST_DEVICE static StepOutcome solve(const Solver& solver,
                                                            const StepLcpView& problem,
                                                            const StepContext& context,
                                                            const double* before, double* impulse,
                                                            double* after) {
    return solver(problem, context, before, impulse, after);
  }

 private:
  CAROM_HOST_DEVICE Status advance(const StepLcpView& problem, State& state,
                                   const StepContext& context, Counters& counters) const {
    double after[Size::impulses];
    const StepOutcome outcome = solve(solver, problem, context, state.speed, state.impulse, after);
    return take(problem, state, outcome, after, counters);
  }
};

}  // namespace carom::inline CAROM_ISA
