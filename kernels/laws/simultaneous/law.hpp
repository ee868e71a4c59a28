#pragma once

#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/laws/simultaneous/plan.hpp"
#include "kernels/trajectory/law.hpp"

namespace carom::inline CAROM_ISA {

/// Caps (m, as speeds) that no solution at these contact speeds reaches. With them, the step's
/// residual check also works for laws without caps.
template <class Size>
CAROM_HOST_DEVICE void set_unreached_caps(const StepLcpView& problem, const double* speed,
                                          double* cap) {
  constexpr double beyond = 1e6;  // times the stopping impulse; enough for friction 1e5
  for (int i = 0; i < problem.shape.contacts; ++i) cap[i] = 0.0;  // the scale without caps
  const double stopping = ContactStep<Size>(problem, speed, cap).impulse_scale();
  for (int i = 0; i < problem.shape.contacts; ++i) cap[i] = beyond * stopping;
}

/// The simultaneous law (Anitescu & Potra; Halm & Posa, Eq. 31-33): one step without caps; each of
/// its distinct outcomes is equally probable.
/// @tparam Solver finds all solutions
template <class Solver>
struct SimultaneousLaw : UntilSeparated<ContactMotion<typename Solver::Size>> {
  using Size = typename Solver::Size;
  using State = ContactMotion<Size>;

  /// Before the plan: see SetValuedLaw.
  [[no_unique_address]] Solver solver{};
  SimultaneousPlan plan;

  CAROM_HOST_DEVICE Status step(const StepLcpView& problem, const TrajectoryKey& key, State& state,
                                std::uint32_t number, Counters& counters) const {
    if (number == 0 && key.start == nullptr && plan.known_count != nullptr &&
        plan.known_count[key.problem] > 0) {
      draw_known(problem, key, state, counters);
      return Status::separated;
    }
    double cap[Size::contacts];
    set_unreached_caps<Size>(problem, state.speed, cap);
    const double* const selection = key.scripted(number);
    const StepContext context{.cap = cap,
                              .random = key.random_of(selection),
                              .step = number,
                              .solutions = Solutions::all,
                              .method = SimultaneousPlan::method(problem.shape),
                              .modes = nullptr,
                              .tree = nullptr,
                              .scripted_selection = selection,
                              .solution_count = counters.solutions};
    double after[Size::impulses];
    const StepOutcome outcome = solver(problem, context, state.speed, state.impulse, after);
    counters.add(outcome);
    if (outcome.status == Status::separated) state.advance(problem, after);
    return outcome.status;
  }

 private:
  /// The first step by one of the problem's known solutions, drawn as a solver draws.
  CAROM_HOST_DEVICE void draw_known(const StepLcpView& problem, const TrajectoryKey& key,
                                    State& state, Counters& counters) const {
    const int count = plan.known_count[key.problem];
    const double drawn = count > 1 ? key.number(0, Purpose::selection, 0) : 1.0;
    const double* const solution =
        plan.known_solution(problem.shape, key.problem, choose_evenly(drawn, count));
    const int size = problem.shape.impulses();
    for (int i = 0; i < size; ++i) state.impulse[i] = solution[i];
    if (counters.solutions != nullptr) ++counters.solutions[count];
    state.advance(problem, solution + size);
  }
};

}  // namespace carom::inline CAROM_ISA
