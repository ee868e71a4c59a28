#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/base/lanes.hpp"
#include "kernels/signs/box_form.hpp"

namespace carom::inline CAROM_ISA {

enum class Repair {
  feasible,
  infeasible,
  open,  ///< the limit was met, or an exchange would divide by rounding errors
};

/// A step in box form as a dense tableau of bounded variables: the basic ones are linear in the
/// nonbasic ones, each of which is at one of its bounds. There is no objective; repair() looks for
/// values that keep all bounds.
///
/// Variables, for coordinate c of N: `impulse(c)`, of a normal its x times the contact's reach, of
/// a friction how much x lies below its most; `speed(c)`; and of a friction `rest(c)`, how much x
/// lies above its least. Impulses are nonbasic at first, one column each. `Extra` further columns
/// are left to the user.
template <int MaxCoordinates, int Extra = 0>
class SignTableau {
 public:
  using Box = BoxForm<MaxCoordinates>;
  using Group = Lanes<double, row_lanes<double, 4>>;
  static constexpr int width = sizeof(Group) / sizeof(double);
  static constexpr int max_columns = MaxCoordinates + Extra;
  static constexpr int max_rows = 2 * MaxCoordinates;
  static constexpr int max_variables = 3 * MaxCoordinates + Extra;
  /// Coefficients below this are never divided by: after hundreds of exchanges, rounding leaves
  /// less.
  static constexpr double least_pivot = 1e-9;
  /// Repair mends the worst row first; after this many turns, in case it cycles, by Bland's rule.
  static constexpr int eager_turns = 60;
  static constexpr int most_turns = 400;

  /// The tableau of a step; everything is at its lower bound.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void start(const Box& box) {
    size_ = box.coordinates();
    columns_ = size_;
    stride_ = (size_ + Extra + 3) / 4 * 4;
    rows_ = 0;
    for (int c = 0; c < size_; ++c) add_speed(box, c);
    for (int c = 0; c < size_; ++c) {
      if (!box.is_normal(c)) add_rest(box, c);
    }
    for (int c = 0; c < size_; ++c) {
      const int normal = box.normal[c];
      const double most =
          c == normal ? box.reach[c] * box.cap[c] : 2.0 * box.friction[c] * box.cap[normal];
      nonbasic_[c] = static_cast<std::int16_t>(impulse(c));
      place_[impulse(c)] = static_cast<std::int16_t>(-1 - c);
      at_[c] = 0.0;
      lower_[impulse(c)] = lower_[rest(c)] = 0.0;
      upper_[impulse(c)] = upper_[rest(c)] = most;
      if (c == normal) place_[rest(c)] = -1;  // no such variable
    }
  }

  /// Moves a basic variable alone: its equation changes.
  CAROM_HOST_DEVICE void nudge(int variable, double change) { value_[row_of(variable)] += change; }

  /// Appends a variable, nonbasic and zero, without bounds: the speeds (one slope per coordinate)
  /// are linear in it. Returns the variable.
  CAROM_HOST_DEVICE int add_column(const double* slope) {
    const int column = columns_++;
    const int variable = variables() - 1;
    for (int c = 0; c < size_; ++c) entry_[row_of(speed(c)) * stride_ + column] = slope[c];
    nonbasic_[column] = static_cast<std::int16_t>(variable);
    place_[variable] = static_cast<std::int16_t>(-1 - column);
    at_[column] = 0.0;
    lower_[variable] = -INFINITY;
    upper_[variable] = INFINITY;
    return variable;
  }

  // Not the compiler's copy, which moves a third more than what is in use.
  CAROM_HOST_DEVICE void copy(const SignTableau& from) {
    size_ = from.size_;
    columns_ = from.columns_;
    rows_ = from.rows_;
    stride_ = from.stride_;
    for (int i = 0; i < rows_ * stride_; ++i) entry_[i] = from.entry_[i];
    for (int r = 0; r < rows_; ++r) {
      value_[r] = from.value_[r];
      basic_[r] = from.basic_[r];
    }
    for (int j = 0; j < columns_; ++j) {
      at_[j] = from.at_[j];
      nonbasic_[j] = from.nonbasic_[j];
    }
    for (int v = 0; v < variables(); ++v) {
      place_[v] = from.place_[v];
      lower_[v] = from.lower_[v];
      upper_[v] = from.upper_[v];
    }
  }

