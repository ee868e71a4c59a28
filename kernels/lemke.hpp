#pragma once

#include <cmath>

#include "kernels/double_double.hpp"
#include "kernels/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// Tolerances of the pivoting. All are relative, so that scaling the problem changes nothing.
struct LemkeTolerances {
  /// An update that cancels more than this share of a tableau entry leaves rounding noise, and the
  /// entry is set to zero. Some dozen pivots lose 2^-48 of an entry in double precision.
  double cancellation = 0x1p-43;
  /// A column's entry below this share of its largest one is noise, too small to pivot on.
  double pivot_floor = 1e-11;
  /// Ratios that differ by less than this share are a tie, decided lexicographically. Rather too
  /// large than too small: a wrong tie costs this much accuracy, which the residual check sees; a
  /// tie split by noise leads to a ray (measured: 1e-11 gives 50 times the rays of 1e-8).
  double tie = 1e-8;
  /// Lexicographic pivoting cannot cycle, but noise can. Step LCPs take about n pivots and rarely
  /// 3 n; only with friction far above 1 do honest runs get longer (measured: up to 20 n).
  int pivots_per_row = 6;
};

enum class LemkeOutcome : unsigned char { solved, ray, pivot_limit };

/// A linear complementarity problem y = matrix z + constant, y >= 0, z >= 0, y'z = 0, restricted
/// to the unknowns `index`: the others are held at z = 0 and their rows are left out.
struct LcpView {
  int size = 0;                  ///< unknowns that take part
  const short* index = nullptr;  ///< which, ascending; null: 0, ..., size - 1
  int stride = 0;                ///< row stride of the matrix
  const double* matrix = nullptr;
  const double* matrix_low = nullptr;  ///< what rounding the matrix to double left; null: zero
  const double* constant = nullptr;
  const double* cover = nullptr;  ///< covering vector, > 0
};

/// Lemke's method with lexicographic ties on a condensed tableau of at most MaxSize rows.
///
/// The tableau is the dictionary `basic = entry * nonbasic + constant`, in place. Variable ids are
/// j for y_j, size + j for z_j, 2 size for the covering variable. The lexicographic perturbation
/// (e, e^2, ...) of the constants is never stored: its coefficients are the tableau's own columns
/// of the y_j, so ties cost nothing until one happens.
template <int MaxSize, class Real = double>
class Lemke {
 public:
  CAROM_HOST_DEVICE LemkeOutcome solve(const LcpView& lcp, const LemkeTolerances& tolerances) {
    size_ = lcp.size;
    tolerances_ = tolerances;
    pivots_ = 0;
    fill(lcp);
    int row = first_row();
    if (row < 0) return LemkeOutcome::solved;
    int column = size_;
    while (pivots_ < pivot_limit()) {
      const int leaving = basic_[row];
      pivot(row, column);
      if (leaving == covering()) return LemkeOutcome::solved;
      column = place_[complement(leaving)];
      row = ratio_test(column);
      if (row < 0) return LemkeOutcome::ray;
    }
    return LemkeOutcome::pivot_limit;
  }

  /// Writes the final basis' z at the unknowns' own indices; negative noise becomes zero.
  CAROM_HOST_DEVICE void solution(double* z) const {
    for (int j = 0; j < size_; ++j) {
      const int place = place_[size_ + j];
      z[index_[j]] = place < 0 ? larger(row_constant(-1 - place), 0.0) : 0.0;
    }
  }

  /// One step of iterative refinement with the tableau as the inverse: moves the basic z so that
  /// those y that the final basis holds at zero, and that evaluate to `y`, become zero.
  CAROM_HOST_DEVICE void refine(const double* y, double* z) const {
    for (int j = 0; j < size_; ++j) {
      const int place = place_[size_ + j];
      if (place >= 0) continue;
      const Real* row = entry_[-1 - place];
      double correction = 0.0;
      for (int i = 0; i < size_; ++i) {
        if (place_[i] < 0) continue;
        correction = std::fma(rounded(row[place_[i]]), y[index_[i]], correction);
      }
      z[index_[j]] = larger(z[index_[j]] - correction, 0.0);
    }
  }

  CAROM_HOST_DEVICE int pivots() const { return pivots_; }

 private:
  static constexpr int stride = (MaxSize + 2 + 3) / 4 * 4;  // whole AVX2 vectors
  static constexpr int constant_column = stride - 1;

  CAROM_HOST_DEVICE int pivot_limit() const { return tolerances_.pivots_per_row * size_ + 20; }
  CAROM_HOST_DEVICE int covering() const { return 2 * size_; }
  CAROM_HOST_DEVICE int complement(int id) const { return id < size_ ? id + size_ : id - size_; }
  CAROM_HOST_DEVICE double row_constant(int row) const {
    return rounded(entry_[row][constant_column]);
  }

  CAROM_HOST_DEVICE void fill(const LcpView& lcp) {
    for (int i = 0; i < size_; ++i) {
      index_[i] = lcp.index == nullptr ? static_cast<short>(i) : lcp.index[i];
    }
    for (int i = 0; i < size_; ++i) {
      Real* row = entry_[i];
      const double* source = lcp.matrix + index_[i] * lcp.stride;
      if (lcp.index == nullptr) {
        for (int j = 0; j < size_; ++j) row[j] = source[j];
      } else {
        for (int j = 0; j < size_; ++j) row[j] = source[index_[j]];
      }
      if constexpr (sizeof(Real) > sizeof(double)) {
        if (lcp.matrix_low != nullptr) {
          const double* low = lcp.matrix_low + index_[i] * lcp.stride;
          for (int j = 0; j < size_; ++j) row[j] = Real(source[index_[j]], low[index_[j]]);
        }
      }
      if (size_ + 2 < stride) {
        for (int j = size_; j < stride; ++j) row[j] = 0.0;
      }
      row[size_] = lcp.cover[index_[i]];
      row[constant_column] = lcp.constant[index_[i]];
      basic_[i] = static_cast<short>(i);
      nonbasic_[i] = static_cast<short>(size_ + i);
      place_[i] = static_cast<short>(-1 - i);
      place_[size_ + i] = static_cast<short>(i);
    }
    nonbasic_[size_] = static_cast<short>(covering());
    place_[covering()] = static_cast<short>(size_);
  }

