#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/laws/simultaneous/law.hpp"
#include "kernels/problem/assemble.hpp"
#include "kernels/rollout/moving_mechanism.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/step_lcp.hpp"

namespace carom::inline CAROM_ISA {

/// Changes a velocity by the least impulses of contact that leave the kept speeds or more, by the
/// program of a size, which all kernels share.
template <class Size, Effort effort>
CAROM_ONE_COPY CAROM_OUT_OF_LINE CAROM_HOST_DEVICE RolloutStatus resist_with(
    const ProblemShape& shape, const ProblemArrays& problem, const double* kept, double* velocity) {
  double flat[largest_flat_size<Size>];
  Assembly<Size> assembly;
  constexpr double smaller_cap = 1e-3;       // of that which no solution reaches
  constexpr double approach_at_cap = 1e-12;  // of a cap as a speed: rounding
  if (assembly.flatten(shape, problem, flat).status != AssemblyStatus::usable) {
    return RolloutStatus::out_of_scale;
  }
  const StepLcpView view{shape, flat};
  double speeds[Size::impulses];
  double after[Size::impulses];
  double impulses[Size::impulses];
  double cap[Size::contacts] = {};
  contact_speeds(view, velocity, speeds);
  for (int i = 0; i < shape.impulses(); ++i) speeds[i] -= kept[i];
  set_unreached_caps<Size>(view, speeds, cap);
  StepOutcome outcome;
  // Contacts that press against each other without bound can have a solution of which rounding
  // leaves nothing; smaller caps leave one, if no contact at its cap approaches.
  for (const bool bounded : {false, true}) {
    for (int a = 0; a < shape.contacts && bounded; ++a) cap[a] *= smaller_cap;
    if constexpr (effort == Effort::thorough) {
      outcome = solve_host_step(view, speeds, cap, nullptr, impulses, after);
    } else {
      outcome = solve_step<Size, effort>(view, speeds, cap, nullptr, impulses, after);
    }
    if (outcome.status == undecided) return undecided_rollout;
    for (int a = 0; a < shape.contacts && bounded; ++a) {
      const double speed = after[(1 + shape.tangent_dimension) * a];
      if (speed < -approach_at_cap * cap[a]) outcome.status = Status::residual;
    }
    if (outcome.status == Status::separated) break;
  }
  if (outcome.status != Status::separated) return RolloutStatus::motion_failed;
  apply_impulse(view, impulses, velocity);
  return RolloutStatus::moving;
}

/// Motions of a mechanism between impacts: the mid-point rule, with the forces of the simultaneous
/// LCP (Stewart and Trinkle) in the contacts.
template <class Mechanism, class Largest, Effort effort>
struct RolloutMotion : MovingMechanism<Mechanism, Largest> {
  using Base = MovingMechanism<Mechanism, Largest>;
  using Base::dot;
  using Base::for_each_group;
  using Base::is_open;
  using Base::mechanism;
  using Base::most_coordinates;
  using Base::most_touching;
  using Base::of_item;
  using Base::plan;
  using Base::shape_of;
  using Base::size;
  using Base::speed;
  using Base::tangent_dimension;
  using Base::touch_of;
  using Base::write_rows;
  using typename Base::Acting;
  using typename Base::Inertia;
  using typename Base::Motion;
  using typename Base::Pose;
  using typename Base::Rows;
  using typename Base::State;

  static constexpr double noise = 1e-3;  // of the impact speed, by which a contact is not open
  static constexpr double largest_position = 0x1p30;  // m or rad: as far as sine_cosine() reaches

