#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/rollout/rollout_motion.hpp"

namespace carom::inline CAROM_ISA {

/// A mechanism in time, as a function of its work item: time stepping with located impacts.
///
/// Within a step, contacts that touch and approach have an impact, which takes no time and whose
/// law is `Impact`. Between impacts, RolloutMotion moves the mechanism. Where a gap closes during
/// the step, the step is divided there.
/// @tparam Impact returns the status of a RolloutImpact after it has set its velocity
template <class Mechanism, class Impact, class Largest, Effort effort>
struct Rollout : RolloutMotion<Mechanism, Largest, effort> {
  using Base = RolloutMotion<Mechanism, Largest, effort>;
  using Base::acts;
  using Base::acts_already;
  using Base::add;
  using Base::copy_pair;
  using Base::dot;
  using Base::energy_of;
  using Base::find_acting;
  using Base::for_each_group;
  using Base::gives_way;
  using Base::has_grown;
  using Base::is_open;
  using Base::least_gap;
  using Base::mechanism;
  using Base::most_touching;
  using Base::move;
  using Base::of_item;
  using Base::plan;
  using Base::shape_of;
  using Base::size;
  using Base::speed;
  using Base::tangent_dimension;
  using Base::touch_of;
  using Base::watch_slips;
  using Base::write_rows;
  using typename Base::Acting;
  using typename Base::Energy;
  using typename Base::Motion;
  using typename Base::Pose;
  using typename Base::Rows;
  using typename Base::State;

  Impact impact;

  CAROM_HOST_DEVICE void operator()(std::uint64_t item, std::uint64_t row,
                                    const RolloutView& out) const {
    const RolloutView mine = out.from(row, plan.shape);
    State state;
    begin(item, state, mine);
    Energy energy = energy_of(state);
    int k = 0;
    double from = 0.0;
    for (; k < plan.shape.times; ++k) {
      begin_interval(state, k, mine);
      const double until = plan.times[k];
      const double count = std::ceil((until - from) / plan.step - step_tolerance);
      const auto steps = static_cast<std::uint64_t>(count);
      for (std::uint64_t i = 0; i < steps && is_open(state); ++i) {
        const double end = i + 1 == steps
                               ? until
                               : std::fma(until - from, static_cast<double>(i + 1) / count, from);
        take_step(state, end, k, mine);
        if (is_open(state)) watch_energy(state, energy);
      }
      if (!is_open(state)) break;
      write_state(state, k, mine);
      from = until;
    }
    for (; k < plan.shape.times; ++k) {
      begin_interval(state, k, mine);
      write_state(state, k, mine);
    }
    write_end(state, mine);
  }

 private:
  static constexpr double step_tolerance = 1e-9;  // of a step, by which the last one may be longer
  static constexpr int quiet_steps = 20;          // without a motion, after which a body is at rest
  static constexpr double quiet_speed = 1e-9;     // m/s or rad/s
  static constexpr int most_cuts = 100;           // evaluations that locate an impact

  CAROM_HOST_DEVICE void begin(std::uint64_t item, State& state, const RolloutView& mine) const {
    const double* const position = of_item(plan.position, item, mechanism.coordinates());
    const double* const velocity = of_item(plan.velocity, item, size());
    state.item = item;
    for (int i = 0; i < mechanism.coordinates(); ++i) state.position[i] = position[i];
    for (int i = 0; i < size(); ++i) state.velocity[i] = velocity[i];
    mechanism.place(state.position, state.pose);
    const std::uint8_t* const held = of_item(plan.held, item, mechanism.pairs());
    for (int i = 0; i < mechanism.pairs(); ++i) state.held[i] = held != nullptr && held[i] != 0;
    *mine.first_time = plan.times[plan.shape.times - 1];
    for (int e = 0; e < plan.shape.events; ++e) {
      mine.event_time[e] = -1.0;
      mine.event_energy[e] = 0.0;
      mine.event_contacts[e] = mine.event_modes[e] = 0;
    }
  }

  CAROM_HOST_DEVICE void write_state(const State& state, int k, const RolloutView& mine) const {
    const int nq = mechanism.coordinates();
    for (int i = 0; i < nq; ++i) mine.position[k * nq + i] = state.position[i];
    for (int i = 0; i < size(); ++i) mine.velocity[k * size() + i] = state.velocity[i];
  }