  /// The row that the covering variable enters by: the lexicographically least
  /// (constant, unit vector) / cover, hence the last row of a tie. -1 if z = 0 is a solution.
  CAROM_HOST_DEVICE int first_row() const {
    int best = -1;
    double least = 0.0;
    for (int i = 0; i < size_; ++i) {
      if (row_constant(i) >= 0.0) continue;
      const double ratio = row_constant(i) / rounded(entry_[i][size_]);
      if (best < 0 || ratio <= least * (1.0 - tolerances_.tie)) {
        best = i;
        least = smaller(least, ratio);
      }
    }
    return best;
  }

  /// The row that limits the growth of the entering column's variable; -1 if none does (a ray).
  CAROM_HOST_DEVICE int ratio_test(int column) {
    double largest = 0.0;
    for (int i = 0; i < size_; ++i) {
      largest = larger(largest, -rounded(entry_[i][column]));
    }
    const double floor = largest * tolerances_.pivot_floor;
    Real least = INFINITY;
    int candidates = 0;
    for (int i = 0; i < size_; ++i) {
      if (!(-rounded(entry_[i][column]) > floor)) continue;
      const Real& constant = entry_[i][constant_column];
      const Real ratio = rounded(constant) > 0.0 ? constant / -entry_[i][column] : Real(0.0);
      candidate_[candidates] = static_cast<short>(i);
      ratio_[candidates++] = ratio;
      if (ratio < least) least = ratio;
    }
    if (candidates == 0) return -1;
    const double slack = rounded(least) * tolerances_.tie;
    int tied = 0;
    for (int c = 0; c < candidates; ++c) {
      if (rounded(ratio_[c] - least) > slack) continue;
      if (basic_[candidate_[c]] == covering()) return candidate_[c];
      candidate_[tied++] = candidate_[c];
    }
    return tied == 1 ? candidate_[0] : lexicographic(column, tied);
  }

  /// Among the first `tied` candidates, the row whose perturbation coefficients, divided by its
  /// slope, are lexicographically least.
  CAROM_HOST_DEVICE int lexicographic(int column, int tied) {
    for (int j = 0; j < size_ && tied > 1; ++j) {
      const int place = place_[j];
      Real least = INFINITY;
      for (int c = 0; c < tied; ++c) {
        const int i = candidate_[c];
        const Real coefficient = place >= 0 ? entry_[i][place] : Real(i == -1 - place ? -1.0 : 0.0);
        ratio_[c] = coefficient / entry_[i][column];
        if (ratio_[c] < least) least = ratio_[c];
      }
      const double slack = std::fabs(rounded(least)) * tolerances_.tie;
      int kept = 0;
      for (int c = 0; c < tied; ++c) {
        if (rounded(ratio_[c] - least) <= slack) candidate_[kept++] = candidate_[c];
      }
      tied = kept;
    }
    return candidate_[0];
  }

  /// other += factor * row, with what cancels set to zero. A function of its own, __restrict and
  /// not unrolled, so that compilers take whole vectors.
  CAROM_HOST_DEVICE static void add_multiple(Real* __restrict other, Real factor,
                                             const Real* __restrict row, double cancellation) {
    CAROM_VECTOR_LOOP
    for (int j = 0; j < stride; ++j) {
      const Real old = other[j];
      const Real updated = multiply_add(factor, row[j], old);
      const bool noise = std::fabs(rounded(updated)) < cancellation * std::fabs(rounded(old));
      other[j] = noise ? Real(0.0) : updated;
    }
  }

  CAROM_HOST_DEVICE void pivot(int row, int column) {
    Real pivot_row[stride];
    const Real inverse = Real(1.0) / entry_[row][column];
    for (int j = 0; j < stride; ++j) pivot_row[j] = entry_[row][j] * -inverse;
    for (int i = 0; i < size_; ++i) {
      Real* other = entry_[i];
      const Real factor = other[column];
      if (i == row || rounded(factor) == 0.0) continue;
      add_multiple(other, factor, pivot_row, tolerances_.cancellation);
      // The column last: a single entry stored before the row is loaded as a vector stalls.
      other[column] = factor * inverse;
    }
    for (int j = 0; j < stride; ++j) entry_[row][j] = pivot_row[j];
    entry_[row][column] = inverse;
    const short leaving = basic_[row];
    basic_[row] = nonbasic_[column];
    nonbasic_[column] = leaving;
    place_[basic_[row]] = static_cast<short>(-1 - row);
    place_[leaving] = static_cast<short>(column);
    ++pivots_;
  }

  Real entry_[MaxSize][stride];
  Real ratio_[MaxSize];
  short index_[MaxSize];         // row and column of the tableau at start -> unknown of the problem
  short basic_[MaxSize];         // row -> variable id
  short nonbasic_[MaxSize + 1];  // column -> variable id
  short place_[2 * MaxSize + 1];  // variable id -> column, or -1 - row where basic
  short candidate_[MaxSize];
  int size_;
  int pivots_;
  LemkeTolerances tolerances_;
};

}  // namespace carom::inline CAROM_ISA
