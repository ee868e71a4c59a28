#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <array>
#include <thread>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "carom/sampler.hpp"
#include "carom/scenario.hpp"
#include "tests/support/mujoco_models.hpp"

namespace carom {
namespace {

using test::ball;
using test::expect_near;
using test::falling;
using test::shipped_model;
using test::vector;
using testing::ElementsAre;
using Mujoco = test::MujocoModels;

ImpactProblem built_in(const std::string& name) {
  for (const System& system : systems()) {
    if (system.name == name) return system.build({});
  }
  throw std::logic_error("no system " + name);
}

ImpactProblem shipped(const std::string& name, const std::string& keyframe) {
  return impact_problem_from_mujoco({.model = shipped_model(name), .keyframe = keyframe});
}

void expect_equal_problems(const ImpactProblem& found, const ImpactProblem& wanted,
                           double tolerance) {
  expect_near(found.mass_matrix, wanted.mass_matrix, tolerance);
  expect_near(found.normal_jacobian, wanted.normal_jacobian, tolerance);
  expect_near(found.tangent_jacobian, wanted.tangent_jacobian, tolerance);
  expect_near(found.friction, wanted.friction, tolerance);
  expect_near(found.pre_impact_velocity, wanted.pre_impact_velocity, tolerance);
  EXPECT_EQ(found.friction_directions, wanted.friction_directions);
}

TEST_F(Mujoco, RockingBlockIsTheBuiltInOne) {
  expect_equal_problems(shipped("rocking_block", "land"), built_in("rocking_block"), 1e-9);
}

TEST_F(Mujoco, CompassGaitIsTheBuiltInOne) {
  expect_equal_problems(shipped("compass_gait", "step"), built_in("compass_gait"), 1e-9);
}

TEST_F(Mujoco, ModelsOfTheBuiltInSystemsGiveTheSameOutcomes) {
  const std::pair<const char*, const char*> models[] = {{"rocking_block", "land"},
                                                        {"compass_gait", "step"}};
  for (const auto& [name, keyframe] : models) {
    const SamplingOptions options{
        .trajectories = 4096, .max_steps = 10, .impulse_step = 0.25, .seed = 5};
    const SampleSet found = sample(shipped(name, keyframe), options);
    const SampleSet wanted = sample(built_in(name), options);
    EXPECT_EQ(found.status, wanted.status) << name;
    ASSERT_EQ(found.velocity.size(), wanted.velocity.size());
    const auto rows = static_cast<Eigen::Index>(found.velocity.size());
    expect_near(Eigen::Map<const Eigen::VectorXd>(found.velocity.data(), rows),
                Eigen::Map<const Eigen::VectorXd>(wanted.velocity.data(), rows), 1e-6);
  }
}

TEST_F(Mujoco, QuadrupedLandsOnFourFeetInSpace) {
  const ImpactProblem problem = shipped("quadruped", "land");
  EXPECT_EQ(problem.velocities(), 18);
  EXPECT_EQ(problem.tangent_dimension(), 2);
  EXPECT_EQ(problem.friction_directions, 4);
  EXPECT_THAT(problem.contact_names, ElementsAre("front_left_foot", "front_right_foot",
                                                 "rear_left_foot", "rear_right_foot"));
  expect_near(problem.friction, Eigen::VectorXd::Constant(4, 0.8), 0.0);
  expect_near(problem.normal_jacobian * problem.pre_impact_velocity,
              Eigen::VectorXd::Constant(4, -1.0), 1e-12);
  // Trunk 6 kg and four legs of 0.8 kg: all moves where the trunk does.
  expect_near(problem.mass_matrix.topLeftCorner(3, 3), 9.2 * Eigen::Matrix3d::Identity(), 1e-12);
}

TEST_F(Mujoco, QuadrupedsOutcomesLoseEnergyAndNoneFails) {
  const ImpactProblem problem = shipped("quadruped", "land");
  const PostImpactSet set = post_impact_set(
      problem,
      {.trajectories = 512, .max_steps = 60, .impulse_step = 2.0, .epsilon = 0.5, .seed = 3});
  EXPECT_EQ(set.summary.status_counts[0], 512U);
  EXPECT_GT(set.summary.energy.least, 0.0);
  EXPECT_LE(set.summary.energy.greatest,
            kinetic_energy(problem, problem.pre_impact_velocity) * (1.0 + 1e-12));
}

// A free joint's velocities: linear in the world's axes, angular in the body's.
TEST_F(Mujoco, TiltedBrickHasItsClosedForm) {
  const std::string file = model(R"(
    <body name="brick"><freejoint/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.01 0.02 0.025"/>
      <geom name="corner" type="sphere" size="1e-12" pos="0.2 -0.1 -0.05"/></body>)");
  const Eigen::Quaterniond turn =
      Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1.0, 2.0, -0.5).normalized()));
  const Eigen::Vector3d corner(0.2, -0.1, -0.05);  // in the brick's axes
  const double height = -(turn * corner).z();
  const Eigen::VectorXd velocity = vector({0.1, 0.2, -3.0, 0.4, 0.5, 0.6});
  const double scale = 3.0;  // a quaternion counts by its direction
  const ImpactProblem problem = impact_problem_from_mujoco(
      {.model = file,
       .qpos = vector({0.3, 0.4, height, scale * turn.w(), scale * turn.x(), scale * turn.y(),
                       scale * turn.z()}),
       .qvel = velocity});
  ASSERT_EQ(problem.contacts(), 1);
  expect_near(problem.mass_matrix,
              vector({2, 2, 2, 0.01, 0.02, 0.025}).asDiagonal().toDenseMatrix(), 1e-12);
  expect_near(problem.pre_impact_velocity, velocity, 0.0);
  Eigen::Matrix<double, 3, 6> motion;  // of the corner, world axes
  motion.leftCols<3>().setIdentity();
  for (int axis = 0; axis < 3; ++axis) {
    motion.col(3 + axis) = turn * Eigen::Vector3d::Unit(axis).cross(corner);
  }
  expect_near(problem.normal_jacobian, motion.row(2), 1e-9);
  // MuJoCo's tangents of a floor: +y and -x.
  expect_near(problem.tangent_jacobian.row(0), motion.row(1), 1e-9);
  expect_near(problem.tangent_jacobian.row(1), -motion.row(0), 1e-9);
}