  /// The end of a motion for a time without an impact. Pairs that act do not approach at its end;
  /// with `restore`, each closes at most its gap, and opens by what it penetrates, as slowly as
  /// what is no impact; with `forces_alone`, each approaches as it did before, if it did.
  ///
  /// The forces act in the middle of the motion, where the contacts' axes have turned by half of
  /// what they turn in all. So the speed of a contact that is kept is, in the middle's axes, as
  /// much below zero in the end as it was above at first: then gaps stay closed to third order in
  /// the time.
  ///
  /// Where forces depend on the velocity, they are those of the mean velocity of a first motion,
  /// and on hinges the gaps that this one leaves are taken back; depths before it as slowly as
  /// above. Gaps of bodies without hinges are errors of the third order. What they exceed
  /// settled_gap() by, after many steps, is taken back slowly; an error that would end a contact,
  /// by a second motion.
  CAROM_HOST_DEVICE bool move(State& state, const Acting& acting, double time, bool restore,
                              Motion& motion, bool forces_alone = false) const {
    const double half = 0.5 * time;
    double middle[most_coordinates] = {};
    mechanism.advance(state.position, state.velocity, half, middle);
    Pose pose;
    mechanism.place(middle, pose);
    Inertia inertia;
    mechanism.find_inertia(pose, inertia);
    double mean[Largest::velocities] = {};
    for (int i = 0; i < size(); ++i) mean[i] = state.velocity[i];
    double left_over[most_touching] = {};
    bool takes_errors_back = !is_hinged() && !restore && !forces_alone;
    for (int a = 0; takes_errors_back && a < acting.count; ++a) {
      // With a sixth, gap and speed settle (eigenvalues 1/2 and 1/3 of a step).
      left_over[a] = larger(acting.gap[a] - settled_gap(), 0.0) / 6.0;
    }
    const double whole = whole_time(state);
    for (int motions = mechanism.has_inertial_forces() && !forces_alone ? 2 : 1; motions > 0;) {
      double acceleration[Largest::velocities] = {};
      mechanism.acceleration(pose, inertia, mean, of_item(plan.force, state.item, size()),
                             acceleration);
      for (int i = 0; i < size(); ++i) {
        motion.velocity[i] = std::fma(time, acceleration[i], state.velocity[i]);
      }
      const bool resisted =
          for_each_group(state, acting, [&](const Acting& part, const int* place) {
            double its[Largest::contacts];
            for (int a = 0; a < part.count; ++a) its[a] = left_over[place[a]];
            return resist(state, pose, inertia, part, time, whole, restore, forces_alone, its,
                          motion);
          });
      if (!resisted) return false;
      if (!follow(state, time, restore, motion)) return false;
      --motions;
      for (int i = 0; i < size(); ++i) mean[i] = 0.5 * (state.velocity[i] + motion.velocity[i]);
      if (motions > 0 && is_hinged()) {
        find_left_over(state, pose, acting, mean, time, whole, motion, left_over);
      } else if (motions == 0 && takes_errors_back && loses_contacts(acting, motion)) {
        takes_errors_back = false;
        const bool lost = find_left_over(state, pose, acting, mean, time, whole, motion, left_over);
        motions = lost ? 1 : 0;
      }
    }
    return true;
  }

  /// Whether each motion leaves gaps of second order.
  CAROM_HOST_DEVICE bool is_hinged() const {
    return Mechanism::leaves_gaps && mechanism.has_inertial_forces();
  }

  /// The gap of a kept contact that is left as it is, m.
  CAROM_HOST_DEVICE double settled_gap() const { return larger(plan.window, 0.5 * plan.reach()); }

  /// Whether some gap at the end of a motion is beyond that of a kept contact.
  CAROM_HOST_DEVICE bool loses_contacts(const Acting& acting, const Motion& motion) const {
    for (int a = 0; a < acting.count; ++a) {
      if (touch_of(motion.pose, acting.pair[a]).gap > plan.reach()) return true;
    }
    return false;
  }

