// How far bodies in the plane move in a part of a step.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/mechanisms/longest_time.hpp"

namespace carom {
namespace {

/// Of two discs whose vertical speeds are these, and which move by 1 cm at most.
double longest_time_of(double first, double second, double spin = 0.0) {
  const PlanarLinkView links[2] = {{.coordinate = 0, .is_round = true},
                                   {.coordinate = 3, .is_round = true}};
  const double extent[2] = {0.1, 0.1};
  PlanarView view;
  view.bodies = 2;
  view.coordinates = 6;
  view.link = links;
  view.extent = extent;
  view.travel = 0.01;
  const double velocity[6] = {0.0, first, spin, 0.0, second, 0.0};
  return longest_time(view, velocity);
}

TEST(LongestTime, DependsOnHowFastBodiesMeet) {
  EXPECT_DOUBLE_EQ(longest_time_of(0.0, -10.0), 1e-3);
  EXPECT_DOUBLE_EQ(longest_time_of(5.0, -5.0), 2e-3);
  EXPECT_DOUBLE_EQ(longest_time_of(0.0, 0.0, 50.0), 2e-3);
}

TEST(LongestTime, HasNoBoundWhereBodiesMoveTogether) {
  EXPECT_EQ(longest_time_of(-500.0, -500.0), INFINITY);
  EXPECT_DOUBLE_EQ(longest_time_of(-500.0, -499.0), 1e-2);
}

}  // namespace
}  // namespace carom
