#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/base/qualifiers.hpp"
#include "kernels/mechanisms/limits.hpp"
#include "kernels/rollout/contact_groups.hpp"
#include "kernels/rollout/rollout_plan.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom::inline CAROM_ISA {

/// A mechanism's state on its way through a rollout, its pairs that touch, and its energy.
/// @tparam Largest compiled size of the mechanism's coordinates and of the pairs that can act at a
/// time
template <class Mechanism, class Largest>
struct MovingMechanism {
  Mechanism mechanism;
  RolloutPlan plan;

  using Pose = typename Mechanism::Pose;
  using Inertia = typename Mechanism::template Inertia<Largest::velocities>;

  static constexpr int tangent_dimension = Mechanism::tangent_dimension;  // d
  static constexpr int most_coordinates =
      Mechanism::template coordinates_up_to<Largest::velocities>;

  /// Pairs that can touch at a time: smaller sizes are for mechanisms that have no more of them.
  static constexpr int most_touching =
      Largest::lcp_size < LargestDeviceCapacity::lcp_size ? Largest::contacts : max_touching;
  /// Of a rollout in which more pairs touch than `Largest` holds: the host may hold more.
  static constexpr RolloutStatus beyond_size =
      std::is_same_v<Largest, LargestCapacity> ? RolloutStatus::too_many : undecided_rollout;

  static constexpr double energy_tolerance = 0.01;  // of the kinetic energy, by which a step errs
  static constexpr double least_energy = 1e-6;      // J: what is less is not looked at

  struct State {
    double position[most_coordinates];
    double velocity[Largest::velocities];
    Pose pose;  ///< of the position
    double time = 0.0;
    std::uint64_t item = 0;
    std::uint32_t impacts = 0;
    std::uint32_t lcps = 0;
    int quiet = 0;         ///< steps without motion, so far
    bool crowded = false;  ///< a step had too many impacts
    bool tangential_impact = false;
    double gained = 0.0;  ///< kinetic energy that laws gave in the impacts of this step, J
    double end_time = 0.0;
    RolloutStatus status = RolloutStatus::moving;
    bool held[max_pairs];
  };

  /// Pairs that touch.
  struct Acting {
    int count = 0;
    int pair[most_touching];
    double gap[most_touching];
    double speed[most_touching];                     ///< along the normal
    double slip[tangent_dimension * most_touching];  ///< along the tangents
  };

  /// Rows of acting pairs.
  struct Rows {
    double normal[Largest::contacts * Largest::velocities];
    double tangent[tangent_dimension * Largest::contacts * Largest::velocities];
    double friction[Largest::contacts];
  };

  /// The end of a part of a step.
  struct Motion {
    double position[most_coordinates];
    double velocity[Largest::velocities];
    Pose pose;
  };

  CAROM_HOST_DEVICE int size() const { return mechanism.velocities(); }

  /// The numbers of an item; none if there are none.
  template <class T>
  CAROM_HOST_DEVICE static T* of_item(T* numbers, std::uint64_t item, int count) {
    return numbers == nullptr ? nullptr : numbers + item * static_cast<std::uint64_t>(count);
  }

  CAROM_HOST_DEVICE static bool is_open(const State& state) {
    return state.status == RolloutStatus::moving;
  }

  /// Of bodies with inertial forces.
  struct Energy {
    double kinetic = 0.0;
    double potential = 0.0;  ///< of gravity and the applied forces
  };

  CAROM_HOST_DEVICE Energy energy_of(const State& state) const {
    const double* const force = of_item(plan.force, state.item, size());
    const bool has_work = force == nullptr || Mechanism::has_rates_alone;
    if (!mechanism.has_inertial_forces() || !has_work) return {};
    double mass[Largest::velocities * Largest::velocities];
    mechanism.mass_matrix(state.pose, mass);
    return {
        kinetic_energy(size(), mass, state.velocity),
        mechanism.potential(state.pose) - (force == nullptr ? 0.0 : dot(force, state.position))};
  }

  /// Whether there is more energy than before, by more than an error of a step and what lifts the
  /// bodies by the tolerances of a contact.
  CAROM_HOST_DEVICE bool has_grown(const Energy& before, const Energy& now) const {
    const double gain = now.kinetic - before.kinetic + (now.potential - before.potential);
    const double lift = plan.window + plan.reach() + plan.impact_speed * plan.step;
    return gain > energy_tolerance * (now.kinetic + before.kinetic) + mechanism.weight() * lift +
                      least_energy;
  }

  /// The pairs that touch; with `guarded` also those that could within the rest of the step.
  CAROM_HOST_DEVICE bool find_acting(const State& state, double left, bool guarded,
                                     Acting& acting) const {
    const Pose& pose = state.pose;
    for (int i = 0; i < mechanism.pairs(); ++i) {
      const auto touch = touch_of(pose, i);
      double reach = state.held[i] ? plan.reach() : plan.window;
      if (guarded) {
        reach +=
            larger(0.0, -speed(pose, i, touch, state.velocity)) * left + plan.impact_speed * left;
      }
      if (!(touch.gap <= reach) || !gives_way(pose, i, touch)) continue;
      if (acts_already(pose, i, acting)) continue;
      if (acting.count == most_touching) return false;
      add(pose, i, touch, state.velocity, acting);
    }
    return true;
  }

  CAROM_HOST_DEVICE static bool acts(int pair, const Acting& acting) {
    for (int a = 0; a < acting.count; ++a) {
      if (acting.pair[a] == pair) return true;
    }
    return false;
  }

