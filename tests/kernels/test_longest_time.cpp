// How far bodies in the plane move in a part of a step.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/mechanisms/longest_time.hpp"

namespace carom {
namespace {

/// Of two discs of 10 cm whose vertical speeds are these, which come nearer than they are by 2 cm
/// at most.
double longest_time_of(double first, double second, double spin = 0.0, double distance = 0.0) {
  const PlanarLinkView links[2] = {{.coordinate = 0, .is_round = true},
                                   {.coordinate = 3, .is_round = true}};
  const double extent[2] = {0.1, 0.1};
  const PlanarSurfaceView surfaces[2] = {{.kind = SurfaceKind::half_plane, .body = -1},
                                         {.kind = SurfaceKind::disc, .body = 1, .radius = 0.1}};
  const PlanarContactView contacts[2] = {
      {.body = 0, .point = {}, .radius = 0.1, .surface = 0, .friction = 0.0},
      {.body = 0, .point = {}, .radius = 0.1, .surface = 1, .friction = 0.0}};
  PlanarView view;
  view.bodies = 2;
  view.coordinates = 6;
  view.pairs = 2;
  view.surfaces = 2;
  view.link = links;
  view.extent = extent;
  view.surface = surfaces;
  view.contact = contacts;
  view.travel = 0.01;
  const double velocity[6] = {0.0, first, spin, 0.0, second, 0.0};
  const double x[2] = {0.0, 0.0};
  const double y[2] = {0.0, 0.2 + distance};
  return longest_time(view, x, y, velocity);
}

TEST(LongestTime, DependsOnHowFastBodiesMeet) {
  EXPECT_DOUBLE_EQ(longest_time_of(0.0, -10.0), 2e-3);
  EXPECT_DOUBLE_EQ(longest_time_of(5.0, -5.0), 2e-3);
  EXPECT_DOUBLE_EQ(longest_time_of(0.0, 0.0, 50.0), 4e-3);
}

TEST(LongestTime, HasNoBoundWhereBodiesMoveTogether) {
  EXPECT_EQ(longest_time_of(-500.0, -500.0), INFINITY);
  EXPECT_DOUBLE_EQ(longest_time_of(-500.0, -499.0), 2e-2);
}

/// Bodies that are apart meet later.
TEST(LongestTime, GrowsWithTheDistance) {
  EXPECT_NEAR(longest_time_of(0.0, -10.0, 0.0, 0.08), 1e-2, 1e-15);
  EXPECT_NEAR(longest_time_of(0.0, -10.0, 0.0, 99.98), 10.0, 1e-12);
  EXPECT_DOUBLE_EQ(longest_time_of(0.0, -10.0, 0.0, -0.1), 2e-3);
}

}  // namespace
}  // namespace carom
