#pragma once

#include "kernels/base/double_double.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/base/team.hpp"

namespace carom::inline CAROM_ISA {

/// Whole vectors of `Row` for `count` numbers.
template <class Row>
CAROM_HOST_DEVICE constexpr int whole_rows(int count) {
  constexpr int lanes = static_cast<int>(sizeof(Row) / sizeof(double));
  return (count + lanes - 1) / lanes * lanes;
}

/// factor' factor of a matrix (rows x columns) in double-double precision, high + low: positive
/// semidefinite and of the factor's rank to 32 digits. Rounded to double, the matrix would be
/// neither if columns are linearly dependent. It is symmetric to the last bit.
///
/// All rows are whole vectors of `Row`; those of the factor are `stride` doubles apart, those of
/// the result `result_stride`.
/// @tparam Team the threads that call it together
template <class Row, class Team = SoleThread>
CAROM_HOST_DEVICE void split_gram(const double* factor, int rows, int columns, int stride,
                                  double* high, double* low, int result_stride) {
  Team::template cells<Row>(columns, columns, [&](int i, int b) {
    BasicDoubleDouble<Row> sum;
    for (int k = 0; k < rows; ++k) {
      const double* row = factor + k * stride;
      sum = sum + BasicDoubleDouble<Row>::exact_product(Row::all(row[i]), Row::load(row + b));
    }
    sum.high.store(high + i * result_stride + b);
    sum.low.store(low + i * result_stride + b);
  });
}

}  // namespace carom::inline CAROM_ISA
