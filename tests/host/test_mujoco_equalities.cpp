// Equality constraints of MuJoCo models, which hold through an impact.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <string>

#include "carom/sampler.hpp"
#include "host/problem/decompositions.hpp"
#include "tests/support/mujoco_models.hpp"

namespace carom {
namespace {

using test::expect_near;
using test::vector;
using Mujoco = test::MujocoModels;

/// A block whose arm turns half as far: the problem is that of the three free coordinates.
TEST_F(Mujoco, EqualityConstraintsHoldThroughTheImpact) {
  const auto problem = [&](const std::string& active, const Eigen::VectorXd& velocity) {
    const std::string file = model(R"(
      <body name="block" pos="0 0 0.1"><joint type="slide" axis="1 0 0"/>
        <joint type="slide" axis="0 0 1"/><joint name="tilt" axis="0 1 0"/>
        <geom name="left" size="0.01" pos="-0.3 0 -0.09" mass="1"/>
        <geom name="right" size="0.01" pos="0.3 0 -0.09" mass="1"/>
        <body pos="0.1 0 0.2"><joint name="arm" axis="0 1 0"/>
          <geom size="0.02" pos="0.1 0 0.3" mass="2"/></body></body>)",
                                   "<equality><joint joint1=\"arm\" joint2=\"tilt\" "
                                   "polycoef=\"0 0.5 0 0 0\" active=\"" +
                                       active + "\"/></equality>");
    return impact_problem_from_mujoco({.model = file, .qvel = velocity});
  };
  const Eigen::VectorXd before = vector({0.3, -1.0, 0.4, 0.2});
  const ImpactProblem held = problem("true", before);
  const ImpactProblem loose = problem("false", before);
  expect_near(held.pre_impact_velocity, before, 1e-12);
  Eigen::MatrixXd free(4, 3);
  free << Eigen::Matrix3d::Identity(), Eigen::RowVector3d(0.0, 0.0, 0.5);
  ImpactProblem reduced = loose;
  reduced.mass_matrix = free.transpose() * loose.mass_matrix * free;
  reduced.normal_jacobian = loose.normal_jacobian * free;
  reduced.tangent_jacobian = loose.tangent_jacobian * free;
  reduced.pre_impact_velocity = before.head(3);
  SamplingOptions options;
  options.trajectories = 500;
  options.impulse_step = 0.5;
  options.epsilon = 0.01;
  options.set_valued().solutions = Solutions::first;
  const SampleSet outcomes = sample(held, options);
  const SampleSet wanted = sample(reduced, options);
  expect_near(outcomes.velocity_rows(), wanted.velocity_rows() * free.transpose(), 1e-5);
  expect_near(Eigen::Map<const Eigen::VectorXd>(outcomes.energy.data(), 500),
              Eigen::Map<const Eigen::VectorXd>(wanted.energy.data(), 500), 1e-5);
  EXPECT_TRUE(held.doubts.empty());
  // What breaks the constraint is gone before the impact.
  const ImpactProblem broken = problem("true", vector({0.3, -1.0, 0.4, 0.7}));
  const ImpactProblem much = problem("true", vector({0.3, -1.0, 0.4, 7.0}));
  ASSERT_EQ(much.doubts.size(), 1u);
  EXPECT_EQ(much.doubts[0].code, "changed_velocity");
  const Eigen::VectorXd begins = broken.pre_impact_velocity;
  EXPECT_NEAR(begins(3), 0.5 * begins(2), 1e-9);
  EXPECT_NEAR(
      (free.transpose() * loose.mass_matrix * (vector({0.3, -1.0, 0.4, 0.7}) - begins)).norm(), 0.0,
      1e-9);
}

/// A chain of four bars, closed by `rod`, whose plane the base turns into that of the floor's
/// normal. Of the closing point's three rows, one is rounding: nothing moves across the plane.
std::string four_bars(const std::string& base, double rod) {
  const auto link = [](const std::string& name, const std::string& place, const std::string& end,
                       double mass, const std::string& inside) {
    return "<body name=\"" + name + "\" pos=\"" + place + "\"><joint axis=\"0 0 1\"/>" +
           "<geom type=\"capsule\" size=\"0.01\" fromto=\"0 0 0 " + end + "\" mass=\"" +
           std::to_string(mass) + "\" contype=\"0\" conaffinity=\"0\"/>" + inside + "</body>";
  };
  const std::string foot = "<geom name=\"foot\" size=\"0.02\" pos=\"0.05 -0.31 0\" mass=\"0.1\"/>";
  return "<body pos=\"0 0 0.329\"><joint type=\"slide\" axis=\"1 0 0\"/>"
         "<joint type=\"slide\" axis=\"0 0 1\"/><geom size=\"0.05\" mass=\"10\" contype=\"0\" "
         "conaffinity=\"0\"/><body euler=\"" +
         base + "\">" +
         link("left", "0 0 0", "0.05 -0.3 0", 10.0,
              foot + link("rod", "0.02 -0.15 0", "0.3 0.01 0", rod, "")) +
         link("right", "0.3 0 0", "-0.02 -0.3 0", 10.0, "") + "</body></body>";
}

TEST_F(Mujoco, ClosedChainsMoveAsFarAsTheyAreClosed) {
  for (const double rod : {1.0, 1e-3, 1e-6}) {
    const std::string file = model(
        four_bars("1.5707963267948966 0 0", rod),
        "<equality><connect body1=\"rod\" body2=\"right\" anchor=\"0.3 0.01 0\"/></equality>");
    const Eigen::VectorXd asked = vector({0.2, -1.0, 0.3, -0.2, 0.4});
    const ImpactProblem held = impact_problem_from_mujoco({.model = file, .qvel = asked});
    const ImpactProblem loose = impact_problem_from_mujoco(
        {.model = model(four_bars("1.5707963267948966 0 0", rod)), .qvel = asked});
    // Two rows hold: of five velocities, three remain, and an impulse moves no others.
    const Eigen::MatrixXd inverse = loose.mass_matrix.inverse();
    const Eigen::MatrixXd slow = inverse - held.mass_matrix.inverse();  // what the rows take away
    const Eigen::MatrixXd root = loose.mass_matrix.llt().matrixL();
    const Eigen::VectorXd shares = eigenvalues(root.transpose() * slow * root);
    expect_near(shares, vector({0.0, 0.0, 0.0, 1.0, 1.0}), 2e-6);
    EXPECT_GT(held.pre_impact_velocity.norm(), 0.5) << rod;
    EXPECT_LT((held.pre_impact_velocity - asked).norm(), 1.0) << rod;
    EXPECT_EQ(held.tangent_dimension(), 1) << rod;
  }
}

/// A light box that is welded to the world stays where it is when a heavy ball hits it.
TEST_F(Mujoco, HeldPartsStayWhereHeavyOnesHitThem) {
  const std::string file = model(R"(
    <body name="box" pos="0 0 1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" mass="1"/></body>
    <body name="ball" pos="0 0 1.2999"><freejoint/><geom name="ball" size="0.2" mass="1e4"/></body>)",
                                 "<equality><weld body1=\"box\"/></equality>");
  Eigen::VectorXd velocity = Eigen::VectorXd::Zero(12);
  velocity(8) = -1.5;
  const ImpactProblem problem = impact_problem_from_mujoco({.model = file, .qvel = velocity});
  SamplingOptions options;
  options.trajectories = 10;
  const SampleSet outcomes = sample(problem, options);
  EXPECT_LT(outcomes.velocity_rows().leftCols(6).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT(outcomes.velocity_rows().col(8).cwiseAbs().maxCoeff(), 1e-4);
}

}  // namespace
}  // namespace carom
