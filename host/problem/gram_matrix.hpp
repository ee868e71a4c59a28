#pragma once

#include <Eigen/Core>

namespace carom {

/// A matrix in double-double precision, row-major: high + low.
struct SplitMatrix {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor high;
  RowMajor low;
};

/// factor' factor, positive semidefinite and of the factor's rank to 32 digits. Rounded to double,
/// it would be neither if columns are linearly dependent.
SplitMatrix gram_matrix(const Eigen::MatrixXd& factor);

}  // namespace carom
