#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/signs/box_form.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// The box form of a problem's steps whose matrix does not depend on caps and speeds.
/// @tparam Size holds the problem
template <class Size>
CAROM_HOST_DEVICE BoxForm<Size::bounded_size / 2> box_at_rest(const StepLcpView& problem) {
  double at_rest[Size::impulses];
  double caps[Size::contacts];
  for (double& speed : at_rest) speed = 0.0;
  for (double& cap : caps) cap = 1.0;
  return {problem, at_rest, caps, 0.0};
}

/// A proof that each step of a problem has one solution, found sooner than by determinants if it
/// holds: the symmetric parts of the admittance with all frictions that slide, one matrix for each
/// combination of their signs, are positive definite, with coordinates scaled in some way. Then so
/// are those of all patterns of signs, whose matrices are principal parts of means of these.
template <int MaxCoordinates>
class MonotoneSteps {
 public:
  using Box = BoxForm<MaxCoordinates>;

  CAROM_HOST_DEVICE explicit MonotoneSteps(const Box& box) : box_(box) {
    const int n = box_.coordinates();
    for (int i = 0; i < n * n; ++i) largest_ = larger(largest_, std::fabs(box_.matrix[i]));
    for (int i = 0; i < box_.contacts; ++i) {
      for (int c = box_.first[i]; c < box_.first[i + 1]; ++c) contact_[c] = i;
    }
  }

  /// Whether the proof holds.
  CAROM_HOST_DEVICE bool hold() { return hold_by_bounds() || hold_for_all_signs(); }

 private:
  /// Pivots below this part of the largest entry may be rounding errors.
  static constexpr double trusted = 1e-6;
  static constexpr double most_combinations = 5e3;  // milliseconds

  /// Whether a matrix below all of them is positive definite, each friction's row divided by its
  /// contact's reach: what friction c takes off, friction x_normal sum_i of row_ci x_i, is at most
  /// friction / 2 (weight x_normal^2 + (sum_i of row_ci x_i)^2 / weight), with any weight > 0.
  CAROM_HOST_DEVICE bool hold_by_bounds() {
    const int n = box_.coordinates();
    const double* const matrix = box_.matrix;
    double part[MaxCoordinates];
    for (int i = 0; i < n; ++i)
      part[i] = box_.is_normal(i) ? 1.0 : 1.0 / box_.reach[box_.normal[i]];
    for (int i = 0; i < n; ++i) {
      double* const row = factor_ + i * MaxCoordinates;
      for (int j = 0; j <= i; ++j) row[j] = 0.5 * (part[i] + part[j]) * matrix[i * n + j];
    }
    for (int c = 0; c < n; ++c) {
      if (box_.is_normal(c)) continue;
      const int normal = box_.normal[c];
      const double weight = std::sqrt(matrix[normal * n + normal] * part[c] * matrix[c * n + c] /
                                      frictions(contact_[c]));
      if (!(weight > 0.0)) return false;
      const double half = 0.5 * box_.friction[c];
      factor_[normal * MaxCoordinates + normal] -= half * weight;
      for (int i = 0; i < n; ++i) {
        const double its = -half * part[i] * matrix[c * n + i] / weight;
        double* const row = factor_ + i * MaxCoordinates;
        for (int j = 0; j <= i; ++j) row[j] = std::fma(its, part[j] * matrix[c * n + j], row[j]);
      }
    }
    for (int row = 0; row < n; ++row) {
      const double* const entry = factor_ + row * MaxCoordinates;
      if (!factorize(row, [&](int column) { return entry[column]; })) return false;
    }
    return true;
  }

  /// Cholesky's method for one combination after the other; the rows of the contacts before the
  /// first one whose signs change are kept.
  CAROM_HOST_DEVICE bool hold_for_all_signs() {
    double combinations = 1.0;
    for (int i = 0; i < box_.contacts; ++i) combinations *= 1 << frictions(i);
    if (combinations > most_combinations) return false;
    int contact = 0;
    backward_[0] = 0;
    while (contact >= 0) {
      if (!factorize_contact(contact)) return false;
      if (contact + 1 < box_.contacts) {
        backward_[++contact] = 0;
        continue;
      }
      while (contact >= 0 && ++backward_[contact] == 1 << frictions(contact)) --contact;
    }
    return true;
  }

  CAROM_HOST_DEVICE bool factorize_contact(int contact) {
    for (int row = box_.first[contact]; row < box_.first[contact + 1]; ++row) {
      const auto entry = [&](int column) {
        return with_slides(row, column) + with_slides(column, row);
      };
      if (!factorize(row, entry)) return false;
    }
    return true;
  }

  /// Entry of the admittance with all frictions that slide.
  CAROM_HOST_DEVICE double with_slides(int row, int column) const {
    const double* const entry = box_.matrix + row * box_.coordinates();
    if (!box_.is_normal(column)) return entry[column];
    const int contact = contact_[column];
    double sum = entry[column];
    for (int c = column + 1; c < box_.first[contact + 1]; ++c) {
      const bool backward = (backward_[contact] >> (c - column - 1) & 1) != 0;
      const double its = box_.friction[c] * entry[c];
      sum += backward ? its : -its;
    }
    return sum / box_.reach[column];
  }

  /// Writes a row of Cholesky's factor below those before it; false if its pivot may not be
  /// positive.
  template <class Entry>
  CAROM_HOST_DEVICE bool factorize(int row, const Entry& entry) {
    double* const its = factor_ + row * MaxCoordinates;
    for (int c = 0; c <= row; ++c) {
      double sum = entry(c);
      for (int k = 0; k < c; ++k) sum = std::fma(-its[k], factor_[c * MaxCoordinates + k], sum);
      if (c == row && !(sum > trusted * largest_)) return false;
      its[c] = c == row ? std::sqrt(sum) : sum / factor_[c * MaxCoordinates + c];
    }
    return true;
  }

  /// Frictions of a contact.
  CAROM_HOST_DEVICE int frictions(int contact) const {
    return box_.first[contact + 1] - box_.first[contact] - 1;
  }

  const Box& box_;
  double largest_ = 0.0;                            // entry of the admittance
  int contact_[MaxCoordinates];                     // of a coordinate
  int backward_[MaxCoordinates];                    // of a contact: bits of its frictions
  double factor_[MaxCoordinates * MaxCoordinates];  // lower part
};

}  // namespace carom::inline CAROM_ISA
