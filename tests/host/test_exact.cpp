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

}  // namespace
}  // namespace carom
