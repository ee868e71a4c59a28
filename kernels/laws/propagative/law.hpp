#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/laws/propagative/plan.hpp"
#include "kernels/trajectory/law.hpp"

namespace carom::inline CAROM_ISA {

/// Seghete & Murphey's propagative law: while a contact approaches, one of those that do, all
/// equally probable, reflects the velocity (Eq. 7). The elastic outcome v_e then becomes
/// R v_e + (1 - R) v_p with the plastic outcome v_p (Eq. 17).
template <class AnySize>
struct PropagativeLaw {
  using Size = AnySize;
  static constexpr bool has_short_steps = true;
  static constexpr int lanes = row_lanes<double, Size::impulses>;
  using Row = Lanes<double, lanes>;
  static_assert(Size::impulses % PropagativePlan::padding == 0);

  struct State : ContactMotion<Size> {
    std::uint64_t approaching;         ///< a bit per contact
    int last = 0;                      ///< contact of the last impact
    const double* reflections;         ///< of the problem, a row per contact
    const double* impulses;            ///< of the problem, per speed of each contact
    int stride;                        ///< of the reflections
    r123::Philox4x32::ctr_type words;  ///< of four impacts
    std::uint32_t drawn;               ///< number of the impact after these
  };

  PropagativePlan plan;

  CAROM_HOST_DEVICE State begin(const StepLcpView& problem, const TrajectoryKey& key) const {
    State state;
    state.reflections = plan.reflection(problem.shape, key.problem, 0);
    state.impulses = plan.impulses + PropagativePlan::first_of(problem.shape, key.problem);
    state.stride = PropagativePlan::stride(problem.shape.contacts);
    const double* before = plan.speeds_before(problem.shape, key.problem);
    const Row separated = Row::all(-key.tolerance);
    state.approaching = 0;
    state.drawn = 0;
    for (int b = 0; b < problem.shape.contacts; b += lanes) {
      const Row speeds = Row::load(before + b);
      speeds.store(state.speed + b);
      state.approaching |= approaching(speeds, separated, b);
    }
    for (int i = 0; i < problem.shape.contacts; ++i) state.impulse[i] = 0.0;
    if (key.start != nullptr) start(problem, key, state);
    return state;
  }

  CAROM_HOST_DEVICE static bool done(const StepLcpView&, const TrajectoryKey&, const State& state) {
    return state.approaching == 0;
  }

  CAROM_HOST_DEVICE Status step(const StepLcpView& problem, const TrajectoryKey& key, State& state,
                                std::uint32_t number, Counters&) const {
    const int contact = draw_contact(key, state, number);
    const double speed = state.speed[contact];
    const double impulse = -speed * state.impulses[contact];
    state.impulse[state.last] = 0.0;
    state.impulse[contact] = impulse;
    state.total[contact] += impulse;
    state.last = contact;
    const double* row = state.reflections + contact * state.stride;
    const Row own = Row::all(speed);
    const Row separated = Row::all(-key.tolerance);
    std::uint64_t bits = 0;
    for (int b = 0; b < problem.shape.contacts; b += lanes) {
      const Row after = fused(Row::load(row + b), own, Row::load(state.speed + b));
      after.store(state.speed + b);
      bits |= approaching(after, separated, b);
    }
    state.approaching = bits;
    if (state.approaching == 0) mix(problem, key, state);
    return Status::separated;
  }

  /// Draws the numbers of the four impacts from `number` on, of runs that take them side by side.
  template <class Run>
  static void draw_together(Run (&runs)[4], std::uint32_t number) {
    if (number % per_block != 0) return;
    Philox random[4];
    r123::Philox4x32::ctr_type* words[4];
    for (int i = 0; i < 4; ++i) {
      random[i] = runs[i].key.random;
      words[i] = &runs[i].state.words;
      runs[i].state.drawn = number + per_block;
    }
    Philox::words(random, number / per_block, Purpose::contact, 0, words);
  }

  CAROM_HOST_DEVICE static Status finish(const StepLcpView&, const TrajectoryKey&, State&,
                                         std::uint32_t, Counters&) {
    return Status::step_limit;
  }

 private:
  static constexpr std::uint32_t per_block = 4;  // impacts

  /// A bit for each contact from `first` on that approaches.
  CAROM_HOST_DEVICE static std::uint64_t approaching(Row speeds, Row separated, int first) {
    return static_cast<std::uint64_t>(Row::below(speeds, separated)) << first;
  }

  CAROM_ONE_COPY CAROM_HOST_DEVICE static void start(const StepLcpView& problem,
                                                     const TrajectoryKey& key, State& state) {
    state.start_from(problem, key.start);
    state.approaching = 0;
    for (int i = 0; i < problem.shape.contacts; ++i) {
      const bool approaches = state.approaches(problem, i, key.tolerance);
      state.approaching |= static_cast<std::uint64_t>(approaches) << i;
    }
  }

  CAROM_HOST_DEVICE static int draw_contact(const TrajectoryKey& key, State& state,
                                            std::uint32_t number) {
    if (const double* const script = key.scripted(number)) {
      return nth_bit(state.approaching, choose_evenly(*script, count_bits(state.approaching)));
    }
    if (number >= state.drawn) {
      state.words = key.random.words(number / per_block, Purpose::contact, 0);
      state.drawn = number + per_block;
    }
    const auto count = static_cast<std::uint64_t>(count_bits(state.approaching));
    const std::uint64_t chosen = (state.words.v[number % per_block] * count) >> 32;
    return nth_bit(state.approaching, static_cast<int>(chosen));
  }

  /// Restitution after the last impact.
  CAROM_ONE_COPY CAROM_HOST_DEVICE void mix(const StepLcpView& problem, const TrajectoryKey& key,
                                            State& state) const {
    const double restitution = plan.restitution[key.problem];
    if (restitution == 1.0) return;
    const std::size_t first = PropagativePlan::first_of(problem.shape, key.problem);
    for (int i = 0; i < problem.shape.contacts; ++i) {
      const auto at = first + static_cast<std::size_t>(i);
      const double before = state.total[i] - state.impulse[i];
      state.total[i] = mixed(restitution, state.total[i], plan.plastic_impulse[at]);
      state.impulse[i] = state.total[i] - before;
      state.speed[i] = mixed(restitution, state.speed[i], plan.plastic_speed[at]);
    }
  }
  CAROM_HOST_DEVICE static double mixed(double restitution, double elastic, double plastic) {
    return std::fma(restitution, elastic, (1.0 - restitution) * plastic);
  }
};

}  // namespace carom::inline CAROM_ISA
