#include "kernels/base/sine_cosine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace carom {
namespace {

/// Distance of a result from the true number, in units of the result's last place.
double error_in_ulps(double result, long double exact) {
  const double place = std::nextafter(std::fabs(result), INFINITY) - std::fabs(result);
  return static_cast<double>(std::fabs(static_cast<long double>(result) - exact)) / place;
}

void expect_within_an_ulp(double angle) {
  const SineCosine found = sine_cosine(angle);
  const auto exact = static_cast<long double>(angle);
  EXPECT_LE(error_in_ulps(found.sine, std::sin(exact)), 1.0) << angle;
  EXPECT_LE(error_in_ulps(found.cosine, std::cos(exact)), 1.0) << angle;
}

TEST(SineCosine, IsExactWithoutATurn) {
  const SineCosine found = sine_cosine(0.0);
  EXPECT_EQ(found.sine, 0.0);
  EXPECT_EQ(found.cosine, 1.0);
}

TEST(SineCosine, IsWithinAnUlpOfTheTrueNumber) {
  std::mt19937_64 random(1);
  for (const double size : {1e-9, 1e-3, 0.8, 4.0, 100.0, 1e6}) {
    std::uniform_real_distribution<double> angle(-size, size);
    for (int i = 0; i < 20'000; ++i) expect_within_an_ulp(angle(random));
  }
}

TEST(SineCosine, IsWithinAnUlpNearMultiplesOfARightAngle) {
  for (int quarter = -1000; quarter <= 1000; ++quarter) {
    double angle = quarter * 1.5707963267948966;
    for (int i = 0; i < 3; ++i) {
      expect_within_an_ulp(angle);
      angle = std::nextafter(angle, INFINITY);
    }
  }
}

TEST(SineCosine, HasTheSymmetriesOfTheFunctions) {
  for (double angle = 0.01; angle < 20.0; angle += 0.37) {
    const SineCosine there = sine_cosine(angle);
    const SineCosine back = sine_cosine(-angle);
    EXPECT_EQ(back.sine, -there.sine);
    EXPECT_EQ(back.cosine, there.cosine);
  }
}

}  // namespace
}  // namespace carom
