#pragma once

#include <cmath>

#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/problem/power_of_two.hpp"
#include "kernels/problem/split_gram.hpp"

namespace carom::inline CAROM_ISA {

CAROM_HOST_DEVICE inline double trace_of(const double* matrix, int size, int stride) {
  double sum = 0.0;
  for (int i = 0; i < size; ++i) sum += matrix[i * stride + i];
  return sum;
}

/// The largest eigenvalue of a symmetric, positive semidefinite matrix, to a few units in the last
/// place of its trace, however close the next eigenvalue is.
///
/// The matrix A is squared until its power has (nearly) rank one; then a column x of the power is
/// the eigenvector, and x' A x / x' x the eigenvalue. With N = 2^p for the power and 1 - delta for
/// the ratio of two eigenvalues, the smaller eigenvalue causes a relative error of at most delta (1
/// - delta)^(2 N), so eigenvalues that squaring cannot separate do no harm.
///
/// All rows are `stride` doubles apart and whole vectors of `Row`.
/// @tparam Team the threads that call it together
/// @param power, square work space for as many rows
template <class Row, class Team = SoleThread>
CAROM_HOST_DEVICE double largest_eigenvalue(const double* matrix, int size, int stride,
                                            double* power, double* square) {
  // Weights of all eigenvalues but one: their sum is about this where squaring ends.
  constexpr double rest = 0x1p-15;
  // Also ends when the weights no longer change: after N = 2^25, eigenvalues of equal weight agree
  // to 1e-14.
  constexpr int least_squarings = 25;
  constexpr int most_squarings = 46;
  constexpr double unchanged = 0x1p-48;

  const double trace = trace_of(matrix, size, stride);
  if (!(trace > 0.0)) return 0.0;
  const auto scale_into = [&](const double* from, double factor, double* to) {
    Team::template cells<Row>(size, size, [&](int i, int b) {
      (Row::load(from + i * stride + b) * Row::all(factor)).store(to + i * stride + b);
    });
  };
  scale_into(matrix, 1.0 / power_of_two_near(trace), power);
  scale_into(power, 1.0 / trace_of(power, size, stride), power);
  double before = 0.0;
  for (int squarings = 1; squarings <= most_squarings; ++squarings) {
    Team::template cells<Row>(size, size, [&](int i, int b) {
      Row sum = Row::all(power[i * stride]) * Row::load(power + b);
      for (int k = 1; k < size; ++k) {
        sum = fused(Row::all(power[i * stride + k]), Row::load(power + k * stride + b), sum);
      }
      sum.store(square + i * stride + b);
    });
    // The weights sum to 1; this is the sum of their squares.
    const double squares = trace_of(square, size, stride);
    scale_into(square, 1.0 / squares, power);
    if (1.0 - squares <= 2.0 * rest) break;
    if (squarings >= least_squarings && std::fabs(squares - before) <= unchanged) break;
    before = squares;
  }
  int largest = 0;
  for (int i = 1; i < size; ++i) {
    if (power[i * stride + i] > power[largest * stride + largest]) largest = i;
  }
  const double* vector = power + largest * stride;  // row and column are the same
  Team::template columns<Row>(0, size, [&](int b) {
    Row sum = Row::all(vector[0]) * Row::load(matrix + b);
    for (int k = 1; k < size; ++k) {
      sum = fused(Row::all(vector[k]), Row::load(matrix + k * stride + b), sum);
    }
    sum.store(square + b);
  });
  double product = 0.0;
  double length = 0.0;
  for (int i = 0; i < size; ++i) {
    product = std::fma(vector[i], square[i], product);
    length = std::fma(vector[i], vector[i], length);
  }
  return product / length;
}

}  // namespace carom::inline CAROM_ISA
