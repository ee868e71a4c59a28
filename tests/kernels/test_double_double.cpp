#include <gtest/gtest.h>

#include "kernels/base/double_double.hpp"

namespace carom {
namespace {

TEST(DoubleDouble, KeepsWhatOneDoubleLoses) {
  const DoubleDouble sum = DoubleDouble(1.0) + DoubleDouble(0x1p-80);
  EXPECT_EQ(sum.high, 1.0);
  EXPECT_EQ(sum.low, 0x1p-80);
  EXPECT_EQ((sum - DoubleDouble(1.0)).high, 0x1p-80);
}

TEST(DoubleDouble, MultipliesExactlyWhereTwoDoublesHoldTheProduct) {
  const double a = 1.0 + 0x1p-52;
  const DoubleDouble square = DoubleDouble(a) * DoubleDouble(a);  // 1 + 2^-51 + 2^-104
  EXPECT_EQ(square.high, 1.0 + 0x1p-51);
  EXPECT_EQ(square.low, 0x1p-104);
}

TEST(DoubleDouble, DividesToThirtyDigits) {
  const DoubleDouble third = DoubleDouble(1.0) / DoubleDouble(3.0);
  const DoubleDouble error = third * DoubleDouble(3.0) - DoubleDouble(1.0);
  EXPECT_LT(std::fabs(error.high), 1e-31);
}

TEST(DoubleDouble, OrdersByTheLowPartWhereTheHighPartsAgree) {
  EXPECT_TRUE(DoubleDouble(1.0, -1e-20) < DoubleDouble(1.0));
  EXPECT_FALSE(DoubleDouble(1.0, 1e-20) < DoubleDouble(1.0));
}

}  // namespace
}  // namespace carom
