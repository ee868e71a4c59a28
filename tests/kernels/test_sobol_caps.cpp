#include <gtest/gtest.h>

#include <bit>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <set>

#include "host/laws/set_valued/caps_plan.hpp"
#include "kernels/laws/set_valued/draw_caps.hpp"

namespace carom {
namespace {

constexpr std::uint32_t problem_id = 7;

double sobol_cap(const CapsPlan& plan, std::uint32_t seed, std::uint64_t trajectory, int contacts,
                 int dimension) {
  std::vector<double> caps(static_cast<std::size_t>(contacts));
  CapsSource(plan.view(), Philox(seed, problem_id, trajectory), trajectory, contacts)
      .draw(static_cast<std::uint32_t>(dimension / contacts), caps.data());
  return caps[static_cast<std::size_t>(dimension % contacts)];
}

/// Which of `strata` equal parts of (0, 1] holds a number.
int stratum(double number, int strata) { return static_cast<int>(std::ceil(number * strata)) - 1; }

TEST(SobolCaps, CoordinatesAreThoseOfBoostInTheOrderOfGrayCode) {
  constexpr int dimensions = 300;
  const CapsPlan plan = plan_caps(parse_caps("sobol"), 3, dimensions / 3);
  ASSERT_EQ(plan.view().sobol_dimensions, dimensions);
  boost::random::sobol engine(dimensions);
  for (std::uint32_t point = 1; point < 600; ++point) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::uint32_t gray = point ^ (point >> 1);
      ASSERT_EQ(sobol_coordinate(&plan.sobol[d * sobol_digits], gray), engine() >> 32);
    }
  }
}

TEST(SobolCaps, TheFirstPowerOfTwoPointsHitEveryStratumOfEveryDimensionOnce) {
  constexpr int points = 256;
  constexpr int contacts = 4;
  const CapsPlan plan = plan_caps(parse_caps("sobol"), contacts, 1000);
  ASSERT_EQ(plan.view().sobol_dimensions, max_sobol_dimensions);
  for (int dimension = 0; dimension < max_sobol_dimensions; dimension += 37) {
    std::set<int> plain;
    std::set<int> scrambled;
    for (std::uint32_t i = 0; i < points; ++i) {
      const std::uint32_t* direction = &plan.sobol[static_cast<std::size_t>(dimension) * 32];
      plain.insert(static_cast<int>(sobol_coordinate(direction, i) / (1u << 24)));
      scrambled.insert(stratum(sobol_cap(plan, 3, i, contacts, dimension), points));
    }
    EXPECT_EQ(plain.size(), points) << dimension;
    EXPECT_EQ(scrambled.size(), points) << dimension;
  }
}

TEST(SobolCaps, TheFirstTwoDimensionsHitEveryElementaryRectangleOnce) {
  // Sobol's first two dimensions are a (0, 2)-sequence, and scrambling keeps that.
  const CapsPlan plan = plan_caps(parse_caps("sobol"), 2, 10);
  constexpr int points = 64;
  for (int columns = 1; columns <= points; columns *= 2) {
    std::set<int> hit;
    for (std::uint64_t i = 0; i < points; ++i) {
      const int column = stratum(sobol_cap(plan, 11, i, 2, 0), columns);
      const int row = stratum(sobol_cap(plan, 11, i, 2, 1), points / columns);
      hit.insert(row * columns + column);
    }
    EXPECT_EQ(hit.size(), points) << columns << " columns";
  }
}

TEST(SobolCaps, ScramblingKeepsCommonDigitsAndSeparatesAtTheFirstOther) {
  // That is what makes a scrambling nested; it also makes it one to one.
  const Philox random(1, 2, 3);
  for (std::uint32_t trial = 0; trial < 2000; ++trial) {
    const auto words = random.words(trial, Purpose::caps, 0);
    const std::uint32_t one = words.v[0];
    const std::uint32_t other = one ^ (words.v[1] >> (trial % 32));
    const std::uint32_t change = scramble(random, 9, one) ^ scramble(random, 9, other);
    EXPECT_EQ(std::countl_zero(change), std::countl_zero(one ^ other));
  }
}

TEST(SobolCaps, EveryDigitIsFlippedForHalfOfTheSeedsAndDimensions) {
  constexpr int trials = 4096;
  int ones[sobol_digits] = {};
  int pairs[sobol_digits] = {};
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const std::uint32_t seed = trial / 64;
    const std::uint32_t scrambled = scramble(Philox(seed, 0, 0), trial % 64, 0x12345678u);
    for (int digit = 0; digit < sobol_digits; ++digit) {
      const std::uint32_t next = (digit + 1) % sobol_digits;
      ones[digit] += static_cast<int>(scrambled >> digit & 1u);
      pairs[digit] += static_cast<int>((scrambled >> digit & 1u) == (scrambled >> next & 1u));
    }
  }
  // Five standard deviations; the digits' constant pattern flips what is counted, not its law.
  for (int digit = 0; digit < sobol_digits; ++digit) {
    EXPECT_NEAR(ones[digit], trials / 2, 5.0 * std::sqrt(trials / 4.0)) << digit;
    EXPECT_NEAR(pairs[digit], trials / 2, 5.0 * std::sqrt(trials / 4.0)) << digit;
  }
}

TEST(SobolCaps, ReplicatesVaryAsOneUniformNumberPerStratumDoes) {
  // The mean of n numbers, one in each of n strata, has variance 1 / (12 n^3).
  constexpr int points = 64;
  constexpr int replicates = 400;
  const CapsPlan plan = plan_caps(parse_caps("sobol"), 2, 10);
  for (const int dimension : {0, 5, 18}) {
    double squares = 0.0;
    for (std::uint32_t seed = 0; seed < replicates; ++seed) {
      double sum = 0.0;
      for (std::uint64_t i = 0; i < points; ++i) sum += sobol_cap(plan, seed, i, 2, dimension);
      squares += (sum / points - 0.5) * (sum / points - 0.5);
    }
    const double expected = 1.0 / (12.0 * points * points * points);
    // Five standard deviations of a sum of 400 squares of nearly normal numbers.
    EXPECT_NEAR(squares / replicates / expected, 1.0, 5.0 * std::sqrt(2.0 / replicates));
  }
}

TEST(SobolCaps, BeyondTheTableAndThePointsCapsArePlainUniform) {
  constexpr int contacts = 3;
  const CapsPlan sobol = plan_caps(parse_caps("sobol"), contacts, 1000);
  const CapsPlan uniform = plan_caps(parse_caps("uniform"), contacts, 1000);
  ASSERT_EQ(sobol.view().sobol_dimensions, 1023);
  const std::uint64_t last = (std::uint64_t{1} << 32) - 1;
  const auto cap = [&](const CapsPlan& plan, std::uint64_t trajectory, int dimension) {
    return sobol_cap(plan, 1, trajectory, contacts, dimension);
  };
  EXPECT_NE(cap(sobol, last, 1022), cap(uniform, last, 1022));
  EXPECT_EQ(cap(sobol, last, 1023), cap(uniform, last, 1023));
  EXPECT_EQ(cap(sobol, last + 1, 0), cap(uniform, last + 1, 0));
}

}  // namespace
}  // namespace carom
