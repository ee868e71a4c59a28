#pragma once

#include <cmath>

#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// Square systems of at most Max equations that may be redundant: of the solutions x of B x = b
/// that leave the least residual, the one of least norm. Householder's QR with column pivoting; if
/// it finds less than full rank, a complete orthogonal decomposition (Golub & Van Loan, Matrix
/// Computations, 5.4 and 5.5).
template <int Max>
class LeastNorm {
 public:
  /// A diagonal entry of R below this fraction of the first counts as zero.
  static constexpr double rank_tolerance = 1e-9;

  /// Starts a system of `size` equations: then each column() is to be written.
  CAROM_HOST_DEVICE explicit LeastNorm(int size = 0) : size_(size) {}

  CAROM_HOST_DEVICE double* column(int j) { return matrix_ + j * Max; }
  CAROM_HOST_DEVICE int size() const { return size_; }

  /// Decomposes B.
  CAROM_HOST_DEVICE void factor() {
    for (int j = 0; j < size_; ++j) order_[j] = j;
    rank_ = size_;
    double first = 0.0;
    for (int k = 0; k < size_; ++k) {
      double largest = 0.0;
      swap_columns(k, longest_column(k, largest));
      const double length = std::sqrt(largest);
      if (k == 0) first = length;
      if (!(length > rank_tolerance * first)) {
        rank_ = k;
        break;
      }
      reflect_column(k, length);
    }
    if (rank_ < size_) {
      for (int i = rank_ - 1; i >= 0; --i) reflect_row(i);
    }
  }

  /// @param b size, is overwritten
  /// @param x size
  CAROM_HOST_DEVICE void solve(double* b, double* x) {
    for (int k = 0; k < rank_; ++k) {
      const double* v = column(k);
      double sum = b[k];
      for (int i = k + 1; i < size_; ++i) sum = std::fma(v[i], b[i], sum);
      sum *= column_factor_[k];
      b[k] -= sum;
      for (int i = k + 1; i < size_; ++i) b[i] = std::fma(-sum, v[i], b[i]);
    }
    for (int k = rank_ - 1; k >= 0; --k) {
      double sum = b[k];
      for (int j = k + 1; j < rank_; ++j) sum = std::fma(-column(j)[k], b[j], sum);
      b[k] = sum / diagonal_[k];
    }
    for (int k = rank_; k < size_; ++k) b[k] = 0.0;
    if (rank_ < size_) {
      for (int i = 0; i < rank_; ++i) {
        double sum = b[i];
        for (int j = rank_; j < size_; ++j) sum = std::fma(column(j)[i], b[j], sum);
        sum *= row_factor_[i];
        b[i] -= sum;
        for (int j = rank_; j < size_; ++j) b[j] = std::fma(-sum, column(j)[i], b[j]);
      }
    }
    for (int k = 0; k < size_; ++k) x[order_[k]] = b[k];
  }

 private:
  /// The longest of the columns k, k + 1, ... below row k, and its squared length.
  CAROM_HOST_DEVICE int longest_column(int k, double& largest) {
    int longest = k;
    for (int j = k; j < size_; ++j) {
      const double* its = column(j);
      double square = 0.0;
      for (int i = k; i < size_; ++i) square = std::fma(its[i], its[i], square);
      if (square > largest) {
        largest = square;
        longest = j;
      }
    }
    return longest;
  }

  CAROM_HOST_DEVICE void swap_columns(int j, int k) {
    if (j == k) return;
    for (int i = 0; i < size_; ++i) {
      const double kept = column(j)[i];
      column(j)[i] = column(k)[i];
      column(k)[i] = kept;
    }
    const int kept = order_[j];
    order_[j] = order_[k];
    order_[k] = kept;
  }

  /// Reflects column k, of this length below row k, onto row k; the vector of the reflection, with
  /// 1 at k, is kept below the diagonal.
  CAROM_HOST_DEVICE void reflect_column(int k, double length) {
    double* v = column(k);
    const double end = v[k] > 0.0 ? -length : length;
    const double scale = 1.0 / (v[k] - end);
    const double factor = (end - v[k]) / end;
    for (int i = k + 1; i < size_; ++i) v[i] *= scale;
    for (int j = k + 1; j < size_; ++j) {
      double* its = column(j);
      double sum = its[k];
      for (int i = k + 1; i < size_; ++i) sum = std::fma(v[i], its[i], sum);
      sum *= factor;
      its[k] -= sum;
      for (int i = k + 1; i < size_; ++i) its[i] = std::fma(-sum, v[i], its[i]);
    }
    diagonal_[k] = end;
    column_factor_[k] = factor;
  }

  /// Reflects row i of R from the columns beyond the rank onto its diagonal; the vector is kept in
  /// those columns.
  CAROM_HOST_DEVICE void reflect_row(int i) {
    double square = 0.0;
    for (int j = rank_; j < size_; ++j) square = std::fma(column(j)[i], column(j)[i], square);
    row_factor_[i] = 0.0;
    if (square == 0.0) return;
    const double diagonal = diagonal_[i];
    const double length = std::sqrt(std::fma(diagonal, diagonal, square));
    const double end = diagonal > 0.0 ? -length : length;
    const double scale = 1.0 / (diagonal - end);
    const double factor = (end - diagonal) / end;
    for (int j = rank_; j < size_; ++j) column(j)[i] *= scale;
    for (int r = 0; r < i; ++r) {
      double sum = column(i)[r];
      for (int j = rank_; j < size_; ++j) sum = std::fma(column(j)[r], column(j)[i], sum);
      sum *= factor;
      column(i)[r] -= sum;
      for (int j = rank_; j < size_; ++j) {
        column(j)[r] = std::fma(-sum, column(j)[i], column(j)[r]);
      }
    }
    diagonal_[i] = end;
    row_factor_[i] = factor;
  }
  CAROM_HOST_DEVICE const double* column(int j) const { return matrix_ + j * Max; }

  int size_;
  int rank_ = 0;
  int order_[Max];  ///< place in x of each column
  double diagonal_[Max];
  double column_factor_[Max];
  double row_factor_[Max];
  double matrix_[Max * Max];  ///< by columns
};

}  // namespace carom::inline CAROM_ISA