  /// Writes the gaps that a motion leaves where it kept contacts, for another one to take them
  /// back. Whether errors of the third order would end some of these contacts.
  /// @param state at the start of the motion
  /// @param middle of the motion
  /// @param mean velocity
  CAROM_HOST_DEVICE bool find_left_over(const State& state, const Pose& middle,
                                        const Acting& acting, const double* mean, double time,
                                        double whole, const Motion& motion,
                                        double* left_over) const {
    bool lost = false;
    for (int a = 0; a < acting.count; ++a) {
      // A contact that opened has no gap to take back: the second motion may keep it closed.
      const int pair = acting.pair[a];
      const double opening = speed(middle, pair, touch_of(middle, pair), mean);
      if (2.0 * opening > acting.speed[a] + noise * plan.impact_speed) continue;
      const double gap = touch_of(motion.pose, pair).gap;
      if (gap > plan.reach() && !is_hinged()) {
        // An error is less than what the gap changes by, and back, on the way. What opens by more
        // has come to the end of a side, say.
        const double before = speed(state.pose, pair, touch_of(state.pose, pair), mean);
        if (gap > time * std::fabs(before - opening)) continue;
        lost = true;
      }
      const double depth = larger(-acting.gap[a], 0.0);
      left_over[a] = gap + depth - 0.5 * smaller(depth, plan.impact_speed * plan.step);
      // A gap that the speed before left, as of bodies that lie still: to take back all of it
      // turns the speed around, and so again in the next step. With a part of the speed, speed
      // and gap settle (a step takes them to a third: double eigenvalue -1/3).
      const double by_speed = 0.5 * whole * acting.speed[a];
      if (std::fabs(left_over[a] - by_speed) <= 0.5 * std::fabs(by_speed)) {
        left_over[a] -= (left_over[a] + by_speed) / 9.0;
      }
    }
    return lost;
  }

  /// Of a motion that is not cut short, s; gaps of one that is are taken back in part.
  CAROM_HOST_DEVICE double whole_time(const State& state) const {
    if (!mechanism.has_inertial_forces()) return plan.step;
    return smaller(plan.step, mechanism.longest_time(state.pose, state.velocity));
  }

  /// The position at the end of a motion, from its velocity.
  CAROM_HOST_DEVICE bool follow(State& state, double time, bool restore, Motion& motion) const {
    double sum[Largest::velocities] = {};
    for (int i = 0; i < size(); ++i) sum[i] = state.velocity[i] + motion.velocity[i];
    mechanism.advance(state.position, restore ? motion.velocity : sum, restore ? time : 0.5 * time,
                      motion.position);
    bool finite = true;
    for (int i = 0; i < mechanism.coordinates(); ++i) {
      finite = finite && std::fabs(motion.position[i]) < largest_position;
    }
    if (!finite) {
      state.status = RolloutStatus::out_of_scale;
      return false;
    }
    mechanism.place(motion.position, motion.pose);
    return true;
  }

  /// Notes a tangential impact: forces alone stop a contact that slid, or turn it around, in hardly
  /// any time as well, so by an impulse without a collision (Painlevé).
  CAROM_HOST_DEVICE void watch_slips(State& state, const Acting& acting, double time,
                                     const Motion& motion) const {
    constexpr double hardly_any = 1e-5;
    if (state.tangential_impact || !some_slip_stops(acting, motion)) return;
    Motion instant;
    constexpr bool restore = false;
    constexpr bool forces_alone = true;
    if (move(state, acting, hardly_any * time, restore, instant, forces_alone)) {
      state.tangential_impact = some_slip_stops(acting, instant);
    } else if (state.status != undecided_rollout) {
      state.status = RolloutStatus::moving;  // of the motion that was found
    }
  }

