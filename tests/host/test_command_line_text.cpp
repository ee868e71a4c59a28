#include <gtest/gtest.h>

#include <limits>

#include "host/cli/terminal.hpp"

namespace carom {
namespace {

TEST(CommandLineText, TakesNothingForNoiseBesideAScaleThatIsNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cli::number(1e-13, 1.0), "0");
  EXPECT_EQ(cli::number(0.5, infinity), "0.5");
  EXPECT_EQ(cli::number(infinity, infinity), "inf");
}

}  // namespace
}  // namespace carom