// MuJoCo orders geoms by type: the ball is the second one on a plane, the first one on a box.
TEST_F(Mujoco, VelocitiesAreThoseOfTheGeomThatCanMove) {
  const ImpactProblem on_plane =
      impact_problem_from_mujoco({.model = model(ball), .qvel = falling()});
  const std::string table = R"(
    <geom name="table" type="box" size="1 1 0.5" pos="0 0 1"/>
    <body name="ball" pos="0 0 1.6"><freejoint/><geom name="ball" size="0.1" mass="1"/></body>)";
  const ImpactProblem on_box =
      impact_problem_from_mujoco({.model = model(table), .qvel = falling()});
  EXPECT_THAT(on_plane.contact_names, ElementsAre("ball/floor"));
  EXPECT_THAT(on_box.contact_names, ElementsAre("ball/table"));
  expect_near(on_box.normal_jacobian, on_plane.normal_jacobian, 1e-12);
  EXPECT_NEAR(on_box.normal_jacobian(0, 2), 1.0, 1e-12);
  // Each tangent row is a direction of the ball's own slip in the plane.
  expect_near(on_box.tangent_jacobian.leftCols(2) * on_box.tangent_jacobian.leftCols(2).transpose(),
              Eigen::Matrix2d::Identity(), 1e-12);
}

// A sole whose outline has eight corners: the four that are the farthest out are left of it.
TEST_F(Mujoco, MergesToTheCornersThatKeepMostOfTheArea) {
  std::string points;
  for (const auto& [x, y] : {std::pair(0.2, 0.0),
                             {0.19, 0.04},
                             {0.1, 0.05},
                             {-0.1, 0.05},
                             {-0.11, 0.0},
                             {-0.1, -0.05},
                             {0.1, -0.05},
                             {0.19, -0.04}}) {
    points += "<geom size=\"0.001\" mass=\"1\" pos=\"" + std::to_string(x) + " " +
              std::to_string(y) + " 0\"/>";
  }
  const std::string file =
      model("<body name=\"sole\" pos=\"0 0 0.001\"><freejoint/>" + points + "</body>");
  const auto contacts = [&](int merge) {
    return impact_problem_from_mujoco({.model = file, .qvel = falling(), .merge = merge});
  };
  EXPECT_EQ(contacts(0).contacts(), 8);
  EXPECT_EQ(contacts(1).contacts(), 8);
  const ImpactProblem four = contacts(4);
  EXPECT_EQ(four.merged_contacts, 4);
  EXPECT_THAT(four.contact_names, ElementsAre("geom 2", "geom 4", "geom 6", "geom 8"));
  EXPECT_EQ(contacts(9).contacts(), 8);
}

