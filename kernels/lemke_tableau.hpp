#pragma once

#include <cmath>

#include "kernels/double_double.hpp"
#include "kernels/lanes.hpp"
#include "kernels/lcp_view.hpp"
#include "kernels/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// The condensed tableau of Lemke's method, of at most MaxSize rows: the dictionary
/// `basic = entry * nonbasic + constant`, in place and column by column, so that the rows of a
/// column are computed side by side. Variable ids are j for y_j, size + j for z_j, 2 size for the
/// covering variable. Where z_j has reached its bound it is reflected: bound - z_j takes its place,
/// and -y_j that of y_j.
///
/// The lexicographic perturbation (e, e^2, ...) of bounds and constants is never stored: its
/// coefficients are those of the tableau's own columns.
///
/// With Inputs > 0 the tableau carries not the constants but their map of so many inputs, and
/// computes the constants where they are needed. A path of pivots then leaves the same bits in the
/// tableau whatever the inputs. A tableau for Whole problems only, of which all of MaxSize unknowns
/// take part and a quarter has bounds, has loops of known length.
template <int MaxSize, class Real, int Inputs, bool Whole>
class LemkeTableau {
 public:
  static constexpr int width = row_lanes<Real, MaxSize>;
  using Group = Lanes<Real, width>;
  static constexpr int rows = (MaxSize + width - 1) / width * width;
  static constexpr int max_bounded = MaxSize / 4;  // of step LCPs: m of (2 + k) m
  /// The last columns hold the constants, or their map of the inputs.
  static constexpr int constant_column = MaxSize + 1;

  CAROM_HOST_DEVICE void fill(const LcpView& lcp, double cancellation) {
    size_ = lcp.size;
    bounded_ = lcp.bounded;
    cancellation_ = cancellation;
    pivots_ = 0;
    for (int i = 0; i < size(); ++i) {
      index_[i] = lcp.index == nullptr ? static_cast<short>(i) : lcp.index[i];
    }
    const bool whole = Whole || lcp.index == nullptr;
    for (int j = 0; j < size(); ++j) {
      fill_column(lcp.matrix + index_[j] * lcp.stride, whole, entry_[j]);
      if constexpr (sizeof(Real) > sizeof(double)) {
        if (lcp.matrix_low != nullptr) {
          const double* low = lcp.matrix_low + index_[j] * lcp.stride;
          for (int i = 0; i < size(); ++i) {
            entry_[j][i] = Real(rounded(entry_[j][i]), low[index_[i]]);
          }
        }
      }
    }
    fill_column(lcp.cover, whole, entry_[size()]);
    if constexpr (Inputs == 0) {
      fill_column(lcp.constant, whole, entry_[constant_column]);
    } else {
      for (int c = 0; c < Inputs; ++c) {
        if (c < lcp.inputs) {
          input_[c] = static_cast<Real>(lcp.input[c]);
          fill_column(lcp.input_map + c * lcp.stride, whole, entry_[constant_column + c]);
        } else {
          input_[c] = Real(0.0);
          for (int i = 0; i < rows; ++i) entry_[constant_column + c][i] = Real(0.0);
        }
      }
    }
    for (int j = 0; j < bounded(); ++j) {
      if constexpr (Inputs == 0) bound_[j] = static_cast<Real>(lcp.bound[index_[j]]);
      bound_cover_[j] = static_cast<Real>(lcp.bound_cover[index_[j]]);
      reflected_[j] = false;
    }
    for (int i = 0; i < size(); ++i) {
      basic_[i] = static_cast<short>(i);
      nonbasic_[i] = static_cast<short>(size() + i);
      place_[i] = static_cast<short>(-1 - i);
      place_[size() + i] = static_cast<short>(i);
    }
    nonbasic_[size()] = static_cast<short>(covering());
    place_[covering()] = static_cast<short>(size());
  }

