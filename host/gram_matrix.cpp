#include "host/gram_matrix.hpp"

#include "kernels/double_double.hpp"

namespace carom {

SplitMatrix gram_matrix(const Eigen::MatrixXd& factor) {
  const Eigen::Index size = factor.cols();
  SplitMatrix gram;
  gram.high.resize(size, size);
  gram.low.resize(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      DoubleDouble sum;
      for (Eigen::Index k = 0; k < factor.rows(); ++k) {
        sum = sum + DoubleDouble::exact_product(factor(k, i), factor(k, j));
      }
      gram.high(i, j) = gram.high(j, i) = sum.high;
      gram.low(i, j) = gram.low(j, i) = sum.low;
    }
  }
  return gram;
}

}  // namespace carom
