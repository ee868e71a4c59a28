#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/bits.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/laws/plus/directions.hpp"
#include "kernels/laws/plus/plan.hpp"

namespace carom::inline CAROM_ISA {

/// What a contact does during a round of the PLUS law.
enum class PlusTask : std::uint8_t {
  observing,    ///< takes no impulse
  compressing,  ///< its approach ends
  expanding,    ///< releases an impulse of known size
};

/// One interval of the PLUS law (Uchida, Sherman & Delp, Algorithm 1): the impulse that would end
/// the round if no slip changed its direction, and the part of it after which the slip does.
template <class Size>
class PlusInterval : public PlusDirections<Size> {
 public:
  using Base = PlusDirections<Size>;
  using typename Base::Grip;

  /// @param speed m (1 + d), at the start of the interval, m/s
  /// @param friction m
  /// @param fastest contact speed before the impact, m/s: what rounding is relative to
  /// @param impulse_tolerance violations below count as none
  CAROM_HOST_DEVICE PlusInterval(const StepLcpView& problem, const double* speed,
                                 const double* friction, double fastest, double impulse_tolerance)
      : Base(problem, speed, friction, fastest), impulse_tolerance_(impulse_tolerance) {}

  /// Finds the impulse.
  /// @param task m
  /// @param expansion m: the normal impulses of expanding contacts
  /// @param backtrack whether to go on where a set of grips has no impulse, see grips_that_solve()
  /// @return false if there is none
  CAROM_HOST_DEVICE bool solve(const PlusTask* task, const double* expansion,
                               double transition_speed, bool backtrack) {
    for (int i = 0; i < contacts(); ++i) begin_contact(i, task[i], expansion[i], transition_speed);
    last_to_slip_ = -1;
    // Each contact is dropped once and loses its grip once, or twice if it regained it.
    const int passes = (backtrack ? 3 : 2) * contacts();
    for (int pass = 0; pass <= passes; ++pass) {
      if (!solve_with_grips() && !(backtrack && grips_that_solve())) return false;
      const int worst = worst_contact();
      if (worst < 0) return true;
      // One that pulls and needs no friction has no grip to lose.
      if (grip_[worst] == Grip::rolling && tangent_length(impulse_ + tangent(worst)) > 0.0) {
        lose_grip(worst);
      } else {
        drop(worst);
      }
    }
    return false;
  }

  /// The part of the impulse after which the direction of a slip must be updated; 1 if none must
  /// (Eq. 2.12-2.14).
  CAROM_HOST_DEVICE double length(const PlusParameters& parameters) const {
    double least = 1.0;
    for (int i = 0; i < contacts(); ++i) {
      if (grip_[i] != Grip::sliding) continue;
      const int at = tangent(i);
      const double its = dimension() == 1
                             ? length_in_plane(speed_[at], response_[at], parameters)
                             : length_in_space(speed_ + at, response_ + at, parameters);
      least = smaller(least, its);
    }
    least = larger(least, shortest);
    return least > 1.0 - nearly_whole ? 1.0 : least;
  }

 private:
  using Base::active_;
  using Base::contacts;
  using Base::cross;
  using Base::dimension;
  using Base::direction;
  using Base::direction_;
  using Base::friction_;
  using Base::grip_;
  using Base::impulse_;
  using Base::known_;
  using Base::normal;
  using Base::response_;
  using Base::seeks_direction;
  using Base::solve_with_grips;
  using Base::speed_;
  using Base::tangent;
  using Base::tangent_length;

  static constexpr double tie_tolerance = 1e-9;  ///< of violations, relative
  static constexpr double shortest = 1e-6;       ///< least part of an interval
  static constexpr double nearly_whole = 1e-8;

  CAROM_HOST_DEVICE void begin_contact(int i, PlusTask task, double expansion,
                                       double transition_speed) {
    active_[i] = task == PlusTask::compressing;
    known_[i] = task == PlusTask::expanding ? expansion : 0.0;
    direction(i)[0] = direction(i)[1] = 0.0;
    if (task == PlusTask::observing || friction_[i] == 0.0) {
      grip_[i] = Grip::none;
      return;
    }
    const double* slip = speed_ + tangent(i);
    const double slip_speed = tangent_length(slip);
    grip_[i] = slip_speed < transition_speed ? Grip::rolling : Grip::sliding;
    if (grip_[i] == Grip::rolling) return;
    for (int a = 0; a < dimension(); ++a) direction(i)[a] = slip[a] / slip_speed;
  }

  /// Makes a rolling contact one of impending slip: friction first opposes the impulse that rolling
  /// would have needed.
  CAROM_HOST_DEVICE void lose_grip(int i) {
    const double* friction = impulse_ + tangent(i);
    const double length = tangent_length(friction);
    for (int a = 0; a < dimension(); ++a) direction(i)[a] = -friction[a] / length;
    grip_[i] = Grip::impending;
    last_to_slip_ = i;
  }

