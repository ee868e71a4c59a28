#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <set>

#include "carom/coupling.hpp"
#include "carom/derivative.hpp"
#include "carom/error.hpp"
#include "carom/note.hpp"
#include "carom/scenario.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using nlohmann::json;
using test::farthest;
using test::frictionless;
using test::matrix_of;
using testing::HasSubstr;

constexpr double near = 1e-9;  // as the reference data

/// A case's problem with friction (if it has tangents), the pair that `speeds` names approaching at
/// 1 m/s.
ImpactProblem problem_of_case(const json& data) {
  if (!data.contains("M")) return test::reference_problem(data.at("name"));
  ImpactProblem problem =
      frictionless(matrix_of(data.at("M")), matrix_of(data.at("Jn")),
                   Eigen::VectorXd::Zero(static_cast<Eigen::Index>(data.at("M").size())));
  if (data.contains("Jt") && data.at("Jt").is_array()) {
    problem.tangent_jacobian = matrix_of(data.at("Jt"));
    problem.friction.setConstant(0.5);
  }
  return problem;
}

class CouplingCases : public testing::Test {
 protected:
  const json cases_ = test::read_json("decoupling/verdicts.json").at("cases");
};

TEST_F(CouplingCases, HaveTheVerdictsOfAnIndependentProgram) {
  ASSERT_EQ(cases_.size(), 19u);
  double worst = 0.0;
  for (const json& data : cases_) {
    const std::string name = data.at("name");
    ImpactProblem problem = problem_of_case(data);
    if (data.contains("verdict_with_friction")) {
      const Coupling found = coupling(problem);
      EXPECT_EQ(verdict_name(found.verdict), data.at("verdict_with_friction").get<std::string>())
          << name;
      worst = std::max(worst, farthest(found.contact, matrix_of(data.at("contact_coupling"))));
      EXPECT_LE(farthest(found.contact, matrix_of(data.at("contact_coupling"))), near) << name;
    }
    problem.friction.setZero();
    const Coupling found = coupling(problem);
    EXPECT_EQ(verdict_name(found.verdict), data.at("verdict_normals").get<std::string>()) << name;
    EXPECT_LE(farthest(found.normal, matrix_of(data.at("normal_cosine"))), near) << name;
    EXPECT_LE(farthest(found.contact, found.normal.cwiseAbs()), near) << name;
    worst = std::max(worst, farthest(found.normal, matrix_of(data.at("normal_cosine"))));
  }
  RecordProperty("worst", std::to_string(worst));
}