  CAROM_HOST_DEVICE int impulse(int coordinate) const { return coordinate; }
  CAROM_HOST_DEVICE int speed(int coordinate) const { return size_ + coordinate; }
  CAROM_HOST_DEVICE int rest(int coordinate) const { return 2 * size_ + coordinate; }
  CAROM_HOST_DEVICE int variables() const { return 3 * size_ + columns_ - size_; }

  CAROM_HOST_DEVICE int rows() const { return rows_; }
  CAROM_HOST_DEVICE int columns() const { return columns_; }
  CAROM_HOST_DEVICE bool is_basic(int variable) const { return place_[variable] >= 0; }
  CAROM_HOST_DEVICE int row_of(int variable) const { return place_[variable]; }
  CAROM_HOST_DEVICE int column_of(int variable) const { return -1 - place_[variable]; }
  CAROM_HOST_DEVICE int basic(int row) const { return basic_[row]; }
  CAROM_HOST_DEVICE int nonbasic(int column) const { return nonbasic_[column]; }
  CAROM_HOST_DEVICE double entry(int row, int column) const {
    return entry_[row * stride_ + column];
  }
  CAROM_HOST_DEVICE double value(int variable) const {
    return is_basic(variable) ? value_[row_of(variable)] : at_[column_of(variable)];
  }
  CAROM_HOST_DEVICE double lower(int variable) const { return lower_[variable]; }
  CAROM_HOST_DEVICE double upper(int variable) const { return upper_[variable]; }
  CAROM_HOST_DEVICE double range(int variable) const { return upper_[variable] - lower_[variable]; }

