#include <gtest/gtest.h>

#include "kernels/compliant/compliant_rollout.hpp"
#include "kernels/compliant/piecewise_affine.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using nlohmann::json;

double crossing(const GuardArc& arc) { return FirstCrossing::of(arc); }

TEST(FirstCrossing, IsTheZeroOfTheCubic) {
  // (u - 0.25) (u² + 1): slope 1 - 0.5 u + 3 u²
  EXPECT_NEAR(crossing({-0.25, 1.0, 1.5, 3.5}), 0.25, 1e-15);
  // 4 u - 1, a line
  EXPECT_NEAR(crossing({-1.0, 4.0, 3.0, 4.0}), 0.25, 1e-15);
  EXPECT_GT(crossing({-1.0, 0.5, -0.5, 0.5}), 1.0);
}

TEST(FirstCrossing, FindsAHumpBetweenTwoStepsEnds) {
  // 0.25 - (u - 0.5)² - delta: parabola with its top 0.25 - delta above zero
  const auto hump = [](double delta) { return GuardArc{-delta, 1.0, -delta, -1.0}; };
  const double delta = 0.25 - 1e-10;
  EXPECT_NEAR(crossing(hump(delta)), 0.5 - 1e-5, 1e-11);
  EXPECT_GT(crossing(hump(0.25 + 1e-10)), 1.0);
}

TEST(GuardArcs, StayOnOneSideIfTheirControlPointsDo) {
  using Row = Lanes<double, row_lanes<double, 8>>;
  constexpr std::uint32_t lanes = (1u << (sizeof(Row) / sizeof(double))) - 1;
  const auto arcs = [](double begin, double begin_slope, double end, double end_slope) {
    return GuardArcs<Row>{Row::all(begin), Row::all(begin_slope), Row::all(end),
                          Row::all(end_slope)};
  };
  EXPECT_EQ(arcs(-1.0, 1.0, -1.0, -1.0).stay_below() & lanes, lanes);
  EXPECT_EQ(arcs(-1.0, 1.0, -1.0, -1.0).stay_above() & lanes, 0u);
  EXPECT_EQ(arcs(1.0, -1.0, 1.0, 1.0).stay_above() & lanes, lanes);
  EXPECT_EQ(arcs(-0.1, 1.0, -0.1, -1.0).stay_below() & lanes, 0u);  // a hump may reach zero
  EXPECT_EQ(arcs(-0.1, -1.0, 0.1, 1.0).stay_below() & lanes, 0u);
}

TEST(FirstCrossing, TakesTheFirstOfThree) {
  // (u - 0.2) (u - 0.5) (u - 0.9)
  const auto value = [](double u) { return (u - 0.2) * (u - 0.5) * (u - 0.9); };
  const auto slope = [](double u) { return 3.0 * u * u - 3.2 * u + 0.73; };
  EXPECT_NEAR(crossing({value(0.0), slope(0.0), value(1.0), slope(1.0)}), 0.2, 1e-14);
}

TEST(FirstCrossing, OfAGuardJustLeftIsItsReturn) {
  // u (u - 0.5), begun on the guard: rounding may say beyond it
  for (const double rounding : {-1e-17, 0.0, 1e-17}) {
    EXPECT_NEAR(crossing({rounding, -0.5, 0.5, 1.5}), 0.5, 1e-14);
    EXPECT_GT(crossing({rounding, -0.5, -0.25, 0.0}), 1.0);
  }
}

TEST(FirstCrossing, IsNowOnTheGuardOrBeyond) {
  EXPECT_EQ(crossing({0.0, 1.0, 1.0, 1.0}), 0.0);
  EXPECT_EQ(crossing({1e-17, 1.0, -1.0, 1.0}), 0.0);
  EXPECT_EQ(crossing({0.0, 0.0, 1.0, 2.0}), 0.0);  // from rest
}

TEST(Corner, CarriesADirectionInTheOrderOfItsGuards) {
  const json data = test::read_json("compliant/order_test.json");
  double matrix[8 * 9];
  double vector[8 * 3];
  for (int s = 0; s < 8; ++s) {
    std::string bits;
    for (int k = 0; k < 3; ++k) bits += (s >> k & 1) != 0 ? '1' : '0';
    const json& mode = data["modes"][bits];
    for (int i = 0; i < 3; ++i) {
      vector[3 * s + i] = mode["b"][static_cast<std::size_t>(i)];
      for (int j = 0; j < 3; ++j) {
        matrix[9 * s + 3 * i + j] =
            mode["A"][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      }
    }
  }
  const double guard[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0};
  const double offset[] = {0.0, 0.0, 0.0};
  const AffineField system{{3, 3, matrix, vector, guard, offset}};
  Corner<AffineField> corner;
  corner.count = 3;
  for (int k = 0; k < 3; ++k) corner.guard[k] = k;
  for (double& number : corner.x) number = 0.0;
  const json& directions = data["corner"]["directions"];
  ASSERT_EQ(directions.size(), 24u);
  for (const json& direction : directions) {
    double v[AffineField::max_states];
    for (std::size_t i = 0; i < 3; ++i) v[i] = direction["v"][i];
    corner.carry(system, v);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(v[i], direction["b_derivative"][i], 1e-13);
  }
}

}  // namespace
}  // namespace carom
