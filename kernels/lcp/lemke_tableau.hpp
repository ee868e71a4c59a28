#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/base/team.hpp"
#include "kernels/lcp/lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// The condensed tableau of Lemke's method, of at most MaxSize rows: the dictionary `basic = entry
/// * nonbasic + constant`, stored in place and column by column, so that the rows of a column are
/// computed side by side. Variable ids are j for y_j, size + j for z_j, 2 size for the covering
/// variable. If z_j has reached its bound, it is reflected: bound - z_j replaces z_j, and -y_j
/// replaces y_j.
///
/// The lexicographic perturbation (e, e^2, ...) of bounds and constants is never stored: its
/// coefficients are those of the tableau's own columns.
///
/// Only the constants follow every exchange immediately. Any other column is updated when it is
/// needed, by the exchanges that it missed (the eta file of a product form), with the same
/// operations and hence the same bits: most columns are needed once or never. Therefore the arrays
/// of the LcpView must exist until the last update of a column, growth_with() included. A team of
/// threads updates all columns at once instead, each thread some of them.
///
/// With Inputs > 0 the tableau does not store the constants but their map from this many inputs,
/// and computes the constants when they are needed. The tableau's bits then depend on the pivot
/// path only, not on the inputs. A tableau for Whole problems, where all MaxSize unknowns are in
/// use and a quarter of them has bounds, has loops of known length.
/// @tparam Team the threads that share the tableau; they call its functions together
template <int MaxSize, class Real, int Inputs, bool Whole, class Team = SoleThread>
class LemkeTableau {
 public:
  static constexpr int width = Team::template width<Real, MaxSize>;
  using Group = typename Team::template Group<Real, MaxSize>;
  static constexpr int rows = (MaxSize + width - 1) / width * width;
  static constexpr int max_bounded = MaxSize / 4;  // of step LCPs: m of (2 + k) m
  /// The last columns hold the constants, or their map from the inputs.
  static constexpr int constant_column = MaxSize + 1;

  CAROM_HOST_DEVICE void fill(const LcpView& lcp, double cancellation) {
    Team::once([&] {
      size_ = lcp.size;
      bounded_ = lcp.bounded;
      cancellation_ = cancellation;
      pivots_ = 0;
      lcp_ = lcp;
      exchanges_ = 0;
      nonbasic_[size()] = static_cast<short>(covering());
      place_[covering()] = static_cast<short>(size());
      done_[size()] = unfilled;
    });
    Team::each(size(), [&](int i) {
      index_[i] = lcp.index == nullptr ? static_cast<short>(i) : lcp.index[i];
      basic_[i] = static_cast<short>(i);
      nonbasic_[i] = static_cast<short>(size() + i);
      place_[i] = static_cast<short>(-1 - i);
      place_[size() + i] = static_cast<short>(i);
      done_[i] = unfilled;
    });
    const bool whole = Whole || lcp.index == nullptr;
    if constexpr (is_shared) {
      for (int c = 0; c <= size(); ++c) fill_entries(c);
    }
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
    Team::each(bounded(), [&](int j) {
      if constexpr (Inputs == 0) bound_[j] = static_cast<Real>(lcp.bound[index_[j]]);
      bound_cover_[j] = static_cast<Real>(lcp.bound_cover[index_[j]]);
      reflected_[j] = false;
    });
  }

  CAROM_HOST_DEVICE int size() const { return Whole ? MaxSize : size_; }
  CAROM_HOST_DEVICE int bounded() const { return Whole ? max_bounded : bounded_; }
  /// Number of groups of rows to compute.
  CAROM_HOST_DEVICE int groups() const {
    return large ? (size() + width - 1) / width : rows / width;
  }
  CAROM_HOST_DEVICE int pivots() const { return pivots_; }
  CAROM_HOST_DEVICE int covering() const { return 2 * size(); }
  CAROM_HOST_DEVICE int complement(int id) const { return id < size() ? id + size() : id - size(); }
  /// The row that the covering variable entered; the variable stays in it.
  CAROM_HOST_DEVICE int covering_row() const { return covering_row_; }
  CAROM_HOST_DEVICE int basic(int row) const { return basic_[row]; }
  CAROM_HOST_DEVICE int column_of_id(int id) const { return place_[id]; }
  CAROM_HOST_DEVICE int row_of_id(int id) const { return place_[id] < 0 ? -1 - place_[id] : -1; }
  /// The row of z_j; -1 if z_j is not basic.
  CAROM_HOST_DEVICE int row_of(int j) const { return row_of_id(size() + j); }
  CAROM_HOST_DEVICE bool is_reflected(int j) const { return j < bounded() && reflected_[j]; }

