#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/problem/friction_directions.hpp"

namespace carom {
namespace {

/// In units of the last place, or of 2^-57 where these are smaller: long double has no more of an
/// angle.
long double error_in_ulps(double found, long double wanted) {
  const double ulp = std::nextafter(std::abs(found), 2.0) - std::abs(found);
  return std::abs(found - wanted) / std::max(ulp, 0x1p-57);
}

TEST(FrictionDirections, AreTheNearestDoubles) {
  for (int k = 4; k <= 56; k += 2) {
    std::vector<double> directions(static_cast<std::size_t>(2 * k));
    write_friction_directions(2, k, directions.data());
    for (int j = 0; j < k; ++j) {
      const long double angle = 2 * 3.14159265358979323846264338327950288L * j / k;
      const auto at = static_cast<std::size_t>(2 * j);
      EXPECT_LE(error_in_ulps(directions[at], std::cos(angle)), 0.5L + 0.05L) << k << ' ' << j;
      EXPECT_LE(error_in_ulps(directions[at + 1], std::sin(angle)), 0.5L + 0.05L) << k << ' ' << j;
    }
  }
  double six[12];
  write_friction_directions(2, 6, six);
  EXPECT_EQ(six[2], 0.5);
  EXPECT_EQ(six[4], -0.5);
  EXPECT_EQ(six[5], six[3]);
}

}  // namespace
}  // namespace carom
