#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "host/bounds/polyhedron.hpp"

namespace carom {
namespace {

IntegerVector vector(std::initializer_list<int> entries) {
  return {entries.begin(), entries.end()};
}

TEST(Polyhedron, HullOfACubeWithItsCentreHasEightCornersAndSixFacets) {
  std::vector<IntegerVector> points = {vector({1, 0, 0, 0})};
  for (const int x : {-1, 1}) {
    for (const int y : {-1, 1}) {
      for (const int z : {-1, 1}) points.push_back(vector({1, x, y, z}));
    }
  }
  const Polyhedron cube = Polyhedron::hull(points);
  EXPECT_EQ(cube.generators().size(), 8u);
  EXPECT_EQ(cube.conditions().size(), 6u);
  EXPECT_TRUE(cube.contains(vector({2, 1, -1, 2})));
  EXPECT_FALSE(cube.contains(vector({2, 1, -1, 3})));
  // The plane x + y + z = 0 meets it in a hexagon, the half-space above 2 in a corner.
  EXPECT_EQ(cube.cut({{vector({0, 1, 1, 1}), true}}).generators().size(), 6u);
  EXPECT_EQ(cube.cut({{vector({-2, 1, 1, 1}), false}}).generators().size(), 4u);
  EXPECT_TRUE(cube.cut({{vector({-4, 1, 1, 1}), false}}).empty());
}

TEST(Polyhedron, HullOfAPointAndAConeInAPlaneKnowsThePlane) {
  const Polyhedron wedge = Polyhedron::hull(
      {vector({1, 0, 0, 5}), vector({0, 1, 0, 0}), vector({0, 1, 1, 0}), vector({0, 2, 1, 0})});
  EXPECT_EQ(wedge.generators().size(), 3u);
  EXPECT_TRUE(wedge.contains(vector({1, 7, 3, 5})));
  EXPECT_FALSE(wedge.contains(vector({1, 3, 7, 5})));
  EXPECT_FALSE(wedge.contains(vector({1, 7, 3, 4})));
}

TEST(Polyhedron, OfTheConditionsOfAHullIsTheHull) {
  std::mt19937 engine(3);
  std::uniform_int_distribution<int> entry(-9, 9);
  for (int repetition = 0; repetition < 40; ++repetition) {
    std::vector<IntegerVector> points;
    const int flat = repetition % 3;  // the last coordinates depend on the others
    for (int i = 0; i < 12; ++i) {
      IntegerVector point = vector({1, entry(engine), entry(engine), entry(engine), entry(engine)});
      if (flat > 0) point[4] = point[1] - 2 * point[2] + 3;
      if (flat > 1) point[3] = point[1];
      points.push_back(point);
    }
    const Polyhedron hull = Polyhedron::hull(points);
    for (const IntegerVector& point : points) EXPECT_TRUE(hull.contains(point));
    std::vector<IntegerVector> again = Polyhedron::of(hull.conditions(), 5).generators();
    std::vector<IntegerVector> corners = hull.generators();
    std::sort(again.begin(), again.end());
    std::sort(corners.begin(), corners.end());
    EXPECT_EQ(again, corners);
  }
}

TEST(Exact, RoundsToTheNextDoubleOutwards) {
  const Rational third(1, 3);
  EXPECT_GT(exact(rounded_up(third)), third);
  EXPECT_LT(exact(rounded_down(third)), third);
  EXPECT_EQ(std::nextafter(rounded_down(third), 1.0), rounded_up(third));
  EXPECT_EQ(rounded_up(exact(0.1)), 0.1);
  EXPECT_EQ(rounded_down(exact(-0.1)), -0.1);
  // Integers far beyond the range of doubles.
  const Integer huge = multiprecision::pow(Integer(10), 400);
  EXPECT_EQ(rounded_up(Rational(huge, 4 * huge)), 0.25);
}

TEST(Exact, RowBasisWritesDependentRowsAsSums) {
  const RationalMatrix rows = {{0, 0}, {1, 2}, {2, 4}, {0, 3}, {1, 1}};
  const RowBasis basis = row_basis(rows);
  EXPECT_EQ(basis.independent, (std::vector<int>{1, 3}));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(rows[i][j], basis.weights[i][0] * rows[1][j] + basis.weights[i][1] * rows[3][j]);
    }
  }
}

}  // namespace
}  // namespace carom