  CAROM_HOST_DEVICE void begin_interval(const State& state, int k, const RolloutView& mine) const {
    const int nq = mechanism.coordinates();
    for (int i = 0; i < nq; ++i) {
      mine.least[k * nq + i] = mine.greatest[k * nq + i] = state.position[i];
    }
  }

  CAROM_HOST_DEVICE void note_extremes(const State& state, int k, const RolloutView& mine) const {
    const int nq = mechanism.coordinates();
    for (int i = 0; i < nq; ++i) {
      double& least = mine.least[k * nq + i];
      double& greatest = mine.greatest[k * nq + i];
      least = smaller(state.position[i], least);
      greatest = larger(state.position[i], greatest);
    }
  }

  CAROM_HOST_DEVICE void write_end(const State& state, const RolloutView& mine) const {
    if (state.impacts == 0) {
      for (int i = 0; i < size(); ++i) mine.first_velocity[i] = state.velocity[i];
    }
    *mine.end_time = state.end_time;
    double mass[Largest::velocities * Largest::velocities];
    mechanism.mass_matrix(state.pose, mass);
    *mine.end_energy = kinetic_energy(size(), mass, state.velocity);
    std::uint8_t* const held = of_item(plan.held, state.item, mechanism.pairs());
    for (int i = 0; held != nullptr && i < mechanism.pairs(); ++i) held[i] = state.held[i] ? 1 : 0;
    *mine.status = state.status;
    if (is_whole(state.status) && state.tangential_impact) {
      *mine.status = RolloutStatus::tangential_impact;
    }
    if (is_whole(state.status) && state.crowded) *mine.status = RolloutStatus::crowded;
    *mine.impacts = state.impacts;
    *mine.lcps = state.lcps;
  }

  /// Moves the state to the time `end`, in the interval that ends at the kept time k.
  CAROM_HOST_DEVICE void take_step(State& state, double end, int k, const RolloutView& mine) const {
    const std::uint32_t impacts_before = state.impacts;
    double left = end - state.time;
    const double shortest = left / most_parts;
    int divisions = 0;
    while (left > 0.0) {
      const bool guarded = divisions == most_divisions;
      Acting acting;
      if (!find_acting(state, left, guarded, acting)) {
        state.status = Base::beyond_size;
        return;
      }
      const auto impact_of = [&](Acting& part, const int* place) {
        if (!take_impact(state, part, mine)) return false;
        for (int a = 0; a < part.count; ++a) copy_pair(part, a, acting, place[a]);
        return true;
      };
      if (!guarded && !for_each_group(state, acting, impact_of)) return;
      if (!guarded) drop_separating(acting);
      const double longest = mechanism.longest_time(state.pose, state.velocity);
      const double time = guarded ? left : smaller(left, larger(longest, shortest));
      state.crowded = state.crowded || guarded || longest < smaller(left, shortest);
      Motion motion;
      bool restore = guarded;
      if (!move(state, acting, time, restore, motion)) return;
      Acting both = acting;
      Hit hit = guarded ? Hit::none : find_hits(state, motion, both);
      while (hit == Hit::slow) {  // and what is slow may press others together
        acting = both;
        restore = true;
        if (!move(state, acting, time, restore, motion)) return;
        hit = find_hits(state, motion, both);
      }
      if (hit == Hit::too_many) {
        state.status = Base::beyond_size;
        return;
      }
      double part = time;
      if (hit == Hit::fast) {
        part = cut(state, acting, both, time, restore, motion);
        if (!is_open(state)) return;
        ++divisions;
      }
      watch_slips(state, acting, part, motion);
      if (!is_open(state)) return;
      accept(state, acting, part, motion);
      note_extremes(state, k, mine);  // also of impacts, which divide a step
      left = part < left ? left - part : 0.0;
    }
    state.time = end;
    note_speed(state);
    watch_rest(state, impacts_before);
  }