TEST_F(CouplingCases, JumpAsFarAsTheTwoOrdersOfPlasticImpactsDiffer) {
  int pairs = 0;
  for (const json& data : cases_) {
    const ImpactProblem whole = problem_of_case(data);
    for (const json& pair : data.at("plastic_pairs")) {
      const std::vector<int> rows = pair.at("contacts");
      const Eigen::MatrixXd normals = whole.normal_jacobian(rows, Eigen::all);
      ImpactProblem problem =
          frictionless(whole.mass_matrix, normals, Eigen::VectorXd::Zero(whole.velocities()));
      problem.pre_impact_velocity =
          normals.completeOrthogonalDecomposition().solve(Eigen::Vector2d(-1.0, -1.0));
      EXPECT_NEAR(coupling(problem).jump, pair.at("jump").get<double>(), near) << data.at("name");
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 18);
}

/// A point of 1 kg between two walls whose normals have the cosine c.
ImpactProblem corner(double c, double restitution) {
  ImpactProblem problem =
      frictionless(Eigen::Matrix2d::Identity(),
                   (Eigen::Matrix2d() << 1.0, 0.0, c, std::sqrt(1.0 - c * c)).finished(),
                   Eigen::Vector2d(-1.0, (c - 1.0) / std::sqrt(1.0 - c * c)));
  problem.restitution = Eigen::Vector2d::Constant(restitution);
  return problem;
}

/// Two bars on two points each: contacts 0 and 2 are the one's, 1 and 3 the other's.
ImpactProblem two_bars() {
  ImpactProblem problem = frictionless(Eigen::Vector4d(2.0, 0.3, 1.0, 0.2).asDiagonal(),
                                       (Eigen::Matrix4d() << 1.0, 0.5, 0.0, 0.0,  //
                                        0.0, 0.0, 1.0, 0.4,                       //
                                        1.0, -0.5, 0.0, 0.0,                      //
                                        0.0, 0.0, 1.0, -0.4)
                                           .finished(),
                                       Eigen::Vector4d(-1.0, 0.0, -1.0, 0.0));
  problem.contact_names = {"a1", "b1", "a2", "b2"};
  return problem;
}

TEST(Coupling, PutsContactsThatDoNotActOnOneAnotherInGroups) {
  using Groups = std::vector<std::vector<int>>;
  EXPECT_EQ(coupling(two_bars()).groups, (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(coupling(corner(0.5, 0.0)).groups, (Groups{{0, 1}}));
  EXPECT_EQ(coupling(corner(0.0, 0.0)).groups, (Groups{{0}, {1}}));
  const auto told = [](const ImpactProblem& problem) {
    std::string text;
    for (const Note& note : notes(problem, {})) {
      if (note.code == "independent_groups") text = note.text;
    }
    return text;
  };
  EXPECT_THAT(told(two_bars()), testing::HasSubstr("are 2 groups"));
  EXPECT_THAT(told(two_bars()), testing::HasSubstr("(a1, a2; b1, b2)"));
  ImpactProblem joined = two_bars();
  joined.mass_matrix(1, 2) = joined.mass_matrix(2, 1) = 0.1;
  EXPECT_EQ(coupling(joined).groups.size(), 1u);
  EXPECT_EQ(told(joined), "");
}

TEST(ProblemNotes, TellTangentsThatFrictionCannotActOn) {
  const auto told = [](const ImpactProblem& problem) {
    std::string text;
    for (const Note& note : notes(problem, {})) {
      if (note.code == "zero_tangents") text = note.text;
    }
    return text;
  };
  ImpactProblem planar = two_bars();
  EXPECT_EQ(told(planar), "");
  planar.tangent_jacobian.row(1).setZero();
  EXPECT_EQ(told(planar), "");  // without friction
  planar.friction.setConstant(0.5);
  planar.tangent_jacobian.setRandom();
  planar.tangent_jacobian.row(1).setZero();
  EXPECT_THAT(
      told(planar),
      testing::HasSubstr("1 of 4 contacts have friction, but tangent rows that are zero (b1)"));
}

TEST(Coupling, OfAnObtuseCornerJumpsOnlyIfItBounces) {
  EXPECT_EQ(verdict_name(coupling(corner(-0.5, 0.0)).verdict), std::string("obtuse"));
  EXPECT_EQ(coupling(corner(-0.5, 0.0)).jump, 0.0);
  // Both approach at 1 m/s and bounce with e = 0.5. A first: (-1, -1) -> (0.5, -1.75) ->
  // (-0.8125, 0.875) -> (0.40625, 0.265625); B first: the same with A and B exchanged.
  EXPECT_NEAR(coupling(corner(-0.5, 0.5)).jump, 0.40625 - 0.265625, 1e-14);
}

TEST(Coupling, JumpsByTheSpeedsOfTheProblem) {
  ImpactProblem problem = corner(0.5, 0.0);
  // A first stops A and leaves B with -1 + 0.5; stopping B lifts A with 0.5 * 0.5.
  EXPECT_NEAR(coupling(problem).jump, 0.25, 1e-14);
  problem.pre_impact_velocity *= 3.0;
  EXPECT_NEAR(coupling(problem).jump, 0.75, 1e-14);
  problem.pre_impact_velocity = Eigen::Vector2d(0.0, -1.0);  // A rests: B alone comes down
  EXPECT_EQ(coupling(problem).jump, 0.0);
  EXPECT_TRUE(coupling(problem).all_orders);
  problem.restitution.setConstant(0.5);  // A bounces when B pushes it: again and again
  EXPECT_FALSE(coupling(problem).all_orders);
}

TEST(Coupling, FollowsContactsThatAnImpactDrives) {
  // A stops, which pushes B and C by -0.8: they separate with 0.9 before, and still do, or with
  // 0.1. Then the one of them that is stopped first leaves with 0.175.
  const Eigen::Matrix3d normals =
      (Eigen::Matrix3d() << 1.0, 0.0, 0.0, -0.8, 0.6, 0.0, -0.8, 0.3, std::sqrt(0.27)).finished();
  const auto problem_with = [&](double separating) {
    const Eigen::Vector3d speeds(-1.0, separating, separating);
    return frictionless(Eigen::Matrix3d::Identity(), normals, normals.inverse() * speeds);
  };
  for (const auto& [separating, jump] : {std::pair(0.9, 0.0), {0.1, 0.175}}) {
    const Coupling found = coupling(problem_with(separating));
    EXPECT_TRUE(found.all_orders);
    EXPECT_NEAR(found.jump, jump, 1e-12);
    const ImpactInMotion impact = derivative(problem_with(separating));
    EXPECT_EQ(impact.contacts, std::vector<int>{0});
    EXPECT_EQ(impact.orders.size(), jump > 0.0 ? 2u : 1u);
    EXPECT_EQ(impact.continuous, jump == 0.0);
    EXPECT_EQ(impact.differentiable, jump == 0.0);
  }
}

TEST(Coupling, JumpsByWhatThreeContactsDoTogether) {
  // B and A alone have no order, but A presses C on, which rests, and C presses B.
  const Eigen::Matrix3d normals =
      (Eigen::Matrix3d() << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, -0.8, 0.3, 0.5).finished();
  ImpactProblem problem =
      frictionless(Eigen::Matrix3d::Identity(), normals, Eigen::Vector3d(-1.0, -1.0, -1.0));
  for (const double friction : {0.0, 0.5}) {  // which is left out
    problem.friction.setConstant(friction);
    const Coupling found = coupling(problem);
    EXPECT_TRUE(found.all_orders);
    EXPECT_NEAR(found.jump, 0.15 / 0.34, 1e-12);
    EXPECT_EQ(std::set({found.first, found.second}), std::set({0, 1}));
  }
  // Six contacts have 720 orders: those of two alone are followed.
  Eigen::MatrixXd six = Eigen::MatrixXd::Identity(6, 6);
  six.row(5) << 0.0, 0.0, 0.0, 0.0, 0.5, std::sqrt(0.75);
  const Eigen::VectorXd velocity = six.partialPivLu().solve(Eigen::VectorXd::Constant(6, -1.0));
  const Coupling found = coupling(frictionless(Eigen::MatrixXd::Identity(6, 6), six, velocity));
  EXPECT_FALSE(found.all_orders);
  EXPECT_NEAR(found.jump, 0.25, 1e-14);
}

TEST_F(CommandLine, DescribeTellsCouplingVerdictAndJump) {
  const json found = run_json({"describe", "rocking_block"}).at("coupling");
  EXPECT_EQ(found.size(), 7u);
  EXPECT_EQ(found.at("verdict"), "coupled");
  EXPECT_EQ(found.at("groups"), json({{0, 1}}));
  EXPECT_NEAR(found.at("contact")[0][1].get<double>(), 1.0, near);
  EXPECT_NEAR(found.at("normal")[0][1].get<double>(), 0.25, near);
  // Dropped by 1 cm, both corners hit at sqrt(2 g 0.01) m/s; 3/16 of that lifts the first.
  EXPECT_NEAR(found.at("jump").get<double>(), 3.0 / 16.0 * std::sqrt(2.0 * 9.81 * 0.01), 1e-12);
  EXPECT_THAT(run({"describe", "rocking_block"}).out,
              HasSubstr("linearising through this impact is off by up to 0.083052 m/s"));
  EXPECT_THAT(run({"describe", "compass_gait"}).out,
              HasSubstr("the order of the contacts that approach does not count"));
}

}  // namespace
}  // namespace carom