// The front and the back corners of a box in the plane, and all corners of a box that cannot turn.
TEST_F(Mujoco, PointsThatMoveAlikeAreOneContact) {
  const auto box = [&](const std::string& hinge, const Eigen::VectorXd& velocity) {
    const std::string file = model("<body name=\"box\" pos=\"0 0 0.1\">" + hinge + R"(
      <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
      <geom name="box" type="box" size="0.2 0.1 0.1" mass="2"/></body>)");
    return impact_problem_from_mujoco({.model = file, .qvel = velocity});
  };
  const ImpactProblem turning =
      box("<joint type=\"hinge\" axis=\"0 1 0\"/>", vector({0.0, 0.0, -1.0}));
  EXPECT_THAT(turning.contact_names, ElementsAre("box 1", "box 2"));
  EXPECT_EQ(turning.merged_contacts, 0);
  expect_near(turning.normal_jacobian.col(0).cwiseAbs(), Eigen::Vector2d::Constant(0.2), 1e-12);
  EXPECT_THAT(box("", vector({0.0, -1.0})).contact_names, ElementsAre("box/floor"));
}

// A turntable stands on the floor: turning, it moves across the normal only, up to rounding.
TEST_F(Mujoco, ContactsThatNoMotionOpensAreLeftOut) {
  const std::string file = model(R"(
    <body name="turntable" pos="0 0 0.1" euler="0 0 37">
      <joint type="hinge" axis="0 0 1" pos="0.01 0.02 0.03"/>
      <geom name="turntable" type="box" size="0.3 0.2 0.1" mass="1"/></body>
    <body name="ball" pos="2 0 0.1"><freejoint/><geom name="ball" size="0.1" mass="1"/></body>)");
  Eigen::VectorXd velocity = Eigen::VectorXd::Zero(7);
  velocity << 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0;
  const ImpactProblem problem = impact_problem_from_mujoco({.model = file, .qvel = velocity});
  EXPECT_THAT(problem.contact_names, ElementsAre("ball/floor"));
}

TEST_F(Mujoco, TwoMovingBodiesPushEachOtherApart) {
  const std::string file = model(R"(
    <body name="low" pos="0 0 1"><freejoint/><geom name="low" size="0.1" mass="1"/></body>
    <body name="high" pos="0 0 1.2"><freejoint/><geom name="high" size="0.1" mass="1"/></body>)");
  Eigen::VectorXd velocity = Eigen::VectorXd::Zero(12);
  velocity(8) = -1.0;
  const ImpactProblem problem = impact_problem_from_mujoco({.model = file, .qvel = velocity});
  EXPECT_THAT(problem.contact_names, ElementsAre("high/low"));
  EXPECT_NEAR(problem.normal_jacobian(0, 2), -1.0, 1e-12);
  EXPECT_NEAR(problem.normal_jacobian(0, 8), 1.0, 1e-12);
}

// A point that moves in the xz-plane, between a ramp and a wall.
constexpr const char* planar_point = R"(
  <geom name="ramp" type="plane" size="1 1 1" euler="0 -0.5235987755982988 0"/>
  <geom name="wall" type="plane" size="1 1 1" euler="0 -1.5707963267948966 0"/>
  <body name="point"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom name="point" size="1e-12"/></body>)";

