#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/laws/simultaneous/law.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/problem/assemble.hpp"
#include "kernels/rollout/rollout_plan.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/contact_step.hpp"
#include "kernels/step/step_lcp.hpp"

namespace carom::inline CAROM_ISA {

/// A mechanism in time, as a function of its work item: time stepping with located impacts.
///
/// Within a step, contacts that touch and approach have an impact, which takes no time and whose
/// law is `Impact`. Between impacts, the mid-point rule moves the mechanism; contacts that touch
/// have the forces of the simultaneous LCP (Stewart and Trinkle). Where a gap closes during the
/// step, the step is divided there.
/// @tparam Impact returns the status of a RolloutImpact after it has set its velocity
template <class Mechanism, class Impact, Effort effort>
struct Rollout {
  Mechanism mechanism;
  RolloutPlan plan;
  Impact impact;

  CAROM_HOST_DEVICE void operator()(std::uint64_t item, std::uint64_t row,
                                    const RolloutView& out) const {
    const RolloutView mine = out.from(row, plan.shape);
    State state;
    begin(item, state, mine);
    int k = 0;
    double from = 0.0;
    for (; k < plan.shape.times; ++k) {
      begin_interval(state, k, mine);
      const double until = plan.times[k];
      const double count = std::ceil((until - from) / plan.step - step_tolerance);
      const auto steps = static_cast<std::uint64_t>(count);
      for (std::uint64_t i = 0; i < steps && is_open(state); ++i) {
        const Energy before = energy_of(state);
        const double end = i + 1 == steps
                               ? until
                               : std::fma(until - from, static_cast<double>(i + 1) / count, from);
        take_step(state, end, mine);
        if (is_open(state) && has_grown(before, state)) state.status = RolloutStatus::energy_grew;
        note_extremes(state, k, mine);
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
  static constexpr int most_events = 20;          // of a step; then no impact is located in it
  static constexpr int quiet_steps = 20;          // without a motion, after which a body is at rest
  static constexpr double quiet_speed = 1e-9;     // m/s or rad/s
  static constexpr double energy_tolerance = 0.01;  // of the kinetic energy, by which a step errs
  static constexpr double least_energy = 1e-6;      // J: what is less is not looked at
  static constexpr int most_cuts = 100;             // evaluations that locate an impact

  using Pose = typename Mechanism::Pose;

  struct State {
    double position[max_velocities];
    double velocity[max_velocities];
    Pose pose;  ///< of the position
    double time = 0.0;
    std::uint64_t item = 0;
    std::uint32_t impacts = 0;
    std::uint32_t lcps = 0;
    int quiet = 0;  ///< steps without motion, so far
    double end_time = 0.0;
    RolloutStatus status = RolloutStatus::moving;
    bool held[max_pairs];
  };

  /// Pairs that touch.
  struct Acting {
    int count = 0;
    int pair[max_acting];
    double gap[max_acting];
    double speed[max_acting];  ///< along the normal
    double slip[max_acting];   ///< along the tangent
  };

  /// Rows of acting pairs.
  struct Rows {
    double normal[max_acting * max_velocities];
    double tangent[max_acting * max_velocities];
    double friction[max_acting];
  };

  /// The end of a part of a step.
  struct Motion {
    double position[max_velocities];
    double velocity[max_velocities];
    Pose pose;
  };

  CAROM_HOST_DEVICE int size() const { return mechanism.coordinates(); }
  /// The numbers of an item; none if there are none.
  template <class T>
  CAROM_HOST_DEVICE static T* of_item(T* numbers, std::uint64_t item, int count) {
    return numbers == nullptr ? nullptr : numbers + item * static_cast<std::uint64_t>(count);
  }
  CAROM_HOST_DEVICE static bool is_open(const State& state) {
    return state.status == RolloutStatus::moving;
  }

  CAROM_HOST_DEVICE void begin(std::uint64_t item, State& state, const RolloutView& mine) const {
    const auto nv = static_cast<std::uint64_t>(size());
    state.item = item;
    for (int i = 0; i < size(); ++i) {
      state.position[i] = plan.position[item * nv + static_cast<std::uint64_t>(i)];
      state.velocity[i] = plan.velocity[item * nv + static_cast<std::uint64_t>(i)];
    }
    mechanism.place(state.position, state.pose);
    const std::uint8_t* const held = of_item(plan.held, item, mechanism.pairs());
    for (int i = 0; i < mechanism.pairs(); ++i) state.held[i] = held != nullptr && held[i] != 0;
    *mine.first_time = plan.times[plan.shape.times - 1];
    for (int e = 0; e < plan.shape.events; ++e) {
      mine.event_time[e] = -1.0;
      mine.event_energy[e] = 0.0;
      mine.event_contacts[e] = 0;
    }
  }

  /// Of hinged bodies, whose mass matrix changes.
  struct Energy {
    double kinetic = 0.0;
    double potential = 0.0;  ///< of gravity and the applied forces
  };

  CAROM_HOST_DEVICE Energy energy_of(const State& state) const {
    if (!mechanism.has_inertial_forces()) return {};
    double mass[max_velocities * max_velocities];
    mechanism.mass_matrix(state.pose, mass);
    const double* const force = of_item(plan.force, state.item, size());
    return {
        kinetic_energy(size(), mass, state.velocity),
        mechanism.potential(state.pose) - (force == nullptr ? 0.0 : dot(force, state.position))};
  }

  /// Whether there is more energy than before, by more than an error of a step and what lifts the
  /// bodies by the tolerances of a contact.
  CAROM_HOST_DEVICE bool has_grown(const Energy& before, const State& state) const {
    const Energy now = energy_of(state);
    const double gain = now.kinetic - before.kinetic + (now.potential - before.potential);
    const double lifts = mechanism.weight() * (plan.window + larger(plan.hold, plan.window));
    return gain > energy_tolerance * (now.kinetic + before.kinetic) + lifts + least_energy;
  }

  CAROM_HOST_DEVICE void write_state(const State& state, int k, const RolloutView& mine) const {
    for (int i = 0; i < size(); ++i) {
      mine.position[k * size() + i] = state.position[i];
      mine.velocity[k * size() + i] = state.velocity[i];
    }
  }

  CAROM_HOST_DEVICE void begin_interval(const State& state, int k, const RolloutView& mine) const {
    for (int i = 0; i < size(); ++i) {
      mine.least[k * size() + i] = mine.greatest[k * size() + i] = state.position[i];
    }
  }

  CAROM_HOST_DEVICE void note_extremes(const State& state, int k, const RolloutView& mine) const {
    for (int i = 0; i < size(); ++i) {
      double& least = mine.least[k * size() + i];
      double& greatest = mine.greatest[k * size() + i];
      least = smaller(state.position[i], least);
      greatest = larger(state.position[i], greatest);
    }
  }

  CAROM_HOST_DEVICE void write_end(const State& state, const RolloutView& mine) const {
    if (state.impacts == 0) {
      for (int i = 0; i < size(); ++i) mine.first_velocity[i] = state.velocity[i];
    }
    *mine.end_time = state.end_time;
    double mass[max_velocities * max_velocities];
    mechanism.mass_matrix(state.pose, mass);
    *mine.end_energy = kinetic_energy(size(), mass, state.velocity);
    std::uint8_t* const held = of_item(plan.held, state.item, mechanism.pairs());
    for (int i = 0; held != nullptr && i < mechanism.pairs(); ++i) held[i] = state.held[i] ? 1 : 0;
    *mine.status = state.status;
    *mine.impacts = state.impacts;
    *mine.lcps = state.lcps;
  }

  /// Moves the state to the time `end`.
  CAROM_HOST_DEVICE void take_step(State& state, double end, const RolloutView& mine) const {
    const std::uint32_t impacts_before = state.impacts;
    double left = end - state.time;
    for (int event = 0; left > 0.0; ++event) {
      const bool guarded = event == most_events;
      Acting acting;
      if (!find_acting(state, left, guarded, acting)) {
        state.status = RolloutStatus::too_many;
        return;
      }
      if (!guarded && !take_impacts(state, acting, mine)) return;
      if (!guarded) drop_separating(acting);
      Motion motion;
      if (!move(state, acting, left, guarded, motion)) return;
      Acting both = acting;
      const Hit hit = guarded ? Hit::none : find_hits(state, motion, both);
      if (hit == Hit::too_many) {
        state.status = RolloutStatus::too_many;
        return;
      }
      double part = left;
      if (hit == Hit::slow) {
        if (!move(state, both, left, true, motion)) return;
      } else if (hit == Hit::fast) {
        part = cut(state, acting, both, left, motion);
        if (!is_open(state)) return;
      }
      accept(state, hit == Hit::slow ? both : acting, part, motion);
      left = hit == Hit::fast ? left - part : 0.0;
    }
    state.time = end;
    note_speed(state);
    watch_rest(state, impacts_before);
  }

  /// The pairs that touch; with `guarded` also those that could within the rest of the step.
  CAROM_HOST_DEVICE bool find_acting(const State& state, double left, bool guarded,
                                     Acting& acting) const {
    const Pose& pose = state.pose;
    for (int i = 0; i < mechanism.pairs(); ++i) {
      const auto touch = mechanism.touch(pose, i);
      double reach = state.held[i] ? larger(plan.hold, plan.window) : plan.window;
      if (guarded) {
        reach +=
            larger(0.0, -speed(pose, i, touch, state.velocity)) * left + plan.impact_speed * left;
      }
      if (!(touch.gap <= reach)) continue;
      if (acting.count == max_acting) return false;
      add(pose, i, touch, state.velocity, acting);
    }
    return true;
  }

  template <class Touch>
  CAROM_HOST_DEVICE void add(const Pose& pose, int pair, const Touch& touch, const double* velocity,
                             Acting& acting) const {
    const int a = acting.count++;
    acting.pair[a] = pair;
    acting.gap[a] = touch.gap;
    acting.speed[a] = speed(pose, pair, touch, velocity, &acting.slip[a]);
  }

  /// Speed of a pair along its normal and, if `slip` is given, along its tangent.
  template <class Touch>
  CAROM_HOST_DEVICE double speed(const Pose& pose, int pair, const Touch& touch,
                                 const double* velocity, double* slip = nullptr) const {
    double normal[max_velocities];
    double tangent[max_velocities];
    mechanism.rows(pose, pair, touch, normal, tangent);
    if (slip != nullptr) *slip = dot(tangent, velocity);
    return dot(normal, velocity);
  }

  CAROM_HOST_DEVICE double dot(const double* row, const double* velocity) const {
    double sum = 0.0;
    for (int i = 0; i < size(); ++i) sum = std::fma(row[i], velocity[i], sum);
    return sum;
  }

  CAROM_HOST_DEVICE void write_rows(const Pose& pose, const Acting& acting, Rows& rows) const {
    for (int a = 0; a < acting.count; ++a) {
      const int pair = acting.pair[a];
      mechanism.rows(pose, pair, mechanism.touch(pose, pair), rows.normal + a * size(),
                     rows.tangent + a * size());
      rows.friction[a] = mechanism.friction(pair);
    }
  }

  CAROM_HOST_DEVICE ProblemShape shape_of(int contacts) const { return {contacts, size(), 1, 2}; }

  /// An impact if a pair that was not kept approaches faster than the impact speed; false if it
  /// failed.
  CAROM_HOST_DEVICE bool take_impacts(State& state, Acting& acting, const RolloutView& mine) const {
    bool fast = false;
    for (int a = 0; a < acting.count; ++a) {
      // What a kept contact still approaches by is an error of the step.
      fast = fast || (!state.held[acting.pair[a]] && acting.speed[a] < -plan.impact_speed);
    }
    if (!fast) return true;
    Rows rows;
    write_rows(state.pose, acting, rows);
    note_speed(state);
    double mass[max_velocities * max_velocities];
    mechanism.mass_matrix(state.pose, mass);
    const std::uint32_t* const first = of_item(plan.first_event, state.item, 1);
    const std::uint32_t event = state.impacts + (first == nullptr ? 0 : *first);
    const RolloutImpact its{
        state.item, event,       acting.count, acting.pair,   shape_of(acting.count),
        mass,       rows.normal, rows.tangent, rows.friction, state.velocity};
    state.status = impact(its);
    if (!is_open(state)) return false;
    if (state.impacts == 0) {
      *mine.first_time = state.time;
      for (int i = 0; i < size(); ++i) mine.first_velocity[i] = state.velocity[i];
    }
    if (state.impacts < static_cast<std::uint32_t>(plan.shape.events)) {
      mine.event_time[state.impacts] = state.time;
      mine.event_energy[state.impacts] = kinetic_energy(size(), mass, state.velocity);
      for (int a = 0; a < acting.count; ++a) {
        if (acting.pair[a] < 64) {
          mine.event_contacts[state.impacts] |= std::uint64_t{1} << acting.pair[a];
        }
      }
    }
    ++state.impacts;
    note_speed(state);
    for (int a = 0; a < acting.count; ++a) {
      acting.speed[a] = dot(rows.normal + a * size(), state.velocity);
      acting.slip[a] = dot(rows.tangent + a * size(), state.velocity);
    }
    return true;
  }

  /// Leaves out the pairs that separate: if one comes back within the step, it lands.
  CAROM_HOST_DEVICE void drop_separating(Acting& acting) const {
    int kept = 0;
    for (int a = 0; a < acting.count; ++a) {
      if (acting.speed[a] > plan.impact_speed) continue;
      acting.pair[kept] = acting.pair[a];
      acting.gap[kept] = acting.gap[a];
      acting.speed[kept] = acting.speed[a];
      acting.slip[kept] = acting.slip[a];
      ++kept;
    }
    acting.count = kept;
  }

  /// The end of a motion for a time without an impact. Pairs that act do not approach at its end;
  /// with `restore`, each closes at most its gap, and opens by what it penetrates.
  ///
  /// The forces act in the middle of the motion, where the contacts' axes have turned by half of
  /// what they turn in all. So the speed of a contact that is kept is, in the middle's axes, as
  /// much below zero in the end as it was above at first: then gaps stay closed to third order in
  /// the time.
  ///
  /// Where forces depend on the velocity, they are those of the mean velocity of a first motion,
  /// and the gaps that this one leaves are taken back.
  CAROM_HOST_DEVICE bool move(State& state, const Acting& acting, double time, bool restore,
                              Motion& motion) const {
    const double half = 0.5 * time;
    double middle[max_velocities] = {};
    for (int i = 0; i < size(); ++i) {
      middle[i] = std::fma(half, state.velocity[i], state.position[i]);
    }
    Pose pose;
    mechanism.place(middle, pose);
    double mean[max_velocities] = {};
    for (int i = 0; i < size(); ++i) mean[i] = state.velocity[i];
    double left_over[max_acting] = {};
    for (int passes = mechanism.has_inertial_forces() ? 2 : 1;; --passes) {
      double acceleration[max_velocities] = {};
      mechanism.acceleration(pose, mean, of_item(plan.force, state.item, size()), acceleration);
      for (int i = 0; i < size(); ++i) {
        motion.velocity[i] = std::fma(time, acceleration[i], state.velocity[i]);
      }
      if (acting.count > 0 && !resist(state, pose, acting, time, restore, left_over, motion)) {
        return false;
      }
      if (!follow(state, time, restore, motion)) return false;
      if (passes == 1) return true;
      for (int i = 0; i < size(); ++i) mean[i] = 0.5 * (state.velocity[i] + motion.velocity[i]);
      for (int a = 0; a < acting.count; ++a) {
        left_over[a] = mechanism.touch(motion.pose, acting.pair[a]).gap;
      }
    }
  }

  /// The position at the end of a motion, from its velocity.
  CAROM_HOST_DEVICE bool follow(State& state, double time, bool restore, Motion& motion) const {
    const double half = 0.5 * time;
    bool finite = true;
    for (int i = 0; i < size(); ++i) {
      motion.position[i] =
          restore ? std::fma(time, motion.velocity[i], state.position[i])
                  : std::fma(half, state.velocity[i] + motion.velocity[i], state.position[i]);
      finite = finite && std::fabs(motion.position[i]) < largest_position;
    }
    if (!finite) {
      state.status = RolloutStatus::out_of_scale;
      return false;
    }
    mechanism.place(motion.position, motion.pose);
    return true;
  }
  static constexpr double largest_position = 0x1p30;  // m or rad: as far as sine_cosine() reaches

  /// Adds the impulses of the contacts to the motion's velocity.
  /// @param left_over gaps that a motion without this correction would leave, m
  CAROM_HOST_DEVICE bool resist(State& state, const Pose& pose, const Acting& acting, double time,
                                bool restore, const double* left_over, Motion& motion) const {
    Rows rows;
    write_rows(pose, acting, rows);
    bool approaches = false;
    double kept[2 * max_acting];  // normal and tangential speeds of kept contacts at the end
    for (int a = 0; a < acting.count; ++a) {
      const double* normal = rows.normal + a * size();
      const double turn = acting.speed[a] - dot(normal, state.velocity);
      kept[2 * a] =
          restore ? -acting.gap[a] / time : std::fma(-2.0 / plan.step, left_over[a], turn);
      kept[2 * a + 1] = acting.slip[a] - dot(rows.tangent + a * size(), state.velocity);
      approaches = approaches || dot(normal, motion.velocity) < kept[2 * a];
    }
    if (!approaches) return true;
    if (acting.count == 1 && resist_alone(pose, rows, kept, motion.velocity)) return true;
    double mass[max_velocities * max_velocities];
    mechanism.mass_matrix(pose, mass);
    const ProblemArrays problem{mass,          rows.normal,     rows.tangent,
                                rows.friction, motion.velocity, plan.directions};
    ++state.lcps;
    state.status = RolloutStatus::too_many;
    with_size(shape_of(acting.count), [&]<class Size>(Size) {
      state.status = resist_with<Size>(shape_of(acting.count), problem, kept, motion.velocity);
    });
    return is_open(state);
  }

  /// The same for a contact alone, in closed form; false if its solution may not be the only one.
  CAROM_HOST_DEVICE bool resist_alone(const Pose& pose, const Rows& rows, const double* kept,
                                      double* velocity) const {
    double by_normal[max_velocities] = {};
    double by_tangent[max_velocities] = {};
    mechanism.respond(pose, rows.normal, by_normal);
    mechanism.respond(pose, rows.tangent, by_tangent);
    const double nn = dot(rows.normal, by_normal);
    const double nt = dot(rows.normal, by_tangent);
    const double tt = dot(rows.tangent, by_tangent);
    const double friction = rows.friction[0];
    if (!(nn > friction * std::fabs(nt))) return false;
    const double approach = dot(rows.normal, velocity) - kept[0];
    const double slip = dot(rows.tangent, velocity) - kept[1];
    const double determinant = std::fma(nn, tt, -nt * nt);
    double normal = std::fma(-tt, approach, nt * slip) / determinant;  // impulses that stick
    double tangent = std::fma(nt, approach, -nn * slip) / determinant;
    if (!(std::fabs(tangent) <= friction * normal)) {
      const double against = tangent > 0.0 ? friction : -friction;
      normal = -approach / std::fma(against, nt, nn);
      tangent = against * normal;
      // It slips on in the direction against which the friction acts.
      const double after = std::fma(nt, normal, std::fma(tt, tangent, slip));
      if (!(after * against <= 0.0)) return false;
    }
    for (int i = 0; i < size(); ++i) {
      velocity[i] = std::fma(by_normal[i], normal, std::fma(by_tangent[i], tangent, velocity[i]));
    }
    return true;
  }

  template <class Size>
  CAROM_ONE_COPY CAROM_HOST_DEVICE static RolloutStatus resist_with(const ProblemShape& shape,
                                                                    const ProblemArrays& problem,
                                                                    const double* kept,
                                                                    double* velocity) {
    constexpr ProblemShape largest{Size::contacts, Size::velocities, 1, 2};
    double flat[StepLcpView{largest, nullptr}.data_size()];
    Assembly<Size> assembly;
    if (assembly.flatten(shape, problem, flat).status != AssemblyStatus::usable) {
      return RolloutStatus::out_of_scale;
    }
    const StepLcpView view{shape, flat};
    double speeds[Size::impulses];
    double after[Size::impulses];
    double impulses[Size::impulses];
    double cap[Size::contacts];
    contact_speeds(view, velocity, speeds);
    for (int i = 0; i < shape.impulses(); ++i) speeds[i] -= kept[i];
    set_unreached_caps<Size>(view, speeds, cap);
    const StepOutcome outcome =
        StepLcp<Size>(view, speeds, cap).template solve<effort>(nullptr, impulses, after);
    if (outcome.status != Status::separated) return RolloutStatus::motion_failed;
    apply_impulse(view, impulses, velocity);
    return RolloutStatus::moving;
  }

  enum class Hit { none, slow, fast, too_many };

  /// Adds to `acting` the further pairs that have penetrated at the end of a motion; whether one of
  /// them is faster than the impact speed.
  CAROM_HOST_DEVICE Hit find_hits(const State& state, const Motion& motion, Acting& acting) const {
    const int known = acting.count;
    Hit hit = Hit::none;
    for (int i = 0, a = 0; i < mechanism.pairs(); ++i) {
      if (a < known && acting.pair[a] == i) {
        ++a;
        continue;
      }
      const auto touch = mechanism.touch(motion.pose, i);
      if (!(touch.gap < 0.0)) continue;
      if (acting.count == max_acting) return Hit::too_many;
      add(state.pose, i, mechanism.touch(state.pose, i), state.velocity, acting);
      if (hit == Hit::none) hit = Hit::slow;
      if (speed(motion.pose, i, touch, motion.velocity) < -plan.impact_speed) hit = Hit::fast;
    }
    return hit;
  }

  /// The least gap of the pairs of `both` beyond the first `known`.
  CAROM_HOST_DEVICE double least_gap(const Pose& pose, const Acting& both, int known) const {
    double least = INFINITY;
    for (int a = known; a < both.count; ++a) {
      least = smaller(mechanism.touch(pose, both.pair[a]).gap, least);
    }
    return least;
  }

  /// Locates the time at which the first of the new pairs of `both` touches, by the Illinois
  /// method: its gap is then in [0, window / 2], or the time can not be divided further.
  CAROM_HOST_DEVICE double cut(State& state, const Acting& acting, const Acting& both, double left,
                               Motion& motion) const {
    const double goal = 0.25 * plan.window;
    double open = 0.0;
    double open_gap = least_gap(state.pose, both, acting.count) - goal;
    double closed = left;
    double closed_gap = least_gap(motion.pose, both, acting.count) - goal;
    int side = 0;
    for (int i = 0; i < most_cuts; ++i) {
      double part = open + (closed - open) * (open_gap / (open_gap - closed_gap));
      if (!(part > open && part < closed)) part = 0.5 * (open + closed);
      if (!(part > open && part < closed)) break;
      if (!move(state, acting, part, false, motion)) return part;
      const double gap = least_gap(motion.pose, both, acting.count) - goal;
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
    move(state, acting, closed, false, motion);
    return closed;
  }

  /// Takes over the end of a motion. Pairs that act and do not separate are kept.
  CAROM_HOST_DEVICE void accept(State& state, const Acting& acting, double part,
                                const Motion& motion) const {
    for (int i = 0; i < size(); ++i) {
      state.position[i] = motion.position[i];
      state.velocity[i] = motion.velocity[i];
    }
    state.time += part;
    state.pose = motion.pose;
    for (int i = 0; i < mechanism.pairs(); ++i) state.held[i] = false;
    for (int a = 0; a < acting.count; ++a) {
      const int pair = acting.pair[a];
      state.held[pair] = speed(state.pose, pair, mechanism.touch(state.pose, pair),
                               state.velocity) <= plan.impact_speed;
    }
  }

  /// Notes the time if a pair is faster than the rest speed.
  CAROM_HOST_DEVICE void note_speed(State& state) const {
    const Pose& pose = state.pose;
    for (int i = 0; i < mechanism.pairs(); ++i) {
      if (std::fabs(speed(pose, i, mechanism.touch(pose, i), state.velocity)) > plan.rest_speed) {
        state.end_time = state.time;
        return;
      }
    }
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
