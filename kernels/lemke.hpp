#pragma once

#include <cmath>

#include "kernels/double_double.hpp"
#include "kernels/lanes.hpp"
#include "kernels/lcp_view.hpp"
#include "kernels/qualifiers.hpp"
#include "kernels/row_set.hpp"

namespace carom::inline CAROM_ISA {

/// Lemke's method with lexicographic ties on a condensed tableau of at most MaxSize rows.
///
/// The tableau is the dictionary `basic = entry * nonbasic + constant`, in place and column by
/// column, so that the rows of a column are computed side by side. Variable ids are j for y_j,
/// size + j for z_j, 2 size for the covering variable. Where z_j has reached its bound it is
/// reflected: bound - z_j takes its place, and -y_j that of y_j.
///
/// The lexicographic perturbation (e, e^2, ...) of bounds and constants is never stored: its
/// coefficients are those of the tableau's own columns, so ties cost nothing until one happens.
///
/// With Inputs > 0 the tableau carries not the constants but their map of so many inputs, and
/// computes the constants where it needs them. A path of pivots then leaves the same bits in the
/// tableau whatever the inputs, so that a decision is a function of the path and the inputs alone:
/// see PivotTree.
template <int MaxSize, class Real = double, int Inputs = 0>
class Lemke {
  using Group = Lanes<Real, row_lanes<Real>>;
  static constexpr int width = row_lanes<Real>;
  static constexpr int max_bounded = MaxSize / 4 + 1;  // of step LCPs: m of (2 + k) m

 public:
  static constexpr int rows = (MaxSize + width - 1) / width * width;
  static constexpr int inputs = Inputs;
  static constexpr int limits = rows + max_bounded;
  /// Rows and, from `rows` on, the unknowns whose bounds limit.
  using Limits = RowSet<limits>;

  /// What a decision saw, beside the tableau; see limit_map() and limit_slope().
  struct Decision {
    int column;   ///< of the variable that enters
    bool first;   ///< the covering variable enters: all rows count, and negative ratios do
    Real floor;   ///< a slope must exceed it to count
    Limits tied;  ///< the limits with the least ratio
    int limit;    ///< the one that is taken
  };

  CAROM_HOST_DEVICE LemkeOutcome solve(const LcpView& lcp, const LemkeTolerances& tolerances) {
    return solve(lcp, tolerances, [](const Decision&) {});
  }

  /// `listener(decision)` is told every decision before it is carried out.
  template <class Listener>
  CAROM_HOST_DEVICE LemkeOutcome solve(const LcpView& lcp, const LemkeTolerances& tolerances,
                                       Listener&& listener) {
    size_ = lcp.size;
    bounded_ = lcp.bounded;
    tolerances_ = tolerances;
    pivots_ = 0;
    fill(lcp);
    Decision decision = first_decision();
    if (decision.limit < 0) return LemkeOutcome::solved;
    while (pivots_ < pivot_limit()) {
      listener(decision);
      const int limit = decision.limit;
      const int leaving = limit < rows ? basic_[limit] : size_ + limit - rows;
      if (limit < rows) {
        pivot(limit, decision.column);
      } else {
        pivot_at_bound(limit - rows, decision.column);
      }
      if (leaving == covering()) return LemkeOutcome::solved;
      decision = decide(place_[complement(leaving)]);
      if (decision.limit < 0) return LemkeOutcome::ray;
    }
    return LemkeOutcome::pivot_limit;
  }

  /// Writes the final basis' z at the unknowns' own indices; negative noise becomes zero.
  CAROM_HOST_DEVICE void solution(double* z) const {
    for (int j = 0; j < size_; ++j) {
      double value = row_of(j) >= 0 ? rounded(entry_[constant_column][row_of(j)]) : 0.0;
      if (is_reflected(j)) value = rounded(bound_[j]) - value;
      z[index_[j]] = larger(value, 0.0);
    }
  }

  /// The row of z_j, the j-th unknown that takes part; -1 if it is not basic.
  CAROM_HOST_DEVICE int row_of(int j) const { return row_of_id(size_ + j); }
  CAROM_HOST_DEVICE bool is_reflected(int j) const { return j < bounded_ && reflected_[j]; }
  /// Of the final basis: how the variable basic in `row` grows with bound j, for j < bounded, then
  /// with constant j - bounded.
  CAROM_HOST_DEVICE double sensitivity(int row, int j) const {
    return rounded(perturbation(row, j));
  }
  /// How the variable basic in `row`, or a bound's room, grows with an input.
  CAROM_HOST_DEVICE Real limit_map(int limit, int input) const {
    const int column = constant_column + input;
    return limit < rows ? entry_[column][limit] : room(limit - rows, column);
  }
  /// How fast a limit is approached, or at the first decision left; 0 if it is none.
  CAROM_HOST_DEVICE Real limit_slope(int limit, const Decision& decision) const {
    if (limit < rows) {
      if (limit >= size_) return Real(0.0);
      const Real entry = entry_[decision.column][limit];
      return decision.first ? entry : -entry;
    }
    const int j = limit - rows;
    if (decision.first || j >= bounded_ || !has_room(j, decision.column)) return Real(0.0);
    return -room(j, decision.column);
  }

