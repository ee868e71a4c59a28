#include <gtest/gtest.h>

#include "kernels/random/philox.hpp"

namespace carom {
namespace {

TEST(Philox, IsPhilox4x32TenOfItsCounter) {
  // Random123's published vector: counter and key all ones.
  const r123::Philox4x32::ctr_type counter = {{~0u, ~0u, ~0u, ~0u}};
  const r123::Philox4x32::key_type key = {{~0u, ~0u}};
  const auto words = r123::Philox4x32{}(counter, key);
  EXPECT_EQ(words.v[0], 0x408f276du);
  EXPECT_EQ(words.v[1], 0x41c83b0eu);
  EXPECT_EQ(words.v[2], 0xa20bc7c6u);
  EXPECT_EQ(words.v[3], 0x6d5451fdu);
}

TEST(Philox, DrawsOnTheHalfOpenUnitIntervalWithTheMeanOfAUniform) {
  double sum = 0.0;
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    double pair[2];
    Philox(3, 4, static_cast<std::uint64_t>(i)).uniform_pair(0, Purpose::caps, 0, pair);
    for (const double value : pair) {
      ASSERT_GT(value, 0.0);
      ASSERT_LE(value, 1.0);
      sum += value;
    }
  }
  // Six standard deviations of the mean of 40,000 uniforms.
  EXPECT_NEAR(sum / (2 * draws), 0.5, 6.0 * 0.2887 / 200.0);
}

TEST(Philox, SeparatesSeedProblemTrajectoryStepAndBlock) {
  const auto first = [](std::uint32_t seed, std::uint32_t problem, std::uint64_t trajectory,
                        std::uint32_t step, std::uint32_t block) {
    double pair[2];
    Philox(seed, problem, trajectory).uniform_pair(step, Purpose::caps, block, pair);
    return pair[0];
  };
  const double base = first(1, 2, 3, 4, 5);
  EXPECT_EQ(base, first(1, 2, 3, 4, 5));
  EXPECT_NE(base, first(2, 2, 3, 4, 5));
  EXPECT_NE(base, first(1, 3, 3, 4, 5));
  EXPECT_NE(base, first(1, 2, 4, 4, 5));
  EXPECT_NE(base, first(1, 2, 3 + (std::uint64_t{1} << 32), 4, 5));
  EXPECT_NE(base, first(1, 2, 3, 5, 5));
  EXPECT_NE(base, first(1, 2, 3, 4, 6));
}

}  // namespace
}  // namespace carom
