#pragma once

#include <type_traits>

#include "kernels/laws/sequential/contact_solutions.hpp"
#include "kernels/laws/sequential/plan.hpp"
#include "kernels/laws/set_valued/draw_solution.hpp"
#include "kernels/laws/set_valued/step_context.hpp"
#include "kernels/problem/assemble.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/trajectory/law.hpp"

namespace carom::inline CAROM_ISA {

/// Stands for a solver where a program has none.
struct NoSolver {};

/// One contact after the other (Halm & Posa, Section 2.2.2): each step draws one of the approaching
/// contacts, all equally probable, and solves the simultaneous law for this contact alone; its
/// distinct outcomes are equally probable, too.
/// @tparam Solver solves a step of one contact whose states solve none; NoSolver leaves it
/// undecided
template <class AnySize, class Solver>
struct SequentialLaw : UntilSeparated<ContactMotion<AnySize>> {
  using Size = AnySize;
  using State = ContactMotion<Size>;

  /// Before the plan: see SetValuedLaw.
  [[no_unique_address]] Solver solver{};
  SequentialPlan plan;

  CAROM_HOST_DEVICE Status step(const StepLcpView& problem, const TrajectoryKey& key, State& state,
                                std::uint32_t number, Counters& counters) const {
    return problem.shape.tangent_dimension == 1 ? step_of<1>(problem, key, state, number, counters)
                                                : step_of<2>(problem, key, state, number, counters);
  }

 private:
  /// A step in the plane (d = 1) or in space (d = 2).
  template <int d>
  CAROM_HOST_DEVICE Status step_of(const StepLcpView& problem, const TrajectoryKey& key,
                                   State& state, std::uint32_t number, Counters& counters) const {
    using Found = ContactSolutions<d>;
    constexpr int width = 1 + d;
    const int contact = draw_contact(problem, key, state, number);
    const double* const numbers = key.scripted(number);
    const double* const before = state.speed + contact * width;
    const ContactAlone alone(problem, contact);
    const ContactView view = alone.view();
    const double cap[1] = {unreached_cap(view, before)};
    const typename Found::Step step(view, before, cap);
    const Found solutions(view, before, step, plan.maps_of(problem.shape, key.problem, contact));
    const StepContext context{.cap = cap,
                              .random = key.random,
                              .step = number,
                              .solutions = Solutions::all,
                              .modes = nullptr,
                              .tree = nullptr,
                              .scripted_selection = numbers == nullptr ? nullptr : numbers + 1,
                              .solution_count = counters.solutions};
    double its_after[width];
    for (int i = 0; i < problem.shape.impulses(); ++i) state.impulse[i] = 0.0;
    double* const impulse = state.impulse + contact * width;
    const StepOutcome outcome =
        solutions.components().pieces() > 0
            ? draw_solution(solutions.components(), step, context, impulse, its_after)
            : without_states(problem, contact, context, before, impulse, its_after);
    counters.add(outcome);
    if (outcome.status != Status::separated) return outcome.status;
    double after[Size::impulses];
    speeds_after(problem, state, contact * width, width, after);
    // The contact's speeds are those of its own step, in which zeros are exact.
    for (int a = 0; a < width; ++a) after[contact * width + a] = its_after[a];
    state.advance(problem, after);
    return outcome.status;
  }

  CAROM_HOST_DEVICE static int draw_contact(const StepLcpView& problem, const TrajectoryKey& key,
                                            const State& state, std::uint32_t number) {
    int count = 0;
    for (int i = 0; i < problem.shape.contacts; ++i) {
      count += state.approaches(problem, i, key.tolerance) ? 1 : 0;
    }
    int left = choose_evenly(key.number(number, Purpose::contact, 0), count);
    int contact = 0;
    while (!state.approaches(problem, contact, key.tolerance) || left-- > 0) ++contact;
    return contact;
  }

  /// Lemke's solution of a contact of which no state's solution passes the residual's check: its
  /// tangent and its normal are dependent almost up to rounding. The step is counted as such.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE StepOutcome without_states(const StepLcpView& problem,
                                                                 int contact, StepContext context,
                                                                 const double* before,
                                                                 double* impulse,
                                                                 double* after) const {
    StepOutcome outcome;
    outcome.status = undecided;
    if constexpr (!std::is_same_v<Solver, NoSolver>) {
      const int nv = problem.shape.velocities;
      const int d = problem.shape.tangent_dimension;
      const ProblemShape shape{1, nv, d, problem.shape.friction_directions};
      const ProblemArrays arrays{problem.mass_matrix(),
                                 problem.normal_jacobian() + contact * nv,
                                 problem.tangent_jacobian() + contact * d * nv,
                                 problem.friction() + contact,
                                 problem.pre_impact_velocity(),
                                 problem.directions()};
      double flat[largest_flat_size<LargestCapacity>];
      Assembly<LargestCapacity> assembly;
      assembly.flatten(shape, arrays, flat);
      const StepLcpView alone{shape, flat};
      const double cap[1] = {unreached_cap(alone, before)};
      context.cap = cap;
      outcome = count_as_incomplete(solver, alone, context, before, impulse, after);
      const double unit = problem.impulse_unit() / alone.impulse_unit();  // powers of two
      for (int a = 0; a <= d; ++a) impulse[a] *= unit;
    }
    return outcome;
  }

  /// A cap (as a speed) that no solution reaches. With it, the step's residual check also works
  /// for this law, which has none.
  template <class View>
  CAROM_HOST_DEVICE static double unreached_cap(const View& contact, const double* before) {
    constexpr double beyond = 1e6;  // times what stops the contact; enough for friction 1e5
    double sum = 0.0;
    for (int a = 0; a < contact.shape.impulses(); ++a) sum += std::fabs(before[a]);
    return beyond * sum / contact.delassus()[0];
  }

  /// Contact speeds after `state.impulse`, of which only `count` from `first` on are not zero.
  CAROM_HOST_DEVICE static void speeds_after(const StepLcpView& problem, const State& state,
                                             int first, int count, double* after) {
    const int size = problem.shape.impulses();
    double fastest = 0.0;
    for (int i = 0; i < size; ++i) fastest = larger(fastest, std::fabs(state.speed[i]));
    for (int i = 0; i < size; ++i) {
      double sum = state.speed[i];
      for (int j = first; j < first + count; ++j) {
        sum = std::fma(problem.delassus()[i * size + j], state.impulse[j], sum);
      }
      after[i] = std::fabs(sum) <= speed_noise * fastest ? 0.0 : sum;
    }
  }
};

}  // namespace carom::inline CAROM_ISA