  /// Bounds of a variable. A nonbasic one moves along if it is outside.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void bound(int variable, double low, double high) {
    lower_[variable] = low;
    upper_[variable] = high;
    if (is_basic(variable)) return;
    const int column = column_of(variable);
    const double now = at_[column];
    const double then = now < low ? low : (now > high ? high : now);
    if (then != now) shift(column, then - now, then);
  }

  /// Moves a nonbasic variable by `change`, to `then`.
  CAROM_HOST_DEVICE void shift(int column, double change, double then) {
    for (int r = 0; r < rows_; ++r) value_[r] = std::fma(entry(r, column), change, value_[r]);
    at_[column] = then;
  }

  /// The values that a variable can take while the nonbasic ones are within their bounds.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void interval(int variable, double& low, double& high) const {
    low = lower_[variable];
    high = upper_[variable];
    if (!is_basic(variable)) return;
    const int row = row_of(variable);
    double least = value_[row];
    double most = value_[row];
    for (int j = 0; j < columns_; ++j) {
      const double t = entry(row, j);
      if (t == 0.0) continue;
      const double down = lower_[nonbasic_[j]] - at_[j];
      const double up = upper_[nonbasic_[j]] - at_[j];
      least = std::fma(t, t > 0.0 ? down : up, least);
      most = std::fma(t, t > 0.0 ? up : down, most);
    }
    low = larger(low, least);
    high = smaller(high, most);
  }

  /// Exchanges a basic and a nonbasic variable. The basic one moves by `change`, to `then`.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void exchange(int row, int column, double change,
                                                    double then) {
    double* const pivot_row = entry_ + row * stride_;
    const double inverse = 1.0 / pivot_row[column];
    const double step = change * inverse;
    pivot_row[column] = -1.0;
    const Group scale = Group::all(-inverse);
    for (int k = 0; k < stride_; k += width) {
      (Group::load(pivot_row + k) * scale).store(pivot_row + k);
    }
    for (int r = 0; r < rows_; ++r) {
      if (r == row) continue;
      double* const its = entry_ + r * stride_;
      const double slope = its[column];
      if (slope == 0.0) continue;
      its[column] = 0.0;
      value_[r] = std::fma(slope, step, value_[r]);
      const Group slopes = Group::all(slope);
      for (int k = 0; k < stride_; k += width) {
        fused(slopes, Group::load(pivot_row + k), Group::load(its + k)).store(its + k);
      }
    }
    const std::int16_t leaving = basic_[row];
    const std::int16_t entering = nonbasic_[column];
    value_[row] = at_[column] + step;
    at_[column] = then;
    basic_[row] = entering;
    nonbasic_[column] = leaving;
    place_[entering] = static_cast<std::int16_t>(row);
    place_[leaving] = static_cast<std::int16_t>(-1 - column);
  }

  /// Looks for values within all bounds, up to `tolerance`.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE Repair repair(double tolerance, int& exchanges) {
    for (int turn = 0; turn < most_turns; ++turn) {
      const bool eager = turn < eager_turns;
      const int row = row_out_of_bounds(tolerance, eager);
      if (row < 0) return Repair::feasible;
      const int variable = basic_[row];
      const bool rise = value_[row] < lower_[variable];
      const double bound = rise ? lower_[variable] : upper_[variable];
      const double lack = std::fabs(bound - value_[row]);
      double within_reach = 0.0;
      double best = 0.0;
      int column = -1;
      for (int j = 0; j < columns_; ++j) {
        const int its = nonbasic_[j];
        const double t = rise ? entry(row, j) : -entry(row, j);
        const double room = t > 0.0 ? upper_[its] - at_[j] : at_[j] - lower_[its];
        if (t == 0.0 || room <= 0.0) continue;
        const double size = std::fabs(t);
        within_reach = std::fma(size, room, within_reach);
        if (size < least_pivot) continue;
        if (eager ? size > best : column < 0 || its < nonbasic_[column]) {
          best = size;
          column = j;
        }
      }
      if (within_reach < lack - tolerance) return Repair::infeasible;
      if (column < 0) return Repair::open;
      const int entering = nonbasic_[column];
      if (eager && best * range(entering) < lack) {
        const double other = at_[column] == lower_[entering] ? upper_[entering] : lower_[entering];
        shift(column, other - at_[column], other);
      } else {
        exchange(row, column, bound - value_[row], bound);
        ++exchanges;
      }
    }
    return Repair::open;
  }

 private:
  CAROM_HOST_DEVICE double* new_row(int variable, double value) {
    basic_[rows_] = static_cast<std::int16_t>(variable);
    place_[variable] = static_cast<std::int16_t>(rows_);
    value_[rows_] = value;
    double* const row = entry_ + rows_++ * stride_;
    for (int k = 0; k < stride_; ++k) row[k] = 0.0;
    return row;
  }

  CAROM_HOST_DEVICE void add_speed(const Box& box, int c) {
    double* const row = new_row(speed(c), box.start[c]);
    const double* const its = box.matrix + c * size_;
    for (int i = 0; i < box.contacts; ++i) {
      const int normal = box.first[i];
      double push = its[normal];  // of the normal x, each friction at its most
      for (int j = normal + 1; j < box.first[i + 1]; ++j) {
        push = std::fma(box.friction[j], its[j], push);
        row[j] = -its[j];
      }
      row[normal] = push / box.reach[normal];
    }
    lower_[speed(c)] = -INFINITY;
    upper_[speed(c)] = INFINITY;
  }

  CAROM_HOST_DEVICE void add_rest(const Box& box, int c) {
    double* const row = new_row(rest(c), 0.0);
    row[box.normal[c]] = 2.0 * box.friction[c] / box.reach[box.normal[c]];
    row[c] = -1.0;
  }

  /// The row most out of its bounds, or the one of the first variable; -1 if none is.
  CAROM_HOST_DEVICE int row_out_of_bounds(double tolerance, bool worst) const {
    int found = -1;
    double most = tolerance;
    for (int r = 0; r < rows_; ++r) {
      const int its = basic_[r];
      const double out = larger(lower_[its] - value_[r], value_[r] - upper_[its]);
      if (!(out > (worst ? most : tolerance))) continue;
      if (!worst && found >= 0 && its > basic_[found]) continue;
      most = out;
      found = r;
    }
    return found;
  }

  int size_;  // coordinates
  int columns_;
  int rows_;
  int stride_;  // of entry_, in whole groups of the widest vectors
  std::int16_t basic_[max_rows];
  std::int16_t nonbasic_[max_columns];
  std::int16_t place_[max_variables];  // row, or -1 - column
  double value_[max_rows];             // of the basic variables
  double at_[max_columns];             // of the nonbasic ones
  double lower_[max_variables];
  double upper_[max_variables];
  alignas(64) double entry_[max_rows * ((max_columns + 3) / 4 * 4)];
};

}  // namespace carom::inline CAROM_ISA
