#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/compliant_state.hpp"
#include "kernels/compliant/guard_search.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom::inline CAROM_ISA {

/// The motion of a system in compliant contact, as a function of its work item: Dormand-Prince
/// steps of fixed length, of which those that meet a guard end there (Anderson & Revzen, "An
/// efficient integrator for event-selected systems", with steps of fifth order to the guards).
///
/// Each turn of the loop is one Runge-Kutta step and one look at the guards.
template <class System, bool differentiates>
struct CompliantRollout {
  System system;
  CompliantPlan plan;

  using State = CompliantState<System, differentiates>;
  using Step = typename State::Step;

  CAROM_HOST_DEVICE void operator()(std::uint64_t item, std::uint64_t row,
                                    const RolloutView& out) const {
    const RolloutView mine = out.from(row, plan.shape);
    State state;
    begin(item, state, mine);
    for (int k = 0; k < plan.shape.times; ++k) {
      note_extremes<true>(state, k, mine);
      while (state.is_open() && state.time < plan.times[k]) {
        take_turn(state, plan.times[k], mine);
        note_extremes<false>(state, k, mine);
      }
      write_state(state, k, mine);
    }
    write_end(state, mine);
  }

 private:
  static constexpr double longer = 1e-9;  // of a step, by which the last one may be longer
  // Of a step: a remainder for an Euler step. In a Runge-Kutta step, rounding alone could turn an
  // event function back to its guard.
  static constexpr double negligible = 0x1p-40;

  CAROM_HOST_DEVICE void begin(std::uint64_t item, State& state, const RolloutView& mine) const {
    const int nq = plan.shape.coordinates;
    const int nv = plan.shape.velocities;
    const double* const q = plan.position + item * static_cast<std::uint64_t>(nq);
    const double* const v = plan.velocity + item * static_cast<std::uint64_t>(nv);
    for (int i = 0; i < nq; ++i) state.x[i] = q[i];
    for (int i = 0; i < nv; ++i) state.x[nq + i] = v[i];
    state.begin(system);
    *mine.first_time = plan.times[plan.shape.times - 1];
    for (int e = 0; e < plan.shape.events; ++e) {
      mine.event_time[e] = -1.0;
      mine.event_energy[e] = 0.0;
      mine.event_contacts[e] = mine.event_modes[e] = 0;
    }
  }

  /// One Runge-Kutta step, or less: towards `until`, or to a guard. All that lanes of a warp can be
  /// up to share the one call of advance().
  CAROM_HOST_DEVICE void take_turn(State& state, double until, const RolloutView& mine) const {
    const double left = until - state.time;
    if (left <= negligible * plan.step) return state.project(system, left);
    const double step = left <= plan.step * (1.0 + longer) ? left : plan.step;
    const bool ends_trial = state.goal.guard >= 0;
    MetGuard near;
    double length = ends_trial ? state.goal.when : step;
    if (!ends_trial && !state.is_careful && plan.crossing != Crossing::safe) {
      const bool projects = plan.crossing == Crossing::projection;
      near = nearest_guard(state.look(), system.contacts(), state.bits,
                           projects ? plan.step : 0.5 * step);
      if (near.guard >= 0 && projects) {
        if (near.when <= left) {
          state.project(system, near.when);
          return meet(state, near.guard, true, mine);
        }
        near = {};
      }
      if (near.guard >= 0) {
        if (near.when <= 0.0) return meet(state, near.guard, true, mine);
        length = -state.bits.with_sign(near.guard, state.look().value(near.guard));
      }
    }
    Step taken;
    const bool is_inside = advance(state, length, near.guard, taken);
    if (near.guard >= 0) {
      if (is_inside && suits(state, near, left, taken)) {
        state.accept(system, taken, taken.time);
        state.project(system, state.time_to(near.guard));
        return meet(state, near.guard, false, mine);
      }
      state.is_careful = true;
      ++state.trials;
    } else if (!is_inside) {
      state.status = RolloutStatus::left_domain;
    } else if (ends_trial) {
      finish_trial(state, taken, mine);
    } else {
      finish_step(state, taken, mine);
    }
  }

  /// State::advance() within the plan's bounds.
  CAROM_HOST_DEVICE bool advance(const State& state, double length, int guard, Step& taken) const {
    bool is_inside = state.advance(system, length, guard, taken);
    for (int i = 0; is_inside && plan.lowest != nullptr && i < plan.shape.coordinates; ++i) {
      is_inside = taken.x[i] >= plan.lowest[i] && taken.x[i] <= plan.highest[i];
    }
    return is_inside;
  }

  /// After a step over a time. If it crossed a guard, it is given up, and the next turn ends there.
  CAROM_HOST_DEVICE void finish_step(State& state, const Step& taken,
                                     const RolloutView& mine) const {
    state.is_careful = false;
    if (plan.crossing != Crossing::projection) {
      const MetGuard first =
          first_crossed(state.look(), taken.look(), system.contacts(), state.bits, taken.time, -1);
      if (first.guard >= 0) {
        ++state.trials;
        if (first.when <= 0.0) return meet(state, first.guard, true, mine);
        state.goal = {first.guard, first.when * taken.time};
        return;
      }
    }
    state.accept(system, taken, taken.time);
  }