TEST_F(Mujoco, PlanarTangentsPointTowardsXOrElseZ) {
  const std::string file = model(planar_point);
  const ImpactProblem problem = impact_problem_from_mujoco(
      {.model = file, .qvel = vector({1.0, -1.0}), .geoms = {{"ramp", ""}, {"wall", "point"}}});
  EXPECT_THAT(problem.contact_names, ElementsAre("point/ramp", "point/wall"));
  ASSERT_EQ(problem.tangent_dimension(), 1);
  EXPECT_EQ(problem.friction_directions, 2);
  Eigen::MatrixXd normals(2, 2);
  normals << -0.5, std::sqrt(0.75), -1.0, 0.0;
  expect_near(problem.normal_jacobian, normals, 1e-12);
  Eigen::MatrixXd tangents(2, 2);
  tangents << std::sqrt(0.75), 0.5, 0.0, 1.0;
  expect_near(problem.tangent_jacobian, tangents, 1e-12);
}

TEST_F(Mujoco, SelectsContactsByGeomsAndDistance) {
  const std::string file = model(planar_point);
  const auto count = [&](std::vector<MujocoGeoms> geoms, double height, double distance) {
    return impact_problem_from_mujoco({.model = file,
                                       .qpos = vector({0.0, height}),
                                       .qvel = vector({1.0, -1.0}),
                                       .geoms = std::move(geoms),
                                       .distance = distance})
        .contacts();
  };
  EXPECT_EQ(count({}, 0.0, 1e-3), 3);
  EXPECT_EQ(count({{"point", ""}}, 0.0, 1e-3), 3);
  EXPECT_EQ(count({{"wall", ""}, {"floor", "point"}}, 0.0, 1e-3), 2);
  EXPECT_EQ(count({}, 0.02, 0.03), 3);
  EXPECT_EQ(count({}, 0.02, 0.019), 2);  // the floor is 0.02 m below, the ramp 0.0173 m
  EXPECT_EQ(count({}, 0.02, 0.001), 1);
  EXPECT_EQ(count({}, 0.02, 0.03), 3);  // nothing is left of a smaller distance
}

TEST_F(Mujoco, GeomsTouchAtTheirMargin) {
  const std::string file = model(
      "<body name=\"ball\"><freejoint/><geom name=\"ball\" size=\"0.1\" margin=\"0.005\"/></body>");
  const auto problem = [&](double height) {
    Eigen::VectorXd qpos = Eigen::VectorXd::Unit(7, 3);
    qpos(2) = 0.1 + height;
    return impact_problem_from_mujoco(
        {.model = file, .qpos = qpos, .qvel = -Eigen::VectorXd::Unit(6, 2), .distance = 1e-3});
  };
  EXPECT_EQ(problem(0.0059).contacts(), 1);
  EXPECT_EQ(problem(-0.01).contacts(), 1);
  EXPECT_THROW(problem(0.0061), InputError);
}

TEST_F(Mujoco, NumbersThePointsThatTwoGeomsShareAndKnowsFrictionlessContacts) {
  const std::string file = model(R"(
    <body name="box" pos="0 0 0.1"><freejoint/>
      <geom name="box" type="box" size="0.3 0.2 0.1" mass="1" condim="1"/></body>)",
                                 "<default><geom condim=\"1\"/></default>");
  const ImpactProblem problem = impact_problem_from_mujoco({.model = file, .qvel = falling()});
  EXPECT_THAT(problem.contact_names, ElementsAre("box 1", "box 2", "box 3", "box 4"));
  expect_near(problem.friction, Eigen::VectorXd::Zero(4), 0.0);
}

/// Two sliders, one on the other, move along their normals alone, whatever way they are turned.
TEST_F(Mujoco, ContactsWithoutSlipLeaveAProblemPlanar) {
  const std::string file = model(R"(<body euler="0.3 -0.4 0.9">
    <geom name="ground" type="plane" size="1 1 1" pos="0 0 9"/>
    <body pos="0 0 9.05"><joint type="slide" axis="0 0 1"/><geom size="0.05" mass="1"/></body>
    <body pos="0 0 9.15" euler="0 0 -0.8187"><joint type="slide" axis="0 0 1"/><geom size="0.05" mass="1"/></body>
    <body pos="2 0 9.05"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
      <geom size="0.05" mass="1"/></body></body>)");
  const ImpactProblem problem =
      impact_problem_from_mujoco({.model = file, .qvel = vector({-1.0, -1.0, 2.0, -1.0})});
  EXPECT_EQ(problem.contacts(), 3);
  EXPECT_EQ(problem.tangent_dimension(), 1);
}