  CAROM_HOST_DEVICE int size() const { return Whole ? MaxSize : size_; }
  CAROM_HOST_DEVICE int bounded() const { return Whole ? max_bounded : bounded_; }
  /// Groups of rows to compute.
  CAROM_HOST_DEVICE int groups() const {
    return large ? (size() + width - 1) / width : rows / width;
  }
  CAROM_HOST_DEVICE int pivots() const { return pivots_; }
  CAROM_HOST_DEVICE int covering() const { return 2 * size(); }
  CAROM_HOST_DEVICE int complement(int id) const { return id < size() ? id + size() : id - size(); }
  CAROM_HOST_DEVICE int basic(int row) const { return basic_[row]; }
  CAROM_HOST_DEVICE int column_of_id(int id) const { return place_[id]; }
  CAROM_HOST_DEVICE int row_of_id(int id) const { return place_[id] < 0 ? -1 - place_[id] : -1; }
  /// The row of z_j; -1 if it is not basic.
  CAROM_HOST_DEVICE int row_of(int j) const { return row_of_id(size() + j); }
  CAROM_HOST_DEVICE bool is_reflected(int j) const { return j < bounded() && reflected_[j]; }
  CAROM_HOST_DEVICE Real entry(int row, int column) const { return entry_[column][row]; }
  CAROM_HOST_DEVICE Group entries(int group, int column) const {
    return Group::load(entry_[column] + group * width);
  }

  /// The constants of a group of rows.
  CAROM_HOST_DEVICE Group constants(int group) const {
    Group sum = Group::load(entry_[constant_column] + group * width);
    if constexpr (Inputs > 0) {
      sum = sum * Group::all(input_[0]);
      for (int c = 1; c < Inputs; ++c) {
        sum = fused(Group::load(entry_[constant_column + c] + group * width), Group::all(input_[c]),
                    sum);
      }
    }
    return sum;
  }

  /// Writes the final basis' z at the unknowns' own indices; negative noise becomes zero.
  CAROM_HOST_DEVICE void solution(double* z) const {
    for (int j = 0; j < size(); ++j) {
      double value = row_of(j) >= 0 ? rounded(entry_[constant_column][row_of(j)]) : 0.0;
      if (is_reflected(j)) value = rounded(bound_[j]) - value;
      z[index_[j]] = larger(value, 0.0);
    }
  }

  /// Whether the room that the j-th unknown has below its bound depends on what enters in `column`.
  CAROM_HOST_DEVICE bool has_room(int j, int column) const {
    return row_of(j) >= 0 || nonbasic_[column] == size() + j;
  }

  /// The room that the j-th unknown has below its bound, as a row of the tableau: its entry in
  /// `column`. The bound itself grows with the covering variable.
  CAROM_HOST_DEVICE Real room(int j, int column) const {
    const Real* entries = entry_[column];
    Real most = bound_cover_[j] * entries[row_of_id(covering())];
    if constexpr (Inputs == 0) {
      if (column == constant_column) most = most + bound_[j];
    } else {
      if (column == constant_column + index_[j]) most = most + Real(1.0);
    }
    const int row = row_of(j);
    if (row >= 0) return difference(most, entries[row]);
    return column == place_[size() + j] ? most - Real(1.0) : most;
  }

  CAROM_HOST_DEVICE Real room_constant(int j) const {
    Real sum = room(j, constant_column);
    if constexpr (Inputs > 0) {
      sum = sum * input_[0];
      for (int c = 1; c < Inputs; ++c) {
        sum = multiply_add(room(j, constant_column + c), input_[c], sum);
      }
    }
    return sum;
  }

  /// How a row's constant grows with bound j, for j < bounded, then with constant j - bounded.
  CAROM_HOST_DEVICE Real perturbation(int row, int j) const {
    const bool of_bound = j < bounded();
    if (of_bound && !reflected_[j]) return Real(0.0);
    const int id = of_bound ? size() + j : j - bounded();
    const int place = place_[id];
    const bool opposite = !of_bound && is_reflected(id);
    if (place >= 0) return opposite ? entry_[place][row] : -entry_[place][row];
    if (row != -1 - place) return Real(0.0);
    return Real(opposite ? -1.0 : 1.0);
  }

  CAROM_HOST_DEVICE Real room_perturbation(int unknown, int j) const {
    Real growth = bound_cover_[unknown] * perturbation(row_of_id(covering()), j);
    if (j == unknown) growth = growth + Real(1.0);
    return row_of(unknown) < 0 ? growth : growth - perturbation(row_of(unknown), j);
  }

  CAROM_HOST_DEVICE void pivot(int row, int column) {
    exchange(column, row, Real(1.0) / entry_[column][row], [&](int j) { return entry_[j][row]; });
    const short leaving = basic_[row];
    basic_[row] = nonbasic_[column];
    nonbasic_[column] = leaving;
    place_[basic_[row]] = static_cast<short>(-1 - row);
    place_[leaving] = static_cast<short>(column);
  }

