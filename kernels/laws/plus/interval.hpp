#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/bits.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/laws/plus/least_norm.hpp"
#include "kernels/laws/plus/plan.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// What a contact does during a round of the PLUS law.
enum class PlusTask : std::uint8_t {
  observing,    ///< takes no impulse
  compressing,  ///< its approach ends
  expanding,    ///< releases an impulse of known size
};

/// One interval of the PLUS law (Uchida, Sherman & Delp, Algorithm 1): the impulse that would end
/// the round if no slip changed its direction, and the part of it after which the slip does.
/// Impulses are speeds, see StepLcpView; arrays are m (1 + d) long, contact by contact, normal
/// before tangential.
template <class Size>
class PlusInterval {
 public:
  enum class Grip : std::uint8_t {
    none,       ///< the contact observes or was dropped
    sliding,    ///< friction opposes the slip at the start of the interval
    rolling,    ///< no slip at its end
    impending,  ///< friction opposes the slip at its end
  };

  /// @param speed m (1 + d), at the start of the interval, m/s
  /// @param friction m
  /// @param fastest contact speed before the impact, m/s: what rounding is relative to
  /// @param impulse_tolerance violations below count as none
  CAROM_HOST_DEVICE PlusInterval(const StepLcpView& problem, const double* speed,
                                 const double* friction, double fastest, double impulse_tolerance)
      : problem_(problem),
        speed_(speed),
        friction_(friction),
        fastest_(fastest),
        impulse_tolerance_(impulse_tolerance) {}

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
      if (grip_[worst] == Grip::rolling) {
        lose_grip(worst);
      } else {
        drop(worst);
      }
    }
    return false;
  }

  /// m (1 + d), of the whole interval
  CAROM_HOST_DEVICE const double* impulse() const { return impulse_; }
  /// m (1 + d): the change of speeds by it
  CAROM_HOST_DEVICE const double* response() const { return response_; }

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
  static constexpr double residual_tolerance = 1e-8;  ///< of rows, of speeds of at least 1 m/s
  /// The same where the rank is below that of the rows: contact speeds per velocity are roots of
  /// the matrix, whose parts below LeastNorm::rank_tolerance = 1e-9 are left out.
  static constexpr double nearly_redundant = 3.2e-5;
  static constexpr double tie_tolerance = 1e-9;  ///< of violations, relative
  static constexpr double shortest = 1e-6;       ///< least part of an interval
  static constexpr double nearly_whole = 1e-8;
  // Of the slip across the direction of friction, relative to the fastest speed:
  static constexpr double no_slip = 1e-12;           ///< any direction opposes a slip below
  static constexpr double wanted_direction = 1e-14;  ///< Newton's method ends
  static constexpr double accepted_direction = 1e-11;
  static constexpr int max_newton_steps = 40;
  static constexpr int max_halvings = 10;
  static constexpr int max_restarts = 16;
  static constexpr int max_sweeps = 200;
  static constexpr int sweeps_between = 25;  ///< after as many, Newton's method has another try

  CAROM_HOST_DEVICE int contacts() const { return problem_.shape.contacts; }
  CAROM_HOST_DEVICE int dimension() const { return problem_.shape.tangent_dimension; }
  CAROM_HOST_DEVICE int size() const { return problem_.shape.impulses(); }
  CAROM_HOST_DEVICE int normal(int contact) const { return contact * (1 + dimension()); }
  CAROM_HOST_DEVICE int tangent(int contact) const { return normal(contact) + 1; }
  CAROM_HOST_DEVICE const double* row(int i) const { return problem_.delassus() + i * size(); }
  CAROM_HOST_DEVICE double* direction(int contact) { return direction_ + 2 * contact; }
  CAROM_HOST_DEVICE const double* direction(int contact) const { return direction_ + 2 * contact; }
  /// Whether friction at the contact is known by its direction.
  CAROM_HOST_DEVICE bool has_direction(int contact) const {
    return grip_[contact] == Grip::sliding || grip_[contact] == Grip::impending;
  }
  CAROM_HOST_DEVICE bool seeks_direction(int contact) const {
    return grip_[contact] == Grip::impending && friction_[contact] > 0.0;
  }

  CAROM_HOST_DEVICE double tangent_length(const double* vector) const {
    return dimension() == 1 ? std::fabs(vector[0])
                            : std::sqrt(std::fma(vector[0], vector[0], vector[1] * vector[1]));
  }
  CAROM_HOST_DEVICE double along(int contact, const double* vector) const {
    const double* unit = direction(contact);
    return dimension() == 1 ? unit[0] * vector[0]
                            : std::fma(unit[0], vector[0], unit[1] * vector[1]);
  }
  /// The slip at the end of the interval.
  CAROM_HOST_DEVICE void slip_at_end(int contact, double* slip) const {
    const int at = tangent(contact);
    slip[1] = 0.0;
    for (int a = 0; a < dimension(); ++a) slip[a] = speed_[at + a] + response_[at + a];
  }

  CAROM_HOST_DEVICE void begin_contact(int i, PlusTask task, double expansion,
                                       double transition_speed) {
    active_[i] = task == PlusTask::compressing;
    known_[i] = task == PlusTask::expanding ? expansion : 0.0;
    direction(i)[0] = direction(i)[1] = 0.0;
    if (task == PlusTask::observing) {
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

  /// Where contacts are nearly redundant, such as feet almost in a plane that roll, the least norm
  /// leaves speeds that are no rounding: they count as none if nothing else is found.
  CAROM_HOST_DEVICE bool solve_with_grips() {
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

  CAROM_HOST_DEVICE bool find_impulse(int count, int restarts) {
    if (count == 0) return solve_rows();
    return dimension() == 1 ? find_signs(count) : find_directions(count, restarts);
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

  // ---- the linear system with known directions of friction

  /// Solves the rows of compressing normals and rolling tangents; the others' impulses follow.
  /// @return whether the rows hold
  CAROM_HOST_DEVICE bool solve_rows() {
    int count = 0;
    for (int i = 0; i < contacts(); ++i) {
      if (active_[i]) unknown_[count++] = normal(i);
      if (grip_[i] != Grip::rolling) continue;
      for (int a = 0; a < dimension(); ++a) unknown_[count++] = tangent(i) + a;
    }
    system_ = LeastNorm<Size::impulses>(count);
    for (int j = 0; j < count; ++j) write_column(unknown_[j], system_.column(j));
    system_.factor();
    for (int i = 0; i < size(); ++i) impulse_[i] = 0.0;
    for (int i = 0; i < contacts(); ++i) push(i, known_[i], impulse_);
    double right[Size::impulses];
    for (int r = 0; r < count; ++r) {
      right[r] = -speed_[unknown_[r]] - change(unknown_[r], impulse_);
    }
    solve_system(right, impulse_);
    for (int i = 0; i < size(); ++i) response_[i] = change(i, impulse_);
    for (int r = 0; r < count; ++r) {
      const double left = std::fabs(speed_[unknown_[r]] + response_[unknown_[r]]);
      if (!(left <= allowed_residual_)) return false;
    }
    return true;
  }

  /// Change of speed i by an impulse.
  CAROM_HOST_DEVICE double change(int i, const double* impulse) const {
    const double* its = row(i);
    double sum = 0.0;
    for (int j = 0; j < size(); ++j) sum = std::fma(its[j], impulse[j], sum);
    return sum;
  }

  /// Adds a normal impulse with the friction that follows from it.
  CAROM_HOST_DEVICE void push(int contact, double normal_impulse, double* impulse) const {
    impulse[normal(contact)] += normal_impulse;
    if (!has_direction(contact)) return;
    const double friction = friction_[contact] * normal_impulse;
    for (int a = 0; a < dimension(); ++a) {
      impulse[tangent(contact) + a] -= friction * direction(contact)[a];
    }
  }

  /// Length of what an unknown stands for: the least norm is that of the impulse.
  CAROM_HOST_DEVICE double unit_of(int unknown) const {
    const int contact = unknown / (1 + dimension());
    if (unknown != normal(contact) || !has_direction(contact)) return 1.0;
    return std::sqrt(std::fma(friction_[contact], friction_[contact], 1.0));
  }

  CAROM_HOST_DEVICE void write_column(int unknown, double* column) const {
    const int contact = unknown / (1 + dimension());
    const bool slips = unknown == normal(contact) && has_direction(contact);
    const double unit = unit_of(unknown);
    for (int r = 0; r < count_of_rows(); ++r) {
      const double* its = row(unknown_[r]);
      column[r] = its[unknown];
      if (!slips) continue;
      column[r] =
          std::fma(-friction_[contact], along(contact, its + tangent(contact)), column[r]) / unit;
    }
  }
  CAROM_HOST_DEVICE int count_of_rows() const { return system_.size(); }

  /// Adds to `impulse` the solution for a right-hand side, which is overwritten.
  CAROM_HOST_DEVICE void solve_system(double* right, double* impulse) {
    double solution[Size::impulses];
    system_.solve(right, solution);
    for (int j = 0; j < system_.size(); ++j) {
      const int contact = unknown_[j] / (1 + dimension());
      if (unknown_[j] == normal(contact)) {
        push(contact, solution[j] / unit_of(unknown_[j]), impulse);
      } else {
        impulse[unknown_[j]] += solution[j];
      }
    }
  }

  // ---- impending slip

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

  CAROM_HOST_DEVICE static double cross(const double* a, const double* b) {
    return std::fma(a[0], b[1], -(a[1] * b[0]));
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

  CAROM_HOST_DEVICE bool follow_newton(int count) {
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

  // ---- the length of the interval

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

  StepLcpView problem_;
  const double* speed_;
  const double* friction_;
  double fastest_;
  double impulse_tolerance_;
  double allowed_residual_;  ///< of the rows, m/s
  double negligible_slip_;   ///< m/s: any direction opposes a slip below

  Grip grip_[Size::contacts];
  bool active_[Size::contacts];           ///< whether its approach is to end
  double known_[Size::contacts];          ///< normal impulse of an expanding contact
  double direction_[2 * Size::contacts];  ///< that friction opposes
  int last_to_slip_;                      ///< the last contact that lost its grip; -1 if none
  int sought_[Size::contacts];            ///< contacts whose direction is sought
  int unknown_[Size::impulses];           ///< impulses that rows determine; also the rows' numbers
  LeastNorm<Size::impulses> system_;
  double impulse_[Size::impulses];
  double response_[Size::impulses];
};

}  // namespace carom::inline CAROM_ISA