  /// Updates a column to the current basis, as the functions below that take a column require.
  CAROM_HOT CAROM_HOST_DEVICE void bring(int column) {
    if constexpr (is_shared) return;
    int done = done_[column];
    if (done < 0) {
      fill_entries(column);
      done = 0;
    }
    for (; done < exchanges_; ++done) follow(exchange_[done], entry_[column]);
    done_[column] = static_cast<short>(exchanges_);
  }

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
    Team::each(size(), [&](int j) {
      double value = row_of(j) >= 0 ? rounded(entry_[constant_column][row_of(j)]) : 0.0;
      if (is_reflected(j)) value = rounded(bound_[j]) - value;
      z[index_[j]] = larger(value, 0.0);
    });
  }

  /// Whether the j-th unknown's slack below its bound depends on the entering variable of `column`.
  CAROM_HOST_DEVICE bool has_room(int j, int column) const {
    return row_of(j) >= 0 || nonbasic_[column] == size() + j;
  }

  /// The j-th unknown's slack below its bound as a row of the tableau: the entry in `column`. The
  /// bound itself grows with the covering variable.
  CAROM_HOST_DEVICE Real slack(int j, int column) const {
    const Real* entries = entry_[column];
    Real most = bound_cover_[j] * entries[covering_row_];
    if constexpr (Inputs == 0) {
      if (column == constant_column) most = most + bound_[j];
    } else {
      if (column == constant_column + index_[j]) most = most + Real(1.0);
    }
    const int row = row_of(j);
    if (row >= 0) return difference(most, entries[row]);
    return column == place_[size() + j] ? most - Real(1.0) : most;
  }

  CAROM_HOST_DEVICE Real slack_constant(int j) const {
    Real sum = slack(j, constant_column);
    if constexpr (Inputs > 0) {
      sum = sum * input_[0];
      for (int c = 1; c < Inputs; ++c) {
        sum = multiply_add(slack(j, constant_column + c), input_[c], sum);
      }
    }
    return sum;
  }

  /// Derivative of the rows with respect to a bound or constant: a column, or a negated column.
  /// Null: no row of a basic unknown depends on it, except that the row of a reflected unknown
  /// grows by one with its own bound.
  struct Growth {
    const Real* of_row;
    bool negative;
  };
  /// Growth with bound j, for j < bounded, then with constant j - bounded. Updates the column that
  /// it needs.
  CAROM_HOST_DEVICE Growth growth_with(int j) {
    const bool of_bound = j < bounded();
    if (of_bound && !reflected_[j]) return {nullptr, false};
    const int id = of_bound ? size() + j : j - bounded();
    if (place_[id] < 0) return {nullptr, false};
    bring(place_[id]);
    return {entry_[place_[id]], of_bound || !is_reflected(id)};
  }

  /// Derivative of a row's constant with respect to such a bound or constant.
  CAROM_HOST_DEVICE Real perturbation(int row, int j) {
    if (const Growth growth = growth_with(j); growth.of_row != nullptr) {
      return growth.negative ? -growth.of_row[row] : growth.of_row[row];
    }
    if (j < bounded()) return Real(reflected_[j] && row_of(j) == row ? 1.0 : 0.0);
    if (row_of_id(j - bounded()) != row) return Real(0.0);
    return Real(is_reflected(j - bounded()) ? -1.0 : 1.0);
  }

  CAROM_HOST_DEVICE Real slack_perturbation(int unknown, int j) {
    Real growth = bound_cover_[unknown] * perturbation(covering_row_, j);
    if (j == unknown) growth = growth + Real(1.0);
    return row_of(unknown) < 0 ? growth : growth - perturbation(row_of(unknown), j);
  }

  /// @param negative_inverse minus the inverse of the pivot, in every lane
  CAROM_HOT CAROM_HOST_DEVICE void pivot(int row, int column, Group negative_inverse) {
    exchange(column, row, -1, negative_inverse);
    swap(row, column);
  }

  /// The j-th unknown reaches its bound and is reflected. A basic unknown leaves the basis; the
  /// entering unknown stays nonbasic, at the other end of its interval.
  CAROM_HOST_DEVICE void pivot_at_bound(int j, int column, Group negative_inverse) {
    const int row = row_of(j);
    // The slack of the unknown is not a row of the tableau, but is exchanged like a row. The column
    // of the opposite variable may change its sign before or after that: only the signs of zeros
    // differ, which no code reads.
    exchange(column, row, j, negative_inverse);
    const int opposite = place_[j];
    bring(opposite);
    Team::each(rows, [&](int i) { entry_[opposite][i] = -entry_[opposite][i]; });
    if (row >= 0) swap(row, column);
    Team::once([&] { reflected_[j] = !reflected_[j]; });
  }

 private:
  static constexpr int last_columns = Inputs == 0 ? 1 : Inputs;
  static constexpr bool is_shared = Team::threads > 1;
  static constexpr bool keeps_masks = width > 1 && !is_shared;
  // Between columns: threads at different columns shall not be at the same bank of shared memory.
  static constexpr int column_stride = is_shared ? rows + 1 : rows;
  // From this size on, only the rows in use are computed, and testing a column for a zero in the
  // pivot's row costs less than it saves.
  static constexpr bool large = MaxSize > 30 || width == 1;

  CAROM_HOST_DEVICE void fill_column(const double* source, bool whole, Real* column) const {
    if (whole && size() == MaxSize) {
      Team::each(MaxSize, [&](int i) { column[i] = static_cast<Real>(source[i]); });
      Team::each(rows - MaxSize, [&](int i) { column[MaxSize + i] = Real(0.0); });
      return;
    }
    const int count = size();
    Team::each(count, [&](int i) { column[i] = static_cast<Real>(source[index_[i]]); });
    Team::each(rows - count, [&](int i) { column[count + i] = Real(0.0); });
  }

  /// a - b, or zero if only noise is left.
  CAROM_HOST_DEVICE Real difference(Real a, Real b) const {
    const Real result = a - b;
    const bool noise = std::fabs(rounded(result)) < cancellation_ * std::fabs(rounded(a));
    return noise ? Real(0.0) : result;
  }

  /// A column's entries in the original problem.
  CAROM_HOST_DEVICE const double* source(int column) const {
    return column == size() ? lcp_.cover : lcp_.matrix + index_[column] * lcp_.stride;
  }

  CAROM_HOST_DEVICE void fill_entries(int column) {
    fill_column(source(column), Whole || lcp_.index == nullptr, entry_[column]);
    if constexpr (sizeof(Real) > sizeof(double)) {
      if (lcp_.matrix_low == nullptr || column == size()) return;
      const double* low = lcp_.matrix_low + index_[column] * lcp_.stride;
      Team::each(size(), [&](int i) {
        entry_[column][i] = Real(rounded(entry_[column][i]), low[index_[i]]);
      });
    }
  }

  /// One exchange, with the data that the other columns need to follow it.
  struct Exchange {
    alignas(Group) Real slope[rows];  ///< the entering variable's column before the exchange
    Real negative_inverse;            ///< minus the inverse of the pivot
    int row;      ///< of the leaving variable; -1: the slack of the entering variable
    int unknown;  ///< unknown whose slack was exchanged instead of its row; -1: none
    /// Where the row is in each group of rows; kept, since finding it again for every column that
    /// follows costs more.
    typename Group::Mask row_mask[keeps_masks ? rows / width : 1];

    CAROM_HOST_DEVICE typename Group::Mask is_row(int group) const {
      if constexpr (keeps_masks) {
        return row_mask[group];
      } else {
        return Group::is_lane(row - group * width);
      }
    }
  };

  /// Exchanges the variable of `column` with that of `row`, or with the slack of the j-th unknown;
  /// see Exchange.
  CAROM_HOT CAROM_HOST_DEVICE inline void exchange(int column, int row, int j,
                                                   Group negative_inverse);

  CAROM_HOT CAROM_HOST_DEVICE void swap(int row, int column) {
    const short leaving = basic_[row];
    const short entering = nonbasic_[column];
    Team::once([&] {
      if (entering == covering()) covering_row_ = row;
      basic_[row] = entering;
      nonbasic_[column] = leaving;
      place_[entering] = static_cast<short>(-1 - row);
      place_[leaving] = static_cast<short>(column);
    });
  }

  /// Begins an exchange with its own column.
  CAROM_HOT CAROM_HOST_DEVICE inline void turn(Exchange& now, int column, int row, int j,
                                               Group negative_inverse);

  /// Follows the exchange of `column` in all other columns.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE inline void follow_together(const Exchange& exchange,
                                                                  int column);

  /// Updates a column, except those of the constants, by an exchange.
  CAROM_HOT CAROM_HOST_DEVICE inline void follow(const Exchange& exchange, Real* column) const;

  /// @param entry of the row that is exchanged, in the column
  CAROM_HOT CAROM_HOST_DEVICE inline void update(const Exchange& exchange, Real entry,
                                                 Real* column) const;

  static constexpr short unfilled = -1;
  // Random problems of 20 unknowns take 20 pivots on average, and few take more than 64; a thread
  // of a device has less memory for them.
  static constexpr int most_kept = width == 1 && MaxSize > 32 ? 32 : width == 1 ? MaxSize : 64;
  static constexpr int max_exchanges = is_shared ? 1 : MaxSize < 16 ? 16 : most_kept;

  alignas(Group) Real entry_[constant_column + last_columns][column_stride];  // column, row
  Exchange exchange_[max_exchanges];
  short done_[MaxSize + 1];  // column -> number of exchanges that it has followed
  int exchanges_;
  int covering_row_;
  LcpView lcp_;
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
