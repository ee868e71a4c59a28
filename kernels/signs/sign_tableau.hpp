#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/base/bits.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/lcp/row_set.hpp"
#include "kernels/signs/box_form.hpp"
#include "kernels/signs/tableau_remedies.hpp"

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
///
/// It is stored column by column, so that the rows are computed side by side.
template <int MaxCoordinates, int Extra = 0>
class SignTableau {
 public:
  using Box = BoxForm<MaxCoordinates>;
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
    rows_ = size_;
    for (int c = 0; c < size_; ++c) {
      if (!box.is_normal(c)) ++rows_;
    }
    intervals_ = {};
    for (int j = 0; j < columns_; ++j) clear_column(j);
    for (int j = 0; j < Remedies::stride; ++j) below_[j] = above_[j] = 0.0;
    for (int r = rows_; r < groups() * width; ++r) {  // never out of their bounds
      value_[r] = 0.0;
      row_lower_[r] = -INFINITY;
      row_upper_[r] = INFINITY;
    }
    int row = 0;
    for (int c = 0; c < size_; ++c) start_row(row++, speed(c), box.start[c], -INFINITY, INFINITY);
    for (int c = 0; c < size_; ++c) {
      const int normal = box.normal[c];
      const double most =
          c == normal ? box.reach[c] * box.cap[c] : 2.0 * box.friction[c] * box.cap[normal];
      start_column(c, impulse(c), 0.0, most);
      write_speed(box, c);
      if (c == normal) {
        place_[rest(c)] = -1;  // no such variable
        continue;
      }
      at(row, normal) = 2.0 * box.friction[c] / box.reach[normal];
      at(row, c) = -1.0;
      start_row(row++, rest(c), 0.0, 0.0, most);
    }
  }

  /// Moves a basic variable alone: its equation changes.
  CAROM_HOST_DEVICE void nudge(int variable, double change) {
    intervals_ = {};
    value_[row_of(variable)] += change;
  }

  /// Appends a variable, nonbasic and zero, without bounds: the speeds (one slope per coordinate)
  /// are linear in it. Returns the variable.
  CAROM_HOST_DEVICE int add_column(const double* slope) {
    const int column = columns_++;
    const int variable = variables() - 1;
    clear_column(column);
    for (int c = 0; c < size_; ++c) at(row_of(speed(c)), column) = slope[c];
    start_column(column, variable, -INFINITY, INFINITY);
    intervals_ = {};
    return variable;
  }

  // Not the compiler's copy, which moves a third more than what is in use.
  CAROM_HOST_DEVICE void copy(const SignTableau& from) {
    size_ = from.size_;
    columns_ = from.columns_;
    rows_ = from.rows_;
    intervals_ = {};
    const int count = groups() * width;
    for (int j = 0; j < columns_; ++j) {
      for (int r = 0; r < count; ++r) entry_[j][r] = from.entry_[j][r];
      at_[j] = from.at_[j];
      column_lower_[j] = from.column_lower_[j];
      column_upper_[j] = from.column_upper_[j];
      nonbasic_[j] = from.nonbasic_[j];
    }
    for (int j = 0; j < Remedies::stride; ++j) {
      below_[j] = from.below_[j];
      above_[j] = from.above_[j];
    }
    for (int r = 0; r < count; ++r) {
      value_[r] = from.value_[r];
      row_lower_[r] = from.row_lower_[r];
      row_upper_[r] = from.row_upper_[r];
    }
    for (int r = 0; r < rows_; ++r) basic_[r] = from.basic_[r];
    for (int v = 0; v < variables(); ++v) place_[v] = from.place_[v];
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
  CAROM_HOST_DEVICE double entry(int row, int column) const { return entry_[column][row]; }
  CAROM_HOST_DEVICE double value(int variable) const {
    return is_basic(variable) ? value_[row_of(variable)] : at_[column_of(variable)];
  }
  CAROM_HOST_DEVICE double lower(int variable) const {
    return is_basic(variable) ? row_lower_[row_of(variable)] : column_lower_[column_of(variable)];
  }
  CAROM_HOST_DEVICE double upper(int variable) const {
    return is_basic(variable) ? row_upper_[row_of(variable)] : column_upper_[column_of(variable)];
  }
  CAROM_HOST_DEVICE double range(int variable) const { return upper(variable) - lower(variable); }

  /// Bounds of a variable. A nonbasic one moves along if it is outside.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void bound(int variable, double low, double high) {
    if (is_basic(variable)) {
      set(row_lower_, row_of(variable), low);
      set(row_upper_, row_of(variable), high);
      return;
    }
    intervals_ = {};
    const int column = column_of(variable);
    column_lower_[column] = low;
    column_upper_[column] = high;
    measure_room(column);
    const double now = at_[column];
    const double then = now < low ? low : (now > high ? high : now);
    if (then != now) shift(column, then - now, then);
  }

  /// Moves a nonbasic variable by `change`, to `then`.
  CAROM_HOST_DEVICE void shift(int column, double change, double then) {
    intervals_ = {};
    const Group changes = Group::all(change);
    for (int g = 0; g < groups(); ++g) {
      fused(entries(g, column), changes, group_of(value_, g)).store(value_ + g * width);
    }
    at_[column] = then;
    measure_room(column);
  }

  /// The values that a variable can take while the nonbasic ones are within their bounds.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void interval(int variable, double& low, double& high) {
    low = lower(variable);
    high = upper(variable);
    if (!is_basic(variable)) return;
    const int row = row_of(variable);
    if (!intervals_.has(row / width)) compute_intervals(row / width);
    low = larger(low, least_[row]);
    high = smaller(high, most_[row]);
  }

  /// Exchanges a basic and a nonbasic variable. The basic one moves by `change`, to `then`.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void exchange(int row, int column, double change,
                                                    double then) {
    intervals_ = {};
    const double inverse = 1.0 / entry(row, column);
    const double step = change * inverse;
    Group slope[max_groups];  // of the entering variable's column
    for (int g = 0; g < groups(); ++g) {
      slope[g] = entries(g, column);
      Group::all(0.0).store(entry_[column] + g * width);
    }
    for (int j = 0; j < columns_; ++j) {
      const double its = j == column ? inverse : entry(row, j) * -inverse;
      add(slope, its, entry_[j]);
      set(entry_[j], row, its);
    }
    add(slope, step, value_);
    set(value_, row, at_[column] + step);
    at_[column] = then;
    const double lower = row_lower_[row];
    const double upper = row_upper_[row];
    set(row_lower_, row, column_lower_[column]);
    set(row_upper_, row, column_upper_[column]);
    column_lower_[column] = lower;
    column_upper_[column] = upper;
    measure_room(column);
    const std::int16_t leaving = basic_[row];
    const std::int16_t entering = nonbasic_[column];
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
      const bool rise = value_[row] < row_lower_[row];
      const double bound = rise ? row_lower_[row] : row_upper_[row];
      const double lack = std::fabs(bound - value_[row]);
      const auto coefficient = [&](int j) { return rise ? entry(row, j) : -entry(row, j); };
      const Remedies remedies(columns_, coefficient, below_, above_);
      const int column =
          eager ? remedies.largest(least_pivot) : remedies.first(least_pivot, nonbasic_);
      if (!remedies.suffice(column, lack - tolerance)) return Repair::infeasible;
      if (column < 0) return Repair::open;
      const double low = column_lower_[column];
      const double high = column_upper_[column];
      if (eager && remedies.size(column) * (high - low) < lack) {
        const double other = at_[column] == low ? high : low;
        shift(column, other - at_[column], other);
      } else {
        exchange(row, column, bound - value_[row], bound);
        ++exchanges;
      }
    }
    return Repair::open;
  }

 private:
  using Remedies = TableauRemedies<max_columns>;
  using Group = Lanes<double, row_lanes<double, max_rows>>;
  static constexpr int width = sizeof(Group) / sizeof(double);
  static constexpr int max_groups = (max_rows + width - 1) / width;
  static constexpr int row_stride = max_groups * width;

  /// Number of groups of rows in use.
  CAROM_HOST_DEVICE int groups() const { return (rows_ + width - 1) / width; }
  CAROM_HOST_DEVICE static Group group_of(const double* rows, int group) {
    return Group::load(rows + group * width);
  }
  CAROM_HOST_DEVICE Group entries(int group, int column) const {
    return group_of(entry_[column], group);
  }
  CAROM_HOST_DEVICE double& at(int row, int column) { return entry_[column][row]; }

  /// Sets a number per row. Storing it alone into a vector that is loaded soon afterwards would
  /// stall the processor.
  CAROM_HOST_DEVICE static void set(double* rows, int row, double number) {
    const int group = row / width;
    Group::select(Group::is_lane(row - group * width), Group::all(number), group_of(rows, group))
        .store(rows + group * width);
  }

  /// Adds a multiple of a column to `rows`.
  CAROM_HOST_DEVICE void add(const Group* column, double factor, double* rows) const {
    if (width == 1 && factor == 0.0) return;
    const Group factors = Group::all(factor);
    for (int g = 0; g < groups(); ++g) {
      fused(column[g], factors, group_of(rows, g)).store(rows + g * width);
    }
  }

  /// What the rows of a group can be while the nonbasic variables are within their bounds.
  CAROM_HOST_DEVICE void compute_intervals(int group) {
    const Group zero = Group::all(0.0);
    Group least = group_of(value_, group);
    Group most = least;
    for (int j = 0; j < columns_; ++j) {
      const Group t = entries(group, j);
      if (width == 1 && t.first() == 0.0) continue;
      const Group below = Group::all(below_[j]);
      const Group above = Group::all(above_[j]);
      const auto rises = zero < t;
      least = fused(t, Group::select(rises, below, above), least);
      most = fused(t, Group::select(rises, above, below), most);
    }
    least.store(least_ + group * width);
    most.store(most_ + group * width);
    intervals_.add(1, group);
  }

  CAROM_HOST_DEVICE void clear_column(int column) {
    for (int r = 0; r < groups() * width; ++r) entry_[column][r] = 0.0;
  }

  CAROM_HOST_DEVICE void start_row(int row, int variable, double value, double low, double high) {
    basic_[row] = static_cast<std::int16_t>(variable);
    place_[variable] = static_cast<std::int16_t>(row);
    value_[row] = value;
    row_lower_[row] = low;
    row_upper_[row] = high;
  }

  CAROM_HOST_DEVICE void start_column(int column, int variable, double low, double high) {
    nonbasic_[column] = static_cast<std::int16_t>(variable);
    place_[variable] = static_cast<std::int16_t>(-1 - column);
    at_[column] = 0.0;
    column_lower_[column] = low;
    column_upper_[column] = high;
    measure_room(column);
  }

  /// Infinite distances become finite: zero times them shall be zero.
  CAROM_HOST_DEVICE void measure_room(int column) {
    constexpr double longest = std::numeric_limits<double>::max();
    below_[column] = larger(column_lower_[column] - at_[column], -longest);
    above_[column] = smaller(column_upper_[column] - at_[column], longest);
  }

  CAROM_HOST_DEVICE void write_speed(const Box& box, int c) {
    const double* const its = box.matrix + c * size_;
    for (int i = 0; i < box.contacts; ++i) {
      const int normal = box.first[i];
      double push = its[normal];  // of the normal x, each friction at its most
      for (int j = normal + 1; j < box.first[i + 1]; ++j) {
        push = std::fma(box.friction[j], its[j], push);
        at(c, j) = -its[j];
      }
      at(c, normal) = push / box.reach[normal];
    }
  }

  /// The row most out of its bounds, or the one of the first variable; -1 if none is.
  CAROM_HOST_DEVICE int row_out_of_bounds(double tolerance, bool worst) const {
    Group room[max_groups];  // how far a row is within its bounds
    Group narrowest = Group::all(INFINITY);
    for (int g = 0; g < groups(); ++g) {
      const Group value = group_of(value_, g);
      room[g] = smaller(value - group_of(row_lower_, g), group_of(row_upper_, g) - value);
      narrowest = smaller(room[g], narrowest);
    }
    const Group least = least_of_all(narrowest);
    if (!(least.first() < -tolerance)) return -1;
    int found = -1;
    for (int g = 0; g < groups(); ++g) {
      std::uint32_t bits =
          worst ? Group::at_most(room[g], least) : Group::below(room[g], Group::all(-tolerance));
      for (; bits != 0; bits &= bits - 1) {
        const int row = g * width + lowest_bit(bits);
        if (worst) return row;
        if (found < 0 || basic_[row] < basic_[found]) found = row;
      }
    }
    return found;
  }

  int size_;  // coordinates
  int columns_;
  int rows_;
  std::int16_t basic_[max_rows];
  std::int16_t nonbasic_[max_columns];
  std::int16_t place_[max_variables];  // row, or -1 - column
  double at_[max_columns];             // of the nonbasic variables: value and bounds
  double column_lower_[max_columns];
  double column_upper_[max_columns];
  alignas(64) double below_[Remedies::stride];  // from the value to the bounds: <= 0
  alignas(64) double above_[Remedies::stride];  // >= 0
  alignas(Group) double value_[row_stride];     // of the basic ones
  alignas(Group) double row_lower_[row_stride];
  alignas(Group) double row_upper_[row_stride];
  alignas(Group) double least_[row_stride];  // intervals, computed group by group
  alignas(Group) double most_[row_stride];
  RowSet<max_groups> intervals_;  // groups whose intervals are those of now
  alignas(Group) double entry_[max_columns][row_stride];
};

}  // namespace carom::inline CAROM_ISA