  /// The j-th unknown reaches its bound and is reflected. Where it is basic, it leaves; where it is
  /// the one that enters, it stays nonbasic, at the other end.
  CAROM_HOST_DEVICE void pivot_at_bound(int j, int column) {
    const int row = row_of(j);
    if (row >= 0) {
      for (int c = 0; c <= size(); ++c) entry_[c][row] = room(j, c);
      for (int c = 0; c < last_columns; ++c) {
        entry_[constant_column + c][row] = room(j, constant_column + c);
      }
    } else {
      // Its room is no row of the tableau, but is exchanged as if it were.
      exchange(column, -1, Real(1.0) / room(j, column), [&](int c) { return room(j, c); });
    }
    Real* opposite = entry_[place_[j]];
    for (int i = 0; i < rows; ++i) opposite[i] = -opposite[i];
    reflected_[j] = !reflected_[j];
    if (row >= 0) pivot(row, column);
  }

 private:
  static constexpr int last_columns = Inputs == 0 ? 1 : Inputs;
  // From this size on, only the rows in use are computed, and testing a column for a zero in the
  // pivot's row costs less than it saves.
  static constexpr bool large = MaxSize > 30 || width == 1;

  CAROM_HOST_DEVICE void fill_column(const double* source, bool whole, Real* column) const {
    if (whole && size() == MaxSize) {
      for (int i = 0; i < MaxSize; ++i) column[i] = static_cast<Real>(source[i]);
      for (int i = MaxSize; i < rows; ++i) column[i] = Real(0.0);
      return;
    }
    for (int i = 0; i < size(); ++i) column[i] = static_cast<Real>(source[index_[i]]);
    for (int i = size(); i < rows; ++i) column[i] = Real(0.0);
  }

  /// a - b, zero where only noise is left.
  CAROM_HOST_DEVICE Real difference(Real a, Real b) const {
    const Real result = a - b;
    const bool noise = std::fabs(rounded(result)) < cancellation_ * std::fabs(rounded(a));
    return noise ? Real(0.0) : result;
  }

  /// Exchanges the variable of `column` for that of a row whose entry in column j is pivot_row(j);
  /// `row` is the row's number, or -1 if it is none of the tableau's.
  template <class PivotRow>
  CAROM_HOST_DEVICE void exchange(int column, int row, Real inverse, PivotRow&& pivot_row) {
    Real* slope = entry_[column];
    // Entries of the pivot's row are put in by selection where vectors are wide: a single number
    // stored into a vector that is loaded soon stalls the processor.
    typename Group::Mask is_row[rows / width];
    Group slopes[rows / width];
    for (int g = 0; g < groups(); ++g) {
      is_row[g] = Group::is_lane(row - g * width);
      slopes[g] = Group::load(slope + g * width);
    }
    const Group cancellation = Group::all(static_cast<Real>(cancellation_));
    const Group zero = Group::all(Real(0.0));
    const auto update = [&](int j) {
      const Real entry = pivot_row(j);
      if (large && rounded(entry) == 0.0) return;
      const Group step = Group::all(entry * -inverse);
      Real* other = entry_[j];
      for (int g = 0; g < groups(); ++g) {
        const Group old = Group::load(other + g * width);
        Group updated = fused(slopes[g], step, old);
        const auto noise = magnitude(updated) < cancellation * magnitude(old);
        updated = Group::select(noise, zero, updated);
        Group::select(is_row[g], step, updated).store(other + g * width);
      }
    };
    if constexpr (Whole) {  // the pivot's column, too, whose number the compiler does not know
      for (int j = 0; j <= size(); ++j) update(j);
    } else {
      for (int j = 0; j < column; ++j) update(j);
      for (int j = column + 1; j <= size(); ++j) update(j);
    }
    for (int c = 0; c < last_columns; ++c) update(constant_column + c);
    const Group inverses = Group::all(inverse);
    for (int g = 0; g < groups(); ++g) {
      Group::select(is_row[g], inverses, slopes[g] * inverses).store(slope + g * width);
    }
    ++pivots_;
  }

  Real entry_[constant_column + last_columns][rows];  // column, row
  Real input_[last_columns];
  Real bound_[max_bounded];
  Real bound_cover_[max_bounded];
  bool reflected_[max_bounded];
  short index_[MaxSize];          // row and column at start -> unknown of the problem
  short basic_[MaxSize];          // row -> variable id
  short nonbasic_[MaxSize + 1];   // column -> variable id
  short place_[2 * MaxSize + 1];  // variable id -> column, or -1 - row where basic
  int size_;
  int bounded_;
  int pivots_;
  double cancellation_;
};

}  // namespace carom::inline CAROM_ISA
