#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/signs/box_form.hpp"

namespace carom::inline CAROM_ISA {

/// Signs of a speed, as a set of bits.
enum Sign : std::uint8_t { no_sign = 0, minus = 1, zero = 2, plus = 4, any_sign = 7 };

/// The equations of a pattern of signs: speeds of sign zero are zero. Unknown are the x of these
/// coordinates; those of the other coordinates follow from them.
template <int MaxCoordinates>
class SignEquations {
 public:
  using Box = BoxForm<MaxCoordinates>;
  /// Pivots below this part of the first one are rounding errors of linearly dependent equations.
  static constexpr double dependent = 1e-12;

  /// @param sign per coordinate; `no_sign` for frictions of a contact without impulse
  CAROM_HOST_DEVICE SignEquations(const Box& box, const std::uint8_t* sign)
      : box_(box), sign_(sign) {
    for (int c = 0; c < box.coordinates(); ++c) {
      if (sign[c] == zero) unknown_[size_++] = c;
    }
  }

  /// Adds to x, whose unknowns are given, the change that solves the equations; unknowns that the
  /// equations leave free keep their values. The order of the pivots depends on the signs alone,
  /// and so do the bits of the result if the given unknowns are zero.
  CAROM_HOST_DEVICE void solve(double* x) {
    set_dependents(x);
    double speed[MaxCoordinates];
    box_.speeds_of(x, speed);
    fill(speed);
    eliminate();
    substitute(x);
    set_dependents(x);
  }

  /// Whether the last solve() left no unknown free.
  CAROM_HOST_DEVICE bool is_regular() const { return rank_ == size_; }
  /// Sign of the determinant of the equations of the last solve(): -1, 0 or 1.
  CAROM_HOST_DEVICE int orientation() const { return is_regular() ? orientation_ : 0; }

 private:
  /// x of the coordinates whose signs are not zero.
  CAROM_HOST_DEVICE void set_dependents(double* x) const {
    for (int i = 0; i < box_.contacts; ++i) {
      const int normal = box_.first[i];
      if (sign_[normal] == plus) x[normal] = 0.0;
      if (sign_[normal] == minus) x[normal] = box_.cap[normal];
      for (int c = normal + 1; c < box_.first[i + 1]; ++c) {
        if (sign_[normal] == plus) {
          x[c] = 0.0;
        } else if (sign_[c] != zero) {
          x[c] = slope(c) * x[normal];
        }
      }
    }
  }

  /// x of a sliding friction per normal x.
  CAROM_HOST_DEVICE double slope(int friction) const {
    return sign_[friction] == plus ? -box_.friction[friction] : box_.friction[friction];
  }

  CAROM_HOST_DEVICE double& entry(int row, int column) {
    return entry_[row * (MaxCoordinates + 1) + column];
  }

  /// Matrix and, as its last column, the right-hand side.
  CAROM_HOST_DEVICE void fill(const double* speed) {
    const int n = box_.coordinates();
    for (int r = 0; r < size_; ++r) {
      const double* const row = box_.matrix + unknown_[r] * n;
      for (int j = 0; j < size_; ++j) {
        const int c = unknown_[j];
        double sum = row[c];
        if (box_.is_normal(c)) {
          for (int f = c + 1; f < n && box_.normal[f] == c; ++f) {
            if (sign_[f] != zero) sum = std::fma(slope(f), row[f], sum);
          }
          sum /= box_.reach[c];
        }
        entry(r, j) = sum;
      }
      entry(r, size_) = -speed[unknown_[r]];
    }
  }

  /// Gauss' method with full pivoting: rows and columns are exchanged in place.
  CAROM_HOST_DEVICE void eliminate() {
    double least = 0.0;
    orientation_ = 1;
    for (int j = 0; j < size_; ++j) position_[j] = j;
    for (rank_ = 0; rank_ < size_; ++rank_) {
      int row = rank_;
      int column = rank_;
      double most = -1.0;
      for (int r = rank_; r < size_; ++r) {
        for (int j = rank_; j < size_; ++j) {
          if (!(std::fabs(entry(r, j)) > most)) continue;
          most = std::fabs(entry(r, j));
          row = r;
          column = j;
        }
      }
      if (rank_ == 0) least = dependent * most;
      if (!(most > least)) return;
      if (row != rank_) {
        for (int j = 0; j <= size_; ++j) swap(entry(row, j), entry(rank_, j));
        orientation_ = -orientation_;
      }
      if (column != rank_) {
        for (int r = 0; r < size_; ++r) swap(entry(r, column), entry(r, rank_));
        swap(position_[column], position_[rank_]);
        orientation_ = -orientation_;
      }
      const double pivot = entry(rank_, rank_);
      if (pivot < 0.0) orientation_ = -orientation_;
      for (int r = rank_ + 1; r < size_; ++r) {
        const double factor = -entry(r, rank_) / pivot;
        if (factor == 0.0) continue;
        for (int j = rank_ + 1; j <= size_; ++j) {
          entry(r, j) = std::fma(factor, entry(rank_, j), entry(r, j));
        }
      }
    }
  }

  CAROM_HOST_DEVICE void substitute(double* x) {
    for (int r = rank_ - 1; r >= 0; --r) {
      double& change = entry(r, size_);
      for (int j = r + 1; j < rank_; ++j) change = std::fma(-entry(r, j), entry(j, size_), change);
      change /= entry(r, r);
      const int c = unknown_[position_[r]];
      x[c] += change / box_.reach[c];
    }
  }

  template <class T>
  CAROM_HOST_DEVICE static void swap(T& one, T& other) {
    const T kept = one;
    one = other;
    other = kept;
  }

  const Box& box_;
  const std::uint8_t* sign_;
  int size_ = 0;
  int rank_ = 0;
  int orientation_ = 1;
  int unknown_[MaxCoordinates];
  int position_[MaxCoordinates];  // of the unknowns in the columns
  double entry_[MaxCoordinates * (MaxCoordinates + 1)];
};

}  // namespace carom::inline CAROM_ISA
