#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/bits.hpp"
#include "kernels/laws/plus/impulse.hpp"

namespace carom::inline CAROM_ISA {

/// The impulse of an interval of the PLUS law with known grips: finds the directions of impending
/// slips, which friction opposes at the end of the interval.
template <class Size>
class PlusDirections : public PlusImpulse<Size> {
 public:
  using Base = PlusImpulse<Size>;
  using typename Base::Grip;

  /// As PlusImpulse.
  /// @param fastest contact speed before the impact, m/s: what rounding is relative to
  CAROM_HOST_DEVICE PlusDirections(const StepLcpView& problem, const double* speed,
                                   const double* friction, double fastest)
      : Base(problem, speed, friction), fastest_(fastest) {}

 protected:
  using Base::allowed_residual_;
  using Base::along;
  using Base::change;
  using Base::contacts;
  using Base::dimension;
  using Base::direction;
  using Base::direction_;
  using Base::friction_;
  using Base::grip_;
  using Base::impulse_;
  using Base::normal;
  using Base::row;
  using Base::size;
  using Base::slip_at_end;
  using Base::solve_rows;
  using Base::solve_system;
  using Base::system_;
  using Base::tangent;
  using Base::tangent_length;
  using Base::unknown_;

  CAROM_HOST_DEVICE static double cross(const double* a, const double* b) {
    return std::fma(a[0], b[1], -(a[1] * b[0]));
  }

  /// Whether the direction of a contact's friction is to be found.
  CAROM_HOST_DEVICE bool seeks_direction(int contact) const {
    return grip_[contact] == Grip::impending && friction_[contact] > 0.0;
  }

  /// Finds the impulse; false if there is none.
  ///
  /// Where contacts are nearly redundant, such as feet almost in a plane that roll, the least norm
  /// leaves speeds that are no rounding: they count as none if nothing else is found.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool solve_with_grips() {
    int count = 0;
    for (int i = 0; i < contacts(); ++i) {
      if (seeks_direction(i)) sought_[count++] = i;
    }
    const double scale = larger(1.0, fastest_);
    allowed_residual_ = residual_tolerance * scale;
    negligible_slip_ = no_slip * fastest_;
    if (find_impulse(count, max_restarts)) return true;
    allowed_residual_ = negligible_slip_ = nearly_redundant * scale;
    return find_impulse(count, 0);
  }

 private:
  static constexpr double residual_tolerance = 1e-8;  ///< of rows, of speeds of at least 1 m/s
  /// The same where the rank is below that of the rows: contact speeds per velocity are roots of
  /// the matrix, whose parts below LeastNorm::rank_tolerance = 1e-9 are left out.
  static constexpr double nearly_redundant = 3.2e-5;
  // Of the slip across the direction of friction, relative to the fastest speed:
  static constexpr double no_slip = 1e-12;           ///< any direction opposes a slip below
  static constexpr double wanted_direction = 1e-14;  ///< Newton's method ends
  static constexpr double accepted_direction = 1e-11;
  static constexpr int max_newton_steps = 40;
  static constexpr int max_halvings = 10;
  static constexpr int max_restarts = 16;
  static constexpr int max_sweeps = 200;
  static constexpr int sweeps_between = 25;  ///< after as many, Newton's method has another try

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool find_impulse(int count, int restarts) {
    if (count == 0) return solve_rows();
    return dimension() == 1 ? find_signs(count) : find_directions(count, restarts);
  }

  /// Whether friction opposes the slips at the end of the interval, not their opposite.
  CAROM_HOST_DEVICE bool opposes_slips(int count) const {
    for (int i = 0; i < count; ++i) {
      double slip[2];
      slip_at_end(sought_[i], slip);
      if (!(along(sought_[i], slip) >= -negligible_slip_)) return false;
    }
    return true;
  }

