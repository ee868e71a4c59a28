#include "host/gram_matrix.hpp"

#include "kernels/double_double.hpp"

namespace carom {

SplitMatrix gram_matrix(const Eigen::MatrixXd& factor) {
  const Eigen::Index size = factor.cols();
  SplitMatrix gram;
  gram.high.resize(size, size);
  gram.low.resize(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      DoubleDouble sum;
      for (Eigen::Index k = 0; k < factor.rows(); ++k) {
        sum = sum + DoubleDouble::exact_product(factor(k, i), factor(k, j));
      }
      gram.high(i, j) = sum.high;
      gram.low(i, j) = sum.low;
    }
  }
  return gram;
}

}  // namespace carom
