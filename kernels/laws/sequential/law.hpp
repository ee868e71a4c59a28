#pragma once

#include "kernels/laws/sequential/plan.hpp"
#include "kernels/laws/simultaneous/law.hpp"
#include "kernels/trajectory/law.hpp"

namespace carom::inline CAROM_ISA {

/// One contact after the other (Halm & Posa, Section 2.2.2): each step draws one of the approaching
/// contacts, all equally probable, and solves the simultaneous law for this contact alone; its
/// distinct outcomes are equally probable, too.
template <class AnySize, Effort effort>
struct SequentialLaw : UntilSeparated<ContactMotion<AnySize>> {
  using Size = AnySize;
  using State = ContactMotion<Size>;

  SequentialPlan plan;

  CAROM_HOST_DEVICE Status step(const StepLcpView& problem, const TrajectoryKey& key, State& state,
                                std::uint32_t number, Counters& counters) const {
    const int contact = draw_contact(problem, key, state, number);
    const double* const numbers = key.scripted(number);
    const int width = 1 + problem.shape.tangent_dimension;
    const double* const before = state.speed + contact * width;
    const StepLcpView alone = plan.view(problem.shape, key.problem, contact);
    double cap[1];
    set_unreached_caps<Size>(alone, before, cap);
    const StepContext context{
        .cap = cap,
        .random = key.random,
        .step = number,
        .solutions = Solutions::all,
        .modes = plan.modes + SequentialPlan::place(problem.shape, key.problem, contact),
        .tree = nullptr,
        .scripted_selection = numbers == nullptr ? nullptr : numbers + 1,
        .solution_count = counters.solutions};
    double impulse[Size::impulses];
    double its_after[Size::impulses];
    const StepOutcome outcome =
        AllSolutions<Size, effort>{}(alone, context, before, impulse, its_after);
    counters.add(outcome);
    if (outcome.status != Status::separated) return outcome.status;
    for (int i = 0; i < problem.shape.impulses(); ++i) state.impulse[i] = 0.0;
    const double unit = problem.impulse_unit() / alone.impulse_unit();  // powers of two
    for (int a = 0; a < width; ++a) state.impulse[contact * width + a] = impulse[a] * unit;
    double after[Size::impulses];
    speeds_after(problem, state, after);
    // The contact's speeds are those of its own step, in which zeros are exact.
    for (int a = 0; a < width; ++a) after[contact * width + a] = its_after[a];
    state.advance(problem, after);
    return outcome.status;
  }

 private:
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

  /// Contact speeds after `state.impulse`.
  CAROM_HOST_DEVICE static void speeds_after(const StepLcpView& problem, const State& state,
                                             double* after) {
    const int size = problem.shape.impulses();
    double fastest = 0.0;
    for (int i = 0; i < size; ++i) fastest = larger(fastest, std::fabs(state.speed[i]));
    for (int i = 0; i < size; ++i) {
      double sum = state.speed[i];
      for (int j = 0; j < size; ++j) {
        sum = std::fma(problem.delassus()[i * size + j], state.impulse[j], sum);
      }
      after[i] = std::fabs(sum) <= speed_noise * fastest ? 0.0 : sum;
    }
  }
};

}  // namespace carom::inline CAROM_ISA