  CAROM_HOST_DEVICE int pivots() const { return pivots_; }

 private:
  // The last columns hold the constants, or their map of the inputs.
  static constexpr int constant_column = MaxSize + 1;
  static constexpr int last_columns = Inputs == 0 ? 1 : Inputs;
  // From this size on, only the rows in use are computed, and testing a column for a zero in the
  // pivot's row costs less than it saves.
  static constexpr bool large = MaxSize > 30 || width == 1;

  CAROM_HOST_DEVICE int groups() const {
    return large ? (size_ + width - 1) / width : rows / width;
  }
  CAROM_HOST_DEVICE int pivot_limit() const {
    return tolerances_.pivots_per_row * (size_ + bounded_) + 20;
  }
  CAROM_HOST_DEVICE int covering() const { return 2 * size_; }
  CAROM_HOST_DEVICE int complement(int id) const { return id < size_ ? id + size_ : id - size_; }
  CAROM_HOST_DEVICE int row_of_id(int id) const { return place_[id] < 0 ? -1 - place_[id] : -1; }

  CAROM_HOST_DEVICE void fill(const LcpView& lcp) {
    for (int i = 0; i < size_; ++i) {
      index_[i] = lcp.index == nullptr ? static_cast<short>(i) : lcp.index[i];
    }
    const bool whole = lcp.index == nullptr;
    for (int j = 0; j < size_; ++j) {
      fill_column(lcp.matrix + index_[j] * lcp.stride, whole, entry_[j]);
      if constexpr (sizeof(Real) > sizeof(double)) {
        if (lcp.matrix_low != nullptr) {
          const double* low = lcp.matrix_low + index_[j] * lcp.stride;
          for (int i = 0; i < size_; ++i) {
            entry_[j][i] = Real(rounded(entry_[j][i]), low[index_[i]]);
          }
        }
      }
    }
    fill_column(lcp.cover, whole, entry_[size_]);
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
    for (int j = 0; j < bounded_; ++j) {
      if constexpr (Inputs == 0) bound_[j] = static_cast<Real>(lcp.bound[index_[j]]);
      bound_cover_[j] = static_cast<Real>(lcp.bound_cover[index_[j]]);
      reflected_[j] = false;
    }
    for (int i = 0; i < size_; ++i) {
      basic_[i] = static_cast<short>(i);
      nonbasic_[i] = static_cast<short>(size_ + i);
      place_[i] = static_cast<short>(-1 - i);
      place_[size_ + i] = static_cast<short>(i);
    }
    nonbasic_[size_] = static_cast<short>(covering());
    place_[covering()] = static_cast<short>(size_);
  }

  CAROM_HOST_DEVICE void fill_column(const double* source, bool whole, Real* column) const {
    if (whole && size_ == MaxSize) {
      for (int i = 0; i < MaxSize; ++i) column[i] = static_cast<Real>(source[i]);
      for (int i = MaxSize; i < rows; ++i) column[i] = Real(0.0);
      return;
    }
    for (int i = 0; i < size_; ++i) column[i] = static_cast<Real>(source[index_[i]]);
    for (int i = size_; i < rows; ++i) column[i] = Real(0.0);
  }

  /// The constants of a group of rows.
  CAROM_HOST_DEVICE Group constants(int group) const {
    Group sum = Group::load(entry_[constant_column] + group * width);
    if constexpr (Inputs > 0) {
      sum = sum * Group::all(input_[0]);
      for (int c = 1; c < Inputs; ++c) {
        sum = fused(Group::load(entry_[constant_column + c] + group * width),
                    Group::all(input_[c]), sum);
      }
    }
    return sum;
  }

  /// The row that the covering variable enters by: the lexicographically least
  /// (constant, unit vector) / cover, hence the last row of a tie. None if z = 0 is a solution.
  CAROM_HOST_DEVICE Decision first_decision() const {
    const Group zero = Group::all(Real(0.0));
    Group ratio[rows / width];
    Group nearest = zero;
    for (int g = 0; g < groups(); ++g) {
      const Group cover = Group::load(entry_[size_] + g * width);
      const Group inverse = Group::all(Real(1.0)) / cover;
      ratio[g] = Group::select(zero < cover, constants(g) * inverse, zero);
      nearest = smaller(nearest, ratio[g]);
    }
    const Real least = -greatest(-nearest);
    Decision decision{size_, true, Real(0.0), {}, -1};
    if (!(least < Real(0.0))) return decision;
    decision.tied = rows_near(ratio, least, -least * static_cast<Real>(tolerances_.tie));
    decision.limit = decision.tied.last();
    return decision;
  }

