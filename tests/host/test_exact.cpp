#include "host/bounds/exact.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_problem.hpp"

namespace carom {
namespace {

/// As large as the mass matrix of a humanoid, for which fractions of integers took minutes.
TEST(Exact, SolvesLargeSystemsOfDoubles) {
  constexpr std::size_t size = 40;
  test::Random random(3);
  const auto any = [&] { return exact(random.uniform(-1.0, 1.0)); };
  RationalMatrix a(size), b(2);
  for (RationalVector& row : a) {
    for (std::size_t j = 0; j < size; ++j) row.push_back(any());
  }
  a[0][0] = 0;  // the first pivot is in another row
  for (RationalVector& side : b) {
    for (std::size_t j = 0; j < size; ++j) side.push_back(any());
  }
  const RationalMatrix x = solve(a, b);
  for (std::size_t side = 0; side < b.size(); ++side) {
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(dot(a[i], x[side]), b[side][i]);
  }
}

/// Boost's divisor, of numbers of few and of many digits, near to one another, and zero.
TEST(Exact, FindsGreatestCommonDivisors) {
  test::Random random(5);
  const auto below = [&](int bound) { return static_cast<int>(random.uniform(0.0, bound)); };
  const auto any = [&](int words) {
    Integer number = below(2) == 0 ? 1 : -1;
    for (int i = 0; i < words; ++i) number = (number << 62) + below(1 << 30);
    return number;
  };
  for (int i = 0; i < 3000; ++i) {
    const Integer factor = any(below(4));
    const Integer a = factor * any(below(12));
    Integer b = factor * any(below(12));
    if (i % 7 == 0) b = a + factor;
    if (i % 11 == 0) b = 0;
    ASSERT_EQ(common_divisor(a, b), gcd(a, b)) << a << " " << b;
    ASSERT_EQ(common_divisor(b, a), gcd(a, b));
  }
  EXPECT_EQ(common_divisor(0, 0), 0);
}

}  // namespace
}  // namespace carom
