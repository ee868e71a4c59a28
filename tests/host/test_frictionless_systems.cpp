#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "carom/error.hpp"
#include "carom/propagative.hpp"
#include "carom/scenario.hpp"
#include "host/families/unique_by.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using nlohmann::json;
using testing::HasSubstr;

ImpactProblem build(const std::string& system, const std::string& parameters) {
  return parse_scenario("system = \"" + system + "\"\n[parameters]\n" + parameters).problem;
}

const std::string initial = R"(
settle = 0
body = 5.78
hip = 5.13
knee = 5.24
other_hip = 1.99
other_knee = 5.24
tail = 0
front_radius = 0.07
hind_radius = 0.04
upper_leg = 0.08
lower_leg = 0.10
)";

struct Reference {
  const char* name;
  const char* system;
  std::string parameters;
};

void PrintTo(const Reference& reference, std::ostream* out) { *out << reference.name; }

class FrictionlessSystem : public testing::TestWithParam<Reference> {};

TEST_P(FrictionlessSystem, HasTheMatricesOfAnIndependentProgram) {
  const ImpactProblem found = build(GetParam().system, GetParam().parameters);
  constexpr double rounding = 1e-14;
  bool known = false;
  for (const json& data : test::read_json("propagative/outcomes.json")) {
    if (data.at("name") != GetParam().name) continue;
    known = true;
    const auto expect_near = [&](const Eigen::MatrixXd& one, const Eigen::MatrixXd& other) {
      ASSERT_EQ(one.rows(), other.rows());
      ASSERT_EQ(one.cols(), other.cols());
      EXPECT_LE((one - other).cwiseAbs().maxCoeff(), rounding) << one << "\nwanted\n" << other;
    };
    expect_near(found.mass_matrix, test::matrix_of(data.at("mass_matrix")));
    expect_near(found.normal_jacobian, test::matrix_of(data.at("normal_jacobian")));
    expect_near(found.pre_impact_velocity, test::vector_of(data.at("cases").at(0).at("v")));
    EXPECT_TRUE(found.friction.isZero(0.0));
  }
  EXPECT_TRUE(known);
}

INSTANTIATE_TEST_SUITE_P(All, FrictionlessSystem,
                         testing::Values(Reference{"billiards_45", "billiards", "angle_deg = 45"},
                                         Reference{"billiards_90", "billiards", "angle_deg = 90"},
                                         Reference{"billiards_120", "billiards", "angle_deg = 120"},
                                         Reference{
                                             "billiards_60", "billiards",
                                             "radius_a = 0.5\nradius_b = 0.5\nradius_c = 0.5"},
                                         Reference{"trex_initial", "trex", initial},
                                         Reference{"trex_optimized", "trex", "settle = 0"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Billiards, WeighAsTheirRadiiCubed) {
  const ImpactProblem balls =
      build("billiards", "mass = 2\nradius_a = 2\nradius_b = 1\nradius_c = 4\ncue_speed = 3");
  const Eigen::VectorXd masses = balls.mass_matrix.diagonal();
  EXPECT_EQ(masses, (Eigen::VectorXd(6) << 2, 2, 0.25, 0.25, 16, 16).finished());
  EXPECT_EQ(balls.pre_impact_velocity(5), 3.0);
}

TEST(Billiards, ThatOverlapAreRefused) {
  try {
    build("billiards", "angle_deg = 30");
    FAIL() << "two balls in one place";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("[parameters] angle_deg is 30 (must be at most 180, and "
                                        "balls a and b must not overlap)"));
  }
}

TEST(Trex, SettlesOnFootAndTail) {
  // The row x' of a point has minus its height over the front body in the column of the body.
  const ImpactProblem settled = build("trex", "");
  const ImpactProblem stated = build("trex", "settle = 0");
  const auto step = [](const ImpactProblem& p) {
    return p.tangent_jacobian(0, 2) - p.tangent_jacobian(1, 2);
  };
  EXPECT_NEAR(step(settled), 0.0, 1e-15);
  EXPECT_GT(std::abs(step(stated)), 1e-4);
  EXPECT_THROW(build("trex", "settle = 0.5"), InputError);
  EXPECT_THROW(build("trex", "hind_radius = 0.07"), InputError);
}

TEST(Trex, HasOneOutcomeForOneBendOfTheKnee) {
  const UniqueBy found = unique_by("trex", "knee", 5.5, 5.8);
  ASSERT_EQ(found.values.size(), 1u);
  EXPECT_TRUE(found.values[0].all);
  EXPECT_NEAR(found.values[0].value, 5.627228276507756, 1e-12);  // by bisection in another program
  const ImpactProblem bent = build("trex", fmt::format("knee = {}", found.values[0].value));
  EXPECT_LT(propagative_outcomes(bent).indeterminacy, 1e-12);
  EXPECT_GT(propagative_outcomes(build("trex", "")).indeterminacy, 1e-5);
}

}  // namespace
}  // namespace carom