  /// a - b, zero where only noise is left.
  CAROM_HOST_DEVICE Real difference(Real a, Real b) const {
    const Real result = a - b;
    const bool noise =
        std::fabs(rounded(result)) < tolerances_.cancellation * std::fabs(rounded(a));
    return noise ? Real(0.0) : result;
  }

  CAROM_HOST_DEVICE bool has_room(int j, int column) const {
    return row_of(j) >= 0 || nonbasic_[column] == size_ + j;
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
    return column == place_[size_ + j] ? most - Real(1.0) : most;
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

  /// What limits the growth of the entering column's variable; nothing does on a ray.
  CAROM_HOST_DEVICE Decision decide(int column) {
    const Real* slopes = entry_[column];
    const Group zero = Group::all(Real(0.0));
    const Group one = Group::all(Real(1.0));
    const Group infinite = Group::all(Real(INFINITY));
    Group steepest = zero;
    for (int g = 0; g < groups(); ++g) {
      steepest = larger(steepest, -Group::load(slopes + g * width));
    }
    const Real floor = greatest(steepest) * static_cast<Real>(tolerances_.pivot_floor);
    const Group floors = Group::all(floor);
    Group ratio[rows / width];
    Group nearest = infinite;
    for (int g = 0; g < groups(); ++g) {
      const Group slope = -Group::load(slopes + g * width);
      ratio[g] = Group::select(floors < slope, larger(constants(g), zero) * (one / slope),
                               infinite);
      nearest = smaller(nearest, ratio[g]);
    }
    Real least = -greatest(-nearest);
    Real bound_ratio[max_bounded];
    for (int j = 0; j < bounded_; ++j) {
      bound_ratio[j] = Real(INFINITY);
      if (!has_room(j, column)) continue;
      const Real slope = -room(j, column);
      if (!(floor < slope)) continue;
      const Real constant = room_constant(j);
      bound_ratio[j] = (Real(0.0) < constant ? constant : Real(0.0)) * (Real(1.0) / slope);
      if (bound_ratio[j] < least) least = bound_ratio[j];
    }
    Decision decision{column, false, floor, {}, -1};
    if (!(least < Real(INFINITY))) return decision;
    const Real slack = least * static_cast<Real>(tolerances_.tie);
    decision.tied = rows_near(ratio, least, slack);
    for (int j = 0; j < bounded_; ++j) {
      if (bound_ratio[j] - least <= slack) decision.tied.add(1u, rows + j);
    }
    if (!decision.tied.has_several()) {
      decision.limit = decision.tied.first();
      return decision;
    }
    const int last = row_of_id(covering());
    decision.limit = decision.tied.has(last) ? last : lexicographic(column, decision.tied);
    return decision;
  }

  CAROM_HOST_DEVICE Limits rows_near(const Group* ratio, Real least, Real slack) const {
    const Group origin = Group::all(least);
    const Group slacks = Group::all(slack);
    Limits near;
    for (int g = 0; g < groups(); ++g) {
      near.add(Group::at_most(ratio[g] - origin, slacks), g * width);
    }
    return near;
  }

  /// Among tied limits, the one whose perturbation, divided by its slope, is lexicographically
  /// least.
  CAROM_HOST_DEVICE int lexicographic(int column, Limits tied) const {
    for (int j = 0; j < bounded_ + size_ && tied.has_several(); ++j) {
      const auto ratio = [&](int limit) {
        if (limit < rows) return perturbation(limit, j) / -entry_[column][limit];
        return room_perturbation(limit - rows, j) / -room(limit - rows, column);
      };
      Real least = Real(INFINITY);
      tied.for_each([&](int limit) {
        const Real its = ratio(limit);
        if (its < least) least = its;
      });
      const double slack = std::fabs(rounded(least)) * tolerances_.tie;
      tied.for_each([&](int limit) {
        if (!(rounded(ratio(limit) - least) <= slack)) tied.remove(limit);
      });
    }
    return tied.first();
  }

  /// How a row's constant grows with bound j, for j < bounded, then with constant j - bounded.
  CAROM_HOST_DEVICE Real perturbation(int row, int j) const {
    const bool of_bound = j < bounded_;
    if (of_bound && !reflected_[j]) return Real(0.0);
    const int id = of_bound ? size_ + j : j - bounded_;
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

  CAROM_HOST_DEVICE static Real greatest(Group group) {
    Real value[width];
    group.store(value);
    for (int span = width / 2; span > 0; span /= 2) {
      for (int i = 0; i < span; ++i) {
        value[i] = value[i + span] < value[i] ? value[i] : value[i + span];
      }
    }
    return value[0];
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
      for (int c = 0; c <= size_; ++c) entry_[c][row] = room(j, c);
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
    const Group cancellation = Group::all(static_cast<Real>(tolerances_.cancellation));
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
    for (int j = 0; j < column; ++j) update(j);
    for (int j = column + 1; j <= size_; ++j) update(j);
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
  LemkeTolerances tolerances_;
};

}  // namespace carom::inline CAROM_ISA