  /// In the plane: the first signs that satisfy, fewest changes first.
  CAROM_HOST_DEVICE bool find_signs(int count) {
    double start[Size::contacts];
    for (int i = 0; i < count; ++i) start[i] = direction(sought_[i])[0];
    const auto patterns = std::uint32_t{1} << count;
    for (int flips = 0; flips <= count; ++flips) {
      for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
        if (count_bits(pattern) != flips) continue;
        for (int i = 0; i < count; ++i) {
          direction(sought_[i])[0] = (pattern >> i & 1u) != 0 ? -start[i] : start[i];
        }
        if (solve_rows() && opposes_slips(count)) return true;
      }
    }
    for (int i = 0; i < count; ++i) direction(sought_[i])[0] = start[i];
    return false;
  }

  /// In space: by Newton's method, from the directions of the refused impulses and, if that finds
  /// none, from directions turned by multiples of the angle whose sine is 4 / 5, and last from
  /// those that sweeps approach.
  CAROM_HOST_DEVICE bool find_directions(int count, int restarts) {
    double start[2 * Size::contacts];
    for (int i = 0; i < 2 * contacts(); ++i) start[i] = direction_[i];
    if (find_from_turned(count, restarts, start)) return true;
    for (int i = 0; i < 2 * contacts(); ++i) direction_[i] = start[i];
    if (find_by_sweeps(count)) return true;
    for (int i = 0; i < 2 * contacts(); ++i) direction_[i] = start[i];
    return false;
  }

  CAROM_HOST_DEVICE bool find_from_turned(int count, int restarts, const double* start) {
    for (int restart = 0; restart <= restarts; ++restart) {
      for (int i = 0; i < count; ++i) {
        double* unit = direction(sought_[i]);
        unit[0] = start[2 * sought_[i]];
        unit[1] = start[2 * sought_[i] + 1];
        for (int turn = 0; turn < restart * (i + 1); ++turn) {
          turn_direction(unit[0], unit[1], 4.0 / 3.0, unit);
        }
      }
      if (follow_newton(count) && opposes_slips(count)) return true;
    }
    return false;
  }

  /// Projected Gauss-Seidel sweeps turn the friction of one contact after the other towards the
  /// opposite of its slip, no further than where it would end this slip. Where the normal impulses
  /// are known, as in expansion, that lowers what friction leaves of the energy; so it comes near
  /// the directions from afar, where Newton's method, which lowers the slips across friction,
  /// ends beside them or at friction along the slip.
  CAROM_HOST_DEVICE bool find_by_sweeps(int count) {
    if (!solve_rows()) return false;
    for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
      for (int i = 0; i < count; ++i) {
        turn_towards_slip(sought_[i]);
        if (!solve_rows()) return false;
      }
      if (sweep % sweeps_between != 0) continue;
      double near[2 * Size::contacts];
      for (int i = 0; i < 2 * contacts(); ++i) near[i] = direction_[i];
      if (follow_newton(count) && opposes_slips(count)) return true;
      for (int i = 0; i < 2 * contacts(); ++i) direction_[i] = near[i];
      if (!solve_rows()) return false;
    }
    return false;
  }

  CAROM_HOST_DEVICE void turn_towards_slip(int contact) {
    const int at = tangent(contact);
    const double a = row(at)[at];
    const double b = row(at + 1)[at];
    const double c = row(at + 1)[at + 1];
    const double half = 0.5 * (a - c);
    const double stiffest = std::fma(0.5, a + c, std::sqrt(std::fma(half, half, b * b)));
    const double reach = friction_[contact] * std::fabs(impulse_[normal(contact)]) * stiffest;
    double slip[2];
    slip_at_end(contact, slip);
    double* unit = direction(contact);
    const double x = std::fma(reach, unit[0], slip[0]);
    const double y = std::fma(reach, unit[1], slip[1]);
    const double length = std::sqrt(std::fma(x, x, y * y));
    if (!(length > 0.0)) return;
    unit[0] = x / length;
    unit[1] = y / length;
  }

  /// Writes the direction of (x, y) + tangent of an angle times the vector at a right angle.
  CAROM_HOST_DEVICE static void turn_direction(double x, double y, double tangent, double* turned) {
    const double new_x = std::fma(-tangent, y, x);
    const double new_y = std::fma(tangent, x, y);
    const double length = std::sqrt(std::fma(new_x, new_x, new_y * new_y));
    turned[0] = new_x / length;
    turned[1] = new_y / length;
  }

  /// Solves the rows and returns the greatest slip across the direction of friction; infinity if
  /// they do not hold.
  CAROM_HOST_DEVICE double direction_error(int count) {
    if (!solve_rows()) return INFINITY;
    double error = 0.0;
    for (int i = 0; i < count; ++i) error = larger(error, std::fabs(slip_across(sought_[i])));
    return error;
  }

  /// Slip at the end of the interval across the direction of friction; 0 where there is no slip.
  CAROM_HOST_DEVICE double slip_across(int contact) const {
    double slip[2];
    slip_at_end(contact, slip);
    if (tangent_length(slip) <= negligible_slip_) return 0.0;
    return cross(direction(contact), slip);
  }

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool follow_newton(int count) {
    const double wanted = wanted_direction * fastest_;
    const double accepted = accepted_direction * fastest_;
    double error = direction_error(count);
    for (int step = 0; step < max_newton_steps; ++step) {
      if (error <= wanted) return true;
      if (!(error < INFINITY)) return false;
      double turn[Size::contacts];
      newton_step(count, turn);
      double before[2 * Size::contacts];
      for (int i = 0; i < 2 * contacts(); ++i) before[i] = direction_[i];
      double part = 1.0;
      double next = INFINITY;
      for (int halving = 0; halving < max_halvings && !(next < error); ++halving, part *= 0.5) {
        for (int i = 0; i < count; ++i) {
          const double* old = before + 2 * sought_[i];
          turn_direction(old[0], old[1], part * turn[i], direction(sought_[i]));
        }
        next = direction_error(count);
      }
      if (!(next < error)) {  // as good as rounding allows, or no way on
        for (int i = 0; i < 2 * contacts(); ++i) direction_[i] = before[i];
        solve_rows();
        return error <= accepted;
      }
      error = next;
    }
    return error <= accepted;
  }

  /// Newton's step for the slips across the directions, as tangents of the turns.
  CAROM_HOST_DEVICE void newton_step(int count, double* turn) {
    LeastNorm<Size::contacts> jacobian(count);
    for (int j = 0; j < count; ++j) {
      double by_turn[Size::impulses];
      impulse_by_turn(sought_[j], by_turn);
      for (int i = 0; i < count; ++i) {
        const int contact = sought_[i];
        const double slip_by_turn[2] = {change(tangent(contact), by_turn),
                                        change(tangent(contact) + 1, by_turn)};
        double entry = cross(direction(contact), slip_by_turn);
        if (i == j) {
          double slip[2];
          slip_at_end(contact, slip);
          entry -= along(contact, slip);
        }
        jacobian.column(j)[i] = entry;
      }
    }
    double right[Size::contacts];
    for (int i = 0; i < count; ++i) right[i] = -slip_across(sought_[i]);
    jacobian.factor();
    jacobian.solve(right, turn);
  }

  /// Derivative of the impulse by the turn of a contact's friction.
  CAROM_HOST_DEVICE void impulse_by_turn(int contact, double* by_turn) {
    for (int i = 0; i < size(); ++i) by_turn[i] = 0.0;
    const double friction = friction_[contact] * impulse_[normal(contact)];
    by_turn[tangent(contact)] = friction * direction(contact)[1];
    by_turn[tangent(contact) + 1] = -friction * direction(contact)[0];
    double right[Size::impulses];
    for (int r = 0; r < system_.size(); ++r) right[r] = -change(unknown_[r], by_turn);
    solve_system(right, by_turn);
  }

  double fastest_;
  double negligible_slip_;      ///< m/s: any direction opposes a slip below
  int sought_[Size::contacts];  ///< contacts whose direction is sought
};

}  // namespace carom::inline CAROM_ISA
