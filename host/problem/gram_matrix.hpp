#pragma once

#include <Eigen/Core>

#include "kernels/lcp/lcp_view.hpp"

namespace carom {

/// A matrix in double-double precision, row-major: high + low.
struct SplitMatrix {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor high;
  RowMajor low;
};

/// Noise levels of Lemke's method for such a matrix, in double-double precision.
inline constexpr LemkeTolerances double_double_tolerances{
    .cancellation = 0x1p-90, .pivot_floor = 1e-26, .tie = 1e-22};

/// factor' factor, positive semidefinite and of the factor's rank to 32 digits. Rounded to double,
/// it would be neither if columns are linearly dependent.
SplitMatrix gram_matrix(const Eigen::MatrixXd& factor);

}  // namespace carom