  /// Whether a motion leaves at most half of a contact's slip in its direction.
  CAROM_HOST_DEVICE bool some_slip_stops(const Acting& acting, const Motion& motion) const {
    const double least = 20.0 * plan.impact_speed;
    for (int a = 0; a < acting.count; ++a) {
      const double* const before = acting.slip + a * tangent_dimension;
      double square = 0.0;
      for (int i = 0; i < tangent_dimension; ++i) square = std::fma(before[i], before[i], square);
      if (!(square >= least * least)) continue;
      double after[tangent_dimension];
      speed(motion.pose, acting.pair[a], touch_of(motion.pose, acting.pair[a]), motion.velocity,
            after);
      double along = 0.0;
      for (int i = 0; i < tangent_dimension; ++i) along = std::fma(before[i], after[i], along);
      if (along <= 0.5 * square) return true;
    }
    return false;
  }

  /// Adds the impulses of the contacts to the motion's velocity.
  /// @param whole whole_time()
  /// @param left_over gaps that a motion without this correction would leave, m
  CAROM_HOST_DEVICE bool resist(State& state, const Pose& pose, const Inertia& inertia,
                                const Acting& acting, double time, double whole, bool restore,
                                bool forces_alone, const double* left_over, Motion& motion) const {
    Rows rows;
    write_rows(pose, acting, rows);
    bool approaches = false;
    constexpr int axes = 1 + tangent_dimension;
    // Normal and tangential speeds of kept contacts at the end
    double kept[axes * Largest::contacts];
    for (int a = 0; a < acting.count; ++a) {
      const double* normal = rows.normal + a * size();
      const double turn = acting.speed[a] - dot(normal, state.velocity);
      kept[axes * a] = restore ? smaller(-acting.gap[a] / time, plan.impact_speed)
                               : std::fma(-2.0 / whole, left_over[a], turn);
      if (forces_alone) kept[axes * a] = smaller(kept[axes * a], acting.speed[a]);
      for (int i = 0; i < tangent_dimension; ++i) {
        const int t = a * tangent_dimension + i;
        kept[axes * a + 1 + i] = acting.slip[t] - dot(rows.tangent + t * size(), state.velocity);
      }
      approaches = approaches || dot(normal, motion.velocity) < kept[axes * a];
    }
    if (!approaches) return true;
    if constexpr (tangent_dimension == 1) {
      if (acting.count == 1 && resist_alone(inertia, rows, kept, motion.velocity)) return true;
    }
    double mass[Largest::velocities * Largest::velocities];
    mechanism.mass_matrix(pose, mass);
    const ProblemArrays problem{mass,          rows.normal,     rows.tangent,
                                rows.friction, motion.velocity, plan.directions};
    const auto solve = [&] {
      ++state.lcps;
      state.status = Base::beyond_size;
      with_size_up_to<Largest, effort == Effort::thorough>(
          shape_of(acting.count), [&]<class Size>(Size) {
            state.status =
                resist_with<Size, effort>(shape_of(acting.count), problem, kept, motion.velocity);
          });
    };
    solve();
    if (state.status != RolloutStatus::motion_failed) return is_open(state);
    // Contacts on both sides of a body hold it: it cannot move away from all of them. Nor can its
    // contacts slip as their axes turn where friction jams it; without these speeds the LCP has a
    // solution.
    for (const bool slips : {false, true}) {
      bool relaxed = false;
      for (int i = 0; i < axes * acting.count; ++i) {
        const double least = i % axes == 0 ? smaller(kept[i], 0.0) : slips ? 0.0 : kept[i];
        relaxed = relaxed || least != kept[i];
        kept[i] = least;
      }
      if (relaxed && state.status == RolloutStatus::motion_failed) solve();
    }
    return is_open(state);
  }

  /// The same for a planar contact alone, in closed form; false if its solution may not be the only
  /// one.
  CAROM_HOST_DEVICE bool resist_alone(const Inertia& inertia, const Rows& rows, const double* kept,
                                      double* velocity) const {
    double by_normal[Largest::velocities] = {};
    double by_tangent[Largest::velocities] = {};
    mechanism.respond(inertia, rows.normal, by_normal);
    mechanism.respond(inertia, rows.tangent, by_tangent);
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
};

}  // namespace carom::inline CAROM_ISA
