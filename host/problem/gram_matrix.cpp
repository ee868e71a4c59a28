#include "host/problem/gram_matrix.hpp"

#include "kernels/problem/split_gram.hpp"

namespace carom {

SplitMatrix gram_matrix(const Eigen::MatrixXd& factor) {
  const SplitMatrix::RowMajor rows = factor;
  const auto size = static_cast<int>(factor.cols());
  SplitMatrix gram;
  gram.high.resize(size, size);
  gram.low.resize(size, size);
  split_gram<Lanes<double, 1>>(rows.data(), static_cast<int>(rows.rows()), size, size,
                               gram.high.data(), gram.low.data(), size);
  return gram;
}

}  // namespace carom