  /// Whether a pair that acts is the same contact.
  CAROM_HOST_DEVICE bool acts_already(const Pose& pose, int pair, const Acting& acting) const {
    for (int a = 0; a < acting.count; ++a) {
      if (mechanism.are_one_contact(pose, acting.pair[a], pair, plan.window)) return true;
    }
    return false;
  }

  /// Calls visit(part, place) for each group of pairs whose bodies no other group moves: `part` has
  /// its pairs, and `place` where they are in `acting`. False, with the status, if a group has more
  /// pairs than an LCP holds, or visit() returned false.
  template <class Visit>
  CAROM_HOST_DEVICE bool for_each_group(State& state, const Acting& acting, Visit&& visit) const {
    int moved[2 * most_touching];
    int first[most_touching];
    for (int a = 0; a < acting.count; ++a) mechanism.moved(acting.pair[a], moved + 2 * a);
    find_groups(acting.count, moved, first);
    for (int a = 0; a < acting.count; ++a) {
      if (first[a] != a) continue;
      Acting part;
      int place[Largest::contacts];
      for (int b = a; b < acting.count; ++b) {
        if (first[b] != a) continue;
        if (part.count == Largest::contacts) {
          state.status = beyond_size;
          return false;
        }
        place[part.count] = b;
        copy_pair(acting, b, part, part.count++);
      }
      if (!visit(part, place)) return false;
    }
    return true;
  }

  CAROM_HOST_DEVICE static void copy_pair(const Acting& from, int at, Acting& to, int place) {
    to.pair[place] = from.pair[at];
    to.gap[place] = from.gap[at];
    to.speed[place] = from.speed[at];
    for (int i = 0; i < tangent_dimension; ++i) {
      to.slip[place * tangent_dimension + i] = from.slip[at * tangent_dimension + i];
    }
  }

  template <class Touch>
  CAROM_HOST_DEVICE void add(const Pose& pose, int pair, const Touch& touch, const double* velocity,
                             Acting& acting) const {
    const int a = acting.count++;
    acting.pair[a] = pair;
    acting.gap[a] = touch.gap;
    acting.speed[a] = speed(pose, pair, touch, velocity, acting.slip + a * tangent_dimension);
  }

  /// Speed of a pair along its normal and, if `slip` is given, along its tangents.
  template <class Touch>
  CAROM_HOST_DEVICE double speed(const Pose& pose, int pair, const Touch& touch,
                                 const double* velocity, double* slip = nullptr) const {
    double normal[Largest::velocities];
    double tangent[tangent_dimension * Largest::velocities];
    mechanism.rows(pose, pair, touch, normal, tangent);
    for (int i = 0; slip != nullptr && i < tangent_dimension; ++i) {
      slip[i] = dot(tangent + i * size(), velocity);
    }
    return dot(normal, velocity);
  }

  /// Where a pair is nearest. Bodies of one chain have a play: no force takes back how deep they
  /// are in one another by a part of the gap that kept contacts may have, since hinges near the
  /// normal would turn it into a fast motion.
  CAROM_HOST_DEVICE typename Mechanism::Touch touch_of(const Pose& pose, int pair) const {
    typename Mechanism::Touch touch = mechanism.touch(pose, pair);
    if (touch.gap < 0.0 && mechanism.chained_extent(pair) > 0.0) {
      touch.gap = smaller(touch.gap + plan.reach(), 0.0);
    }
    return touch;
  }

  /// Whether the bodies of a pair can move along its normal. Those of one chain turn about hinges:
  /// as long as all these are so near the normal that a turn closes the gap by less than kept
  /// contacts may open, nothing resists it, since the impulses would be without bounds.
  template <class Touch>
  CAROM_HOST_DEVICE bool gives_way(const Pose& pose, int pair, const Touch& touch) const {
    const double extent = mechanism.chained_extent(pair);
    if (extent == 0.0) return true;
    double normal[Largest::velocities];
    double tangent[tangent_dimension * Largest::velocities];
    mechanism.rows(pose, pair, touch, normal, tangent);
    double lever = 0.0;
    for (int i = 0; i < size(); ++i) lever = larger(lever, std::fabs(normal[i]));
    constexpr double slack = 0.125;  // of the gap, so that the play below covers what is closed
    return lever * lever > slack * plan.reach() * extent;
  }

  CAROM_HOST_DEVICE double dot(const double* row, const double* velocity) const {
    double sum = 0.0;
    for (int i = 0; i < size(); ++i) sum = std::fma(row[i], velocity[i], sum);
    return sum;
  }

  CAROM_HOST_DEVICE void write_rows(const Pose& pose, const Acting& acting, Rows& rows) const {
    for (int a = 0; a < acting.count; ++a) {
      const int pair = acting.pair[a];
      mechanism.rows(pose, pair, touch_of(pose, pair), rows.normal + a * size(),
                     rows.tangent + a * tangent_dimension * size());
      rows.friction[a] = mechanism.friction(pair);
    }
  }

  CAROM_HOST_DEVICE ProblemShape shape_of(int contacts) const {
    const int directions = tangent_dimension == 1 ? 2 : plan.friction_directions;
    return {contacts, size(), tangent_dimension, directions};
  }

  /// The least gap of the pairs of `both` beyond the first `known`, without those that touch and
  /// separate: they land when they come back.
  CAROM_HOST_DEVICE double least_gap(const Pose& pose, const double* velocity, const Acting& both,
                                     int known) const {
    double least = INFINITY;
    for (int a = known; a < both.count; ++a) {
      const auto touch = touch_of(pose, both.pair[a]);
      const bool touches = touch.gap <= plan.window;
      if (touches && speed(pose, both.pair[a], touch, velocity) > 0.0) continue;
      least = smaller(touch.gap, least);
    }
    return least;
  }
};

}  // namespace carom::inline CAROM_ISA