  /// After the step of which a trial found the length.
  CAROM_HOST_DEVICE void finish_trial(State& state, const Step& taken,
                                      const RolloutView& mine) const {
    constexpr double most = 0.1;  // of a step, by which its end may be off the guard
    const MetGuard goal = state.goal;
    state.goal = {};
    state.accept(system, taken, goal.when);
    const double late = state.time_to(goal.guard);
    if (std::fabs(late) <= most * goal.when) state.project(system, late);
    meet(state, goal.guard, false, mine);
  }

  /// Whether a step to a guard, with its signed event function as independent variable (Henon), can
  /// be relied on.
  CAROM_HOST_DEVICE bool suits(const State& state, const MetGuard& near, double left,
                               const Step& taken) const {
    // Of the speed to the guard, and so of the time that first order says. Twice as much makes the
    // worst of 1,000 motions of a plate on 100 springs up to 80 times as wrong as the median one;
    // this, 8 times, as steps of `safe` are.
    constexpr double change = 1.25;
    if (!(change * taken.time >= near.when && taken.time <= change * near.when)) return false;
    if (taken.time > left) return false;
    const auto here = state.look();
    const auto there = taken.look();
    const double before = std::fabs(here.rate(near.guard));
    const double after = state.bits.with_sign(near.guard, there.rate(near.guard));
    if (!(after < change * before && change * after > before)) return false;
    const MetGuard other =
        first_crossed(here, there, system.contacts(), state.bits, taken.time, near.guard);
    return other.guard < 0;
  }

  /// An event, at its guard. @param surely even if the guard is no longer approached
  CAROM_HOST_DEVICE void meet(State& state, int guard, bool surely, const RolloutView& mine) const {
    state.is_careful = false;
    const double speed = state.speed_to(guard);
    const bool grazes = !(speed >= plan.graze_speed);
    if (grazes) ++state.grazes;
    const bool flips = surely || speed > 0.0;
    if (flips) {
      state.flip(system, guard);
      note_event(state, guard, mine);
      ++state.events;
    }
    if (state.events + state.grazes > plan.event_limit) state.status = RolloutStatus::event_limit;
  }

  CAROM_HOST_DEVICE void note_event(State& state, int guard, const RolloutView& mine) const {
    const bool touches = state.bits.touches(guard);
    const double* const velocity = state.x + plan.shape.coordinates;
    if (!state.has_touched && touches) {
      state.has_touched = true;
      *mine.first_time = state.time;
      for (int i = 0; i < plan.shape.velocities; ++i) mine.first_velocity[i] = velocity[i];
    }
    state.end_time = state.time;
    const std::uint64_t e = state.events;
    if (e >= static_cast<std::uint64_t>(plan.shape.events)) return;
    mine.event_time[e] = state.time;
    mine.event_energy[e] = system.kinetic_energy(state.x);
    if (guard < ContactBits::of_word) {
      mine.event_contacts[e] = std::uint64_t{1} << guard;
      mine.event_modes[e] =
          touches && 2 * guard < ContactBits::of_word ? std::uint64_t{1} << (2 * guard) : 0;
    }
  }

  CAROM_HOST_DEVICE void write_state(const State& state, int k, const RolloutView& mine) const {
    const int nq = plan.shape.coordinates;
    const int nv = plan.shape.velocities;
    for (int i = 0; i < nq; ++i) mine.position[k * nq + i] = state.x[i];
    for (int i = 0; i < nv; ++i) mine.velocity[k * nv + i] = state.x[nq + i];
  }

  template <bool first>
  CAROM_HOST_DEVICE void note_extremes(const State& state, int k, const RolloutView& mine) const {
    const int nq = plan.shape.coordinates;
    for (int i = 0; i < nq; ++i) {
      double& least = mine.least[k * nq + i];
      double& greatest = mine.greatest[k * nq + i];
      least = first ? state.x[i] : smaller(state.x[i], least);
      greatest = first ? state.x[i] : larger(state.x[i], greatest);
    }
  }

  CAROM_HOST_DEVICE void write_end(State& state, const RolloutView& mine) const {
    const int nv = plan.shape.velocities;
    if (!state.has_touched) {
      for (int i = 0; i < nv; ++i) mine.first_velocity[i] = state.x[plan.shape.coordinates + i];
    }
    if (state.is_open() && state.grazes > 0) state.status = RolloutStatus::graze;
    if constexpr (differentiates) state.write_derivative(system, mine.derivative);
    *mine.end_time = state.end_time;
    *mine.end_energy = system.kinetic_energy(state.x);
    *mine.status = state.status;
    *mine.impacts = state.events;
    *mine.lcps = 0;
    *mine.trials = state.trials;
    *mine.grazes = state.grazes;
  }
};

}  // namespace carom::inline CAROM_ISA