/// Points of one geom are numbered past the names of others.
TEST_F(Mujoco, NamesOfContactsDiffer) {
  const std::string file = model(R"(
    <body name="foot" pos="0 0 0.1"><freejoint/><geom name="foot" type="box" size="0.2 0.2 0.1" mass="1"/></body>
    <body pos="2 0 0.1"><freejoint/><geom name="foot 1" size="0.1" mass="1"/></body>)");
  Eigen::VectorXd velocity = Eigen::VectorXd::Zero(12);
  velocity(2) = -1.0;
  const ImpactProblem problem = impact_problem_from_mujoco({.model = file, .qvel = velocity});
  EXPECT_THAT(problem.contact_names, ElementsAre("foot 2", "foot 3", "foot 4", "foot 5", "foot 1"));
}

TEST_F(Mujoco, MassMatrixHoldsArmature) {
  const std::string file = model(R"(
    <body pos="0 0 0.1"><joint type="slide" axis="0 0 1" armature="0.5"/>
      <geom size="0.1" mass="2"/></body>)");
  const ImpactProblem problem = impact_problem_from_mujoco({.model = file, .qvel = vector({-1.0})});
  EXPECT_DOUBLE_EQ(problem.mass_matrix(0, 0), 2.5);
  EXPECT_THAT(problem.contact_names, ElementsAre("geom 1/floor"));
}

TEST_F(Mujoco, GeomsWithoutANameHaveThatOfTheirBodyIfItIsTheirsAlone) {
  const std::string file = model(R"(
    <body name="ball" pos="0 0 0.1"><freejoint/><geom size="0.1" mass="1"/>
      <geom size="0.2" mass="1" contype="0" conaffinity="0"/></body>
    <body name="pair" pos="2 0 0.1"><freejoint/><geom size="0.1" mass="1"/>
      <geom size="0.1" mass="1" pos="0.5 0 0"/></body>
    <body name="foot" pos="4 0 0.1"><freejoint/><geom size="0.1" mass="1"/></body>
    <body name="leg" pos="6 0 0.1"><freejoint/><geom name="foot" size="0.1" mass="1"/></body>)");
  Eigen::VectorXd velocity = Eigen::VectorXd::Zero(24);
  velocity(2) = -1.0;
  const MujocoOptions all = {.model = file, .qvel = velocity};
  EXPECT_THAT(impact_problem_from_mujoco(all).contact_names,
              ElementsAre("ball", "geom 3", "geom 4", "geom 5", "foot"));
  MujocoOptions one = all;
  one.geoms = {{"ball", ""}};
  EXPECT_THAT(impact_problem_from_mujoco(one).contact_names, ElementsAre("ball/floor"));
}

TEST_F(Mujoco, ReadsAModelAgainWhenItsFileHasChanged) {
  const auto mass = [&](const std::string& file) {
    return impact_problem_from_mujoco({.model = file, .qvel = falling()}).mass_matrix(0, 0);
  };
  const std::string file = model(ball);
  EXPECT_DOUBLE_EQ(mass(file), 1.0);
  EXPECT_DOUBLE_EQ(mass(file), 1.0);
  std::string heavier = ball;
  heavier.replace(heavier.find("mass=\"1\""), 8, "mass=\"2.5\"");
  EXPECT_DOUBLE_EQ(mass(model(heavier)), 2.5);
}

TEST_F(Mujoco, StatesOfOneModelCanBeAskedForFromManyThreads) {
  const auto problem = [](double height) {
    return impact_problem_from_mujoco({.model = shipped_model("rocking_block"),
                                       .qpos = vector({height, 0.0, 0.0}),
                                       .qvel = vector({height, -1.0, 0.0})});
  };
  std::vector<std::thread> threads;
  std::array<int, 4> wrong{};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const double x = t + 0.001 * i;
        const ImpactProblem found = problem(x);
        if (found.pre_impact_velocity(0) != x || found.contacts() != 2)
          ++wrong[static_cast<std::size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

}  // namespace
}  // namespace carom