  /// An impact of a group of pairs if one that was not kept approaches faster than the impact
  /// speed; false if it failed.
  CAROM_HOST_DEVICE bool take_impact(State& state, Acting& acting, const RolloutView& mine) const {
    bool fast = false;
    for (int a = 0; a < acting.count; ++a) {
      // What a kept contact still approaches by is an error of the step.
      fast = fast || (!state.held[acting.pair[a]] && acting.speed[a] < -plan.impact_speed);
    }
    if (!fast) return true;
    Rows rows;
    write_rows(state.pose, acting, rows);
    note_speed(state);
    double mass[Largest::velocities * Largest::velocities];
    mechanism.mass_matrix(state.pose, mass);
    const std::uint32_t* const first = of_item(plan.first_event, state.item, 1);
    const std::uint32_t event = state.impacts + (first == nullptr ? 0 : *first);
    const RolloutImpact its{plan.first + state.item, event,          acting.count,   acting.pair,
                            shape_of(acting.count),  mass,           rows.normal,    rows.tangent,
                            rows.friction,           state.velocity, plan.directions};
    const double before = kinetic_energy(size(), mass, state.velocity);
    if (state.impacts == 0) *mine.first_time = state.time;
    state.status = impact(its);
    if (!is_open(state)) return false;
    const double after = kinetic_energy(size(), mass, state.velocity);
    state.gained += larger(after - before, 0.0);
    if (state.impacts == 0) {
      for (int i = 0; i < size(); ++i) mine.first_velocity[i] = state.velocity[i];
    }
    for (int a = 0; a < acting.count; ++a) {
      acting.speed[a] = dot(rows.normal + a * size(), state.velocity);
    }
    for (int t = 0; t < acting.count * tangent_dimension; ++t) {
      acting.slip[t] = dot(rows.tangent + t * size(), state.velocity);
    }
    if (state.impacts < static_cast<std::uint32_t>(plan.shape.events)) {
      note_event(state, acting, after, mine);
    }
    ++state.impacts;
    note_speed(state);
    return true;
  }

  /// Writes an impact's row, from the speeds after it.
  CAROM_HOST_DEVICE void note_event(const State& state, const Acting& acting, double energy,
                                    const RolloutView& mine) const {
    constexpr int most_contacts = 64;
    mine.event_time[state.impacts] = state.time;
    mine.event_energy[state.impacts] = energy;
    for (int a = 0; a < acting.count && acting.pair[a] < most_contacts; ++a) {
      mine.event_contacts[state.impacts] |= std::uint64_t{1} << acting.pair[a];
      if (2 * a < most_contacts) mine.event_modes[state.impacts] |= mode_of(acting, a) << (2 * a);
    }
  }

  CAROM_HOST_DEVICE std::uint64_t mode_of(const Acting& acting, int a) const {
    if (acting.speed[a] > plan.impact_speed) return 0;
    const double* const slip = acting.slip + a * tangent_dimension;
    double square = slip[0] * slip[0];
    if constexpr (tangent_dimension == 2) square = std::fma(slip[1], slip[1], square);
    if (std::sqrt(square) <= plan.impact_speed) return 1;
    return tangent_dimension == 2 || slip[0] > 0.0 ? 2 : 3;
  }

  /// Leaves out the pairs that separate: if one comes back within the step, it lands.
  CAROM_HOST_DEVICE void drop_separating(Acting& acting) const {
    int kept = 0;
    for (int a = 0; a < acting.count; ++a) {
      if (acting.speed[a] > plan.impact_speed) continue;
      copy_pair(acting, a, acting, kept++);
    }
    acting.count = kept;
  }

  enum class Hit { none, slow, fast, too_many };

