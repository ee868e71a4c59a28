#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "kernels/problem/largest_eigenvalue.hpp"
#include "kernels/problem/power_of_two.hpp"
#include "tests/support/random_problem.hpp"

namespace carom {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double largest(const RowMajor& matrix) {
  const auto size = static_cast<int>(matrix.rows());
  RowMajor power(size, size);
  RowMajor square(size, size);
  return largest_eigenvalue<Lanes<double, 1>>(matrix.data(), size, size, power.data(),
                                              square.data());
}

TEST(LargestEigenvalue, OfSmallMatrices) {
  EXPECT_EQ(largest(RowMajor::Constant(1, 1, 3.0)), 3.0);
  EXPECT_DOUBLE_EQ(largest((RowMajor(2, 2) << 2, 1, 1, 2).finished()), 3.0);
  EXPECT_DOUBLE_EQ(largest(RowMajor::Identity(4, 4)), 1.0);
  EXPECT_EQ(largest(RowMajor::Zero(3, 3)), 0.0);
  // The largest diagonal entry, 3, is an eigenvalue, but that of the block beside it is 4.9.
  EXPECT_DOUBLE_EQ(largest((RowMajor(3, 3) << 3, 0, 0, 0, 2.9, 2, 0, 2, 2.9).finished()), 4.9);
}

TEST(LargestEigenvalue, HoldsWhateverTheDistanceOfTheNext) {
  test::Random random(1);
  for (const int size : {2, 3, 6, 24}) {
    for (double gap = 0.5; gap > 1e-17; gap /= 3.0) {
      // I - g e e' - ... in axes of integers, so that the eigenvalues are known: Householder
      // reflections of a diagonal matrix would round by more than the gap.
      RowMajor matrix = RowMajor::Zero(size, size);
      matrix(0, 0) = matrix(1, 1) = 1.0 - gap / 2.0;
      matrix(0, 1) = matrix(1, 0) = gap / 2.0;  // eigenvalues 1 and 1 - gap
      for (int i = 2; i < size; ++i) matrix(i, i) = random.uniform(0.0, 1.0 - gap);
      EXPECT_NEAR(largest(matrix), 1.0, 4e-15) << size << ' ' << gap;
      EXPECT_NEAR(largest(0x1p-900 * matrix), 0x1p-900, 0x1p-900 * 4e-15);
      EXPECT_NEAR(largest(0x1p900 * matrix), 0x1p900, 0x1p900 * 4e-15);
    }
  }
}

TEST(PowerOfTwo, IsTheNearestByRatio) {
  EXPECT_EQ(power_of_two_near(1.0), 1.0);
  EXPECT_EQ(power_of_two_near(1.4142), 1.0);
  EXPECT_EQ(power_of_two_near(1.4143), 2.0);
  EXPECT_EQ(power_of_two_near(0.75), 1.0);
  EXPECT_EQ(power_of_two_near(0x1p-300), 0x1p-300);
  EXPECT_EQ(power_of_two_near(5e-324), 0x1p-1022);
  EXPECT_EQ(power_of_two_near(1.7e308), 0x1p1022);
  test::Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::exp(random.uniform(-700.0, 700.0));
    EXPECT_EQ(power_of_two_near(value), std::exp2(std::round(std::log2(value)))) << value;
  }
}

}  // namespace
}  // namespace carom