  CAROM_HOST_DEVICE void drop(int i) {
    grip_[i] = Grip::none;
    active_[i] = false;
  }

  /// How far the impulse of a contact is from what its grip allows.
  CAROM_HOST_DEVICE double violation(int i) const {
    const double pull = active_[i] ? -impulse_[normal(i)] : 0.0;
    return grip_[i] == Grip::rolling ? larger(pull, missing_friction(i)) : pull;
  }

  /// What the impulse of a rolling contact needs beyond its cone.
  CAROM_HOST_DEVICE double missing_friction(int i) const {
    const double slack = friction_[i] * larger(impulse_[normal(i)], 0.0);
    return tangent_length(impulse_ + tangent(i)) - slack;
  }

  /// The contact of the worst violation, the first of those that are equal up to rounding; -1 if
  /// none counts.
  CAROM_HOST_DEVICE int worst_contact() const {
    double worst = 0.0;
    for (int i = 0; i < contacts(); ++i) worst = larger(worst, violation(i));
    if (!(worst > impulse_tolerance_)) return -1;
    int first = 0;
    while (violation(first) < worst * (1.0 - tie_tolerance)) ++first;
    return first;
  }

  /// After a set of grips without an impulse: one with some contacts that regain their grip or, if
  /// there is none, without the contact that lost its grip last, should it compress.
  CAROM_HOST_DEVICE bool grips_that_solve() {
    while (!regain_grips()) {
      const int last = last_to_slip_;
      if (last < 0 || !active_[last]) return false;
      drop(last);
      last_to_slip_ = -1;
      if (solve_with_grips()) return true;
    }
    return true;
  }

  /// Some contacts of impending slip may roll after all, which the loop over grips cannot find
  /// since it only takes grips away. The first impulse of which those that regain their grip keep
  /// it, fewest of them first.
  CAROM_HOST_DEVICE bool regain_grips() {
    int lost[Size::contacts];
    int count = 0;
    for (int i = 0; i < contacts(); ++i) {
      if (seeks_direction(i)) lost[count++] = i;
    }
    double start[2 * Size::contacts];
    for (int i = 0; i < 2 * contacts(); ++i) start[i] = direction_[i];
    const auto patterns = std::uint32_t{1} << count;
    for (int regained = 1; regained <= count; ++regained) {
      for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
        if (count_bits(pattern) != regained) continue;
        for (int i = 0; i < 2 * contacts(); ++i) direction_[i] = start[i];
        for (int i = 0; i < count; ++i) {
          grip_[lost[i]] = (pattern >> i & 1u) != 0 ? Grip::rolling : Grip::impending;
        }
        if (solve_with_grips() && hold(lost, count)) return true;
      }
    }
    for (int i = 0; i < 2 * contacts(); ++i) direction_[i] = start[i];
    for (int i = 0; i < count; ++i) grip_[lost[i]] = Grip::impending;
    return false;
  }

  /// Whether those of the contacts that roll have the friction that it needs.
  CAROM_HOST_DEVICE bool hold(const int* contact, int count) const {
    for (int i = 0; i < count; ++i) {
      const bool rolls = grip_[contact[i]] == Grip::rolling;
      if (rolls && missing_friction(contact[i]) > impulse_tolerance_) return false;
    }
    return true;
  }

  CAROM_HOST_DEVICE static double length_in_plane(double slip, double change,
                                                  const PlusParameters& parameters) {
    if (std::fabs(slip + change) < parameters.transition_speed) return 1.0;
    const double part = -slip / change;
    return part > 0.0 && part < 1.0 ? part : 1.0;
  }

  /// Slip speed after a part of a change.
  CAROM_HOST_DEVICE static double slip_speed(const double* slip, const double* change,
                                             double part) {
    const double x = std::fma(part, change[0], slip[0]);
    const double y = std::fma(part, change[1], slip[1]);
    return std::sqrt(std::fma(x, x, y * y));
  }

  CAROM_HOST_DEVICE static double length_in_space(const double* slip, const double* change,
                                                  const PlusParameters& parameters) {
    if (slip_speed(slip, change, 1.0) < parameters.transition_speed) return 1.0;
    const double inner = std::fma(slip[0], change[0], slip[1] * change[1]);
    const double slowest = -inner / std::fma(change[0], change[0], change[1] * change[1]);
    if (slowest > 0.0 && slowest < 1.0 &&
        slip_speed(slip, change, slowest) < parameters.transition_speed) {
      return slowest;
    }
    const double start = slip_speed(slip, change, 0.0);
    const double along = inner / start;
    const double across = std::fabs(cross(slip, change)) / start;
    const double closing = std::fma(across, parameters.cosine, -(along * parameters.sine));
    if (!(closing > 0.0)) return 1.0;
    const double part = start * parameters.sine / closing;
    return part < 1.0 ? part : 1.0;
  }

  double impulse_tolerance_;
  int last_to_slip_;  ///< the last contact that lost its grip; -1 if none
};

}  // namespace carom::inline CAROM_ISA