  /// Adds to `acting` the further pairs that have penetrated at the end of a motion; whether one of
  /// them is faster than the impact speed.
  CAROM_HOST_DEVICE Hit find_hits(const State& state, const Motion& motion, Acting& acting) const {
    Hit hit = Hit::none;
    for (int i = 0; i < mechanism.pairs(); ++i) {
      if (acts(i, acting)) continue;
      const auto touch = touch_of(motion.pose, i);
      if (!(touch.gap < 0.0) || !gives_way(motion.pose, i, touch)) continue;
      if (acts_already(motion.pose, i, acting)) continue;
      if (acting.count == most_touching) return Hit::too_many;
      const auto before = touch_of(state.pose, i);
      add(state.pose, i, before, state.velocity, acting);
      if (hit == Hit::none) hit = Hit::slow;
      // A pair that penetrated before has no time at which it closes.
      if (!(before.gap >= 0.0) || !gives_way(state.pose, i, before)) continue;
      // Its normal may turn within the step.
      const double approach =
          smaller(acting.speed[acting.count - 1], speed(motion.pose, i, touch, motion.velocity));
      if (approach < -plan.impact_speed) hit = Hit::fast;
    }
    return hit;
  }

  /// Locates the time at which the first of the new pairs of `both` touches, by the Illinois
  /// method: its gap is then in [0, window / 2], or the time can not be divided further.
  CAROM_HOST_DEVICE double cut(State& state, const Acting& acting, const Acting& both, double left,
                               bool restore, Motion& motion) const {
    const double goal = 0.25 * plan.window;
    double open = 0.0;
    double open_gap = least_gap(state.pose, state.velocity, both, acting.count) - goal;
    double closed = left;
    double closed_gap = least_gap(motion.pose, motion.velocity, both, acting.count) - goal;
    int side = 0;
    for (int i = 0; i < most_cuts; ++i) {
      double part = open + (closed - open) * (open_gap / (open_gap - closed_gap));
      if (!(part > open && part < closed)) part = 0.5 * (open + closed);
      if (!(part > open && part < closed)) break;
      if (!move(state, acting, part, restore, motion)) return part;
      const double gap = least_gap(motion.pose, motion.velocity, both, acting.count) - goal;
      if (std::fabs(gap) <= goal) return part;
      if (gap > 0.0) {
        open = part;
        open_gap = gap;
        if (side == 1) closed_gap *= 0.5;
        side = 1;
      } else {
        closed = part;
        closed_gap = gap;
        if (side == -1) open_gap *= 0.5;
        side = -1;
      }
    }
    move(state, acting, closed, restore, motion);
    return closed;
  }

  /// Takes over the end of a motion. Pairs that act and do not separate are kept.
  CAROM_HOST_DEVICE void accept(State& state, const Acting& acting, double part,
                                const Motion& motion) const {
    for (int i = 0; i < mechanism.coordinates(); ++i) state.position[i] = motion.position[i];
    for (int i = 0; i < size(); ++i) state.velocity[i] = motion.velocity[i];
    state.time += part;
    state.pose = motion.pose;
    for (int i = 0; i < mechanism.pairs(); ++i) state.held[i] = false;
    for (int a = 0; a < acting.count; ++a) {
      const int pair = acting.pair[a];
      state.held[pair] =
          speed(state.pose, pair, touch_of(state.pose, pair), state.velocity) <= plan.impact_speed;
    }
  }

  /// Notes the time if a pair is faster than the rest speed.
  CAROM_HOST_DEVICE void note_speed(State& state) const {
    const Pose& pose = state.pose;
    for (int i = 0; i < mechanism.pairs(); ++i) {
      if (std::fabs(speed(pose, i, touch_of(pose, i), state.velocity)) > plan.rest_speed) {
        state.end_time = state.time;
        return;
      }
    }
  }

  CAROM_HOST_DEVICE void watch_energy(State& state, Energy& energy) const {
    const Energy now = energy_of(state);
    energy.kinetic += state.gained;  // which is the law's own
    state.gained = 0.0;
    if (has_grown(energy, now)) state.status = RolloutStatus::energy_grew;
    energy = now;
  }

  CAROM_HOST_DEVICE void watch_rest(State& state, std::uint32_t impacts_before) const {
    bool quiet = state.impacts == impacts_before;
    for (int i = 0; i < size(); ++i) quiet = quiet && std::fabs(state.velocity[i]) <= quiet_speed;
    bool kept = false;
    for (int i = 0; i < mechanism.pairs(); ++i) kept = kept || state.held[i];
    state.quiet = quiet && kept ? state.quiet + 1 : 0;
    if (state.quiet == quiet_steps) state.status = RolloutStatus::at_rest;
  }
};

}  // namespace carom::inline CAROM_ISA
