#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <numbers>

#include "carom/error.hpp"
#include "carom/scenario.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using Parameters = std::map<std::string, double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const System& system_named(const std::string& name) {
  for (const System& system : systems()) {
    if (system.name == name) return system;
  }
  throw std::logic_error("no system " + name);
}

ImpactProblem build(const std::string& name, const Parameters& parameters = {}) {
  return system_named(name).build(parameters);
}

void expect_near(const MatrixXd& found, const MatrixXd& wanted, double tolerance = 1e-12) {
  ASSERT_EQ(found.rows(), wanted.rows());
  ASSERT_EQ(found.cols(), wanted.cols());
  EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), tolerance) << found << "\nwanted\n" << wanted;
}

std::string reference_name(const std::string& system) {
  return system == "disk_stack" ? "disk_stack_m1_ortho" : system;
}

class BuiltInSystem : public testing::TestWithParam<const char*> {};

TEST_P(BuiltInSystem, EqualsTheReference) {
  const ImpactProblem found = build(GetParam());
  const ImpactProblem wanted = test::reference_problem(reference_name(GetParam()));
  expect_near(found.mass_matrix, wanted.mass_matrix);
  expect_near(found.normal_jacobian, wanted.normal_jacobian);
  expect_near(found.tangent_jacobian, wanted.tangent_jacobian);
  expect_near(found.friction, wanted.friction);
  expect_near(found.pre_impact_velocity, wanted.pre_impact_velocity);
  EXPECT_EQ(found.contact_names, wanted.contact_names);
  EXPECT_EQ(found.friction_directions, 2);
}

TEST_P(BuiltInSystem, HasTheReferencesPsiEnergyAndSampling) {
  const System& system = system_named(GetParam());
  const ImpactProblem problem = system.build({});
  const auto data = test::read_json("systems/" + reference_name(GetParam()) + ".json");
  const double wanted_psi = data.at("psi_algorithm2");
  EXPECT_NEAR(psi(problem), wanted_psi, 1e-9 * wanted_psi);
  EXPECT_NEAR(kinetic_energy(problem, problem.pre_impact_velocity), data.at("K0"), 1e-12);
  EXPECT_EQ(system.sampling.impulse_step, data.at("h").get<double>());
  EXPECT_EQ(system.sampling.max_steps, data.at("N").get<int>());
  if (data.at("n_samples_code") > 0) {
    // A quarter of the disks': the paper's take minutes with all solutions of each step.
    const std::uint64_t part = system.name == "disk_stack" ? 4 : 1;
    EXPECT_EQ(part * *system.sampling.trajectories, data.at("n_samples_code"));
  }
  EXPECT_EQ(system.sampling.epsilon, 0.01);
}

TEST_P(BuiltInSystem, HasAPointedFrictionCone) {
  const ImpactProblem problem = build(GetParam());
  const auto support = friction_cone_support(problem);
  ASSERT_TRUE(support);
  const MatrixXd jacobian = contact_jacobian(problem);
  const VectorXd product = jacobian * problem.mass_matrix.llt().solve(*support);
  for (int i = 0; i < problem.contacts(); ++i) {
    for (int j = 0; j < 2; ++j) {
      EXPECT_GE(product(i) + problem.friction(i) * product(problem.contacts() + 2 * i + j),
                1.0 - 1e-6);
    }
  }
}

TEST_P(BuiltInSystem, HeavierByAFactorScalesOnlyTheMassMatrix) {
  Parameters heavy;
  for (const SystemParameter& parameter : system_named(GetParam()).parameters) {
    const bool mass = parameter.unit == "kg" || parameter.unit == "kg m^2";
    if (mass) heavy[parameter.name] = 3.0 * parameter.value;
  }
  const ImpactProblem light = build(GetParam());
  const ImpactProblem found = build(GetParam(), heavy);
  expect_near(found.mass_matrix, 3.0 * light.mass_matrix);
  expect_near(found.normal_jacobian, light.normal_jacobian, 0.0);
  expect_near(found.pre_impact_velocity, light.pre_impact_velocity, 0.0);
}

TEST_P(BuiltInSystem, DescribesEveryParameter) {
  for (const SystemParameter& parameter : system_named(GetParam()).parameters) {
    EXPECT_FALSE(parameter.description.empty()) << parameter.name;
    const bool degrees = parameter.name.ends_with("_deg");
    EXPECT_EQ(degrees, parameter.unit == "deg") << parameter.name;
    EXPECT_EQ(parameter.unit.empty(), parameter.name == "friction") << parameter.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BuiltInSystem,
                         testing::Values("rocking_block", "compass_gait", "box_wall", "ramone",
                                         "disk_stack"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Systems, AreListedPaperByPaper) {
  std::vector<std::string> names;
  for (const System& system : systems()) names.push_back(system.name);
  EXPECT_EQ(names, (std::vector<std::string>{"rocking_block", "compass_gait", "box_wall", "ramone",
                                             "disk_stack", "billiards", "trex"}));
}

TEST(RockingBlock, FollowsItsSizeAndMass) {
  const ImpactProblem block = build(
      "rocking_block",
      {{"width", 2.0}, {"height", 4.0}, {"mass", 3.0}, {"drop_speed", 0.5}, {"friction", 0.25}});
  // Inertia 3 (2^2 + 4^2) / 12 = 5; corners at (-1, -2) and (1, -2).
  expect_near(block.mass_matrix, Eigen::Vector3d(3.0, 3.0, 5.0).asDiagonal().toDenseMatrix());
  expect_near(block.normal_jacobian, (MatrixXd(2, 3) << 0, 1, -1, 0, 1, 1).finished());
  expect_near(block.tangent_jacobian, (MatrixXd(2, 3) << 1, 0, 2, 1, 0, 2).finished());
  expect_near(block.pre_impact_velocity, Eigen::Vector3d(0.0, -0.5, 0.0));
  expect_near(block.friction, Eigen::Vector2d(0.25, 0.25));
}

TEST(RockingBlock, IsItsOwnMirrorImage) {
  const ImpactProblem block = build("rocking_block", {{"width", 0.7}});
  const Eigen::Vector3d mirror(-1.0, 1.0, -1.0);
  const MatrixXd reflected = block.normal_jacobian * mirror.asDiagonal();
  expect_near(reflected, block.normal_jacobian.colwise().reverse(), 0.0);
  const MatrixXd sideways = block.tangent_jacobian * mirror.asDiagonal();
  expect_near(sideways, -block.tangent_jacobian.colwise().reverse(), 0.0);
}

TEST(BoxWall, StandsOnItsPointWhenTiltedHalfway) {
  const double root = std::numbers::sqrt2;
  const ImpactProblem box =
      build("box_wall", {{"side", 2.0}, {"mass", 6.0}, {"tilt_deg", 45.0}, {"slide_speed", 0.5}});
  // Inertia 6 * 2^2 / 6 = 4; corners straight below and straight right, sqrt(2) away.
  expect_near(box.mass_matrix, Eigen::Vector3d(6.0, 6.0, 4.0).asDiagonal().toDenseMatrix());
  expect_near(box.normal_jacobian, (MatrixXd(2, 3) << 0, 1, 0, -1, 0, 0).finished());
  expect_near(box.tangent_jacobian, (MatrixXd(2, 3) << 1, 0, root, 0, -1, -root).finished());
  expect_near(box.pre_impact_velocity, Eigen::Vector3d(0.5, 0.0, 0.0));
}

TEST(CompassGait, FollowsItsLegs) {
  const double cos30 = std::sqrt(3.0) / 2.0;
  const ImpactProblem gait = build("compass_gait", {{"leg_length", 2.0},
                                                    {"leg_mass", 3.0},
                                                    {"mass_distance", 1.5},
                                                    {"leg_angle_deg", 30.0},
                                                    {"leading_rate", -1.0},
                                                    {"trailing_rate", 2.0}});
  // m c cos = 4.5 cos 30, m c sin = 2.25, m c^2 = 6.75; the leading leg is at -30 degrees.
  const double along = 4.5 * cos30;
  expect_near(gait.mass_matrix, (MatrixXd(4, 4) << 6, 0, along, along, 0, 6, -2.25, 2.25, along,
                                 -2.25, 6.75, 0, along, 2.25, 0, 6.75)
                                    .finished());
  expect_near(gait.normal_jacobian, (MatrixXd(2, 4) << 0, 1, -1, 0, 0, 1, 0, 1).finished());
  expect_near(gait.tangent_jacobian,
              (MatrixXd(2, 4) << 1, 0, 2 * cos30, 0, 1, 0, 0, 2 * cos30).finished());
  // The trailing foot rests: the pelvis undoes what its leg's rate of 2 rad/s does.
  expect_near(gait.pre_impact_velocity, Eigen::Vector4d(-4.0 * cos30, -2.0, -1.0, 2.0));
}

TEST(DiskStack, FollowsRadiusAndMass) {
  const ImpactProblem unit = build("disk_stack");
  const ImpactProblem disks =
      build("disk_stack", {{"radius", 2.0}, {"mass", 3.0}, {"drop_speed", 0.25}});
  for (int disk = 0; disk < 3; ++disk) {
    EXPECT_EQ(disks.mass_matrix(3 * disk, 3 * disk), 3.0);
    EXPECT_EQ(disks.mass_matrix(3 * disk + 2, 3 * disk + 2), 6.0);  // m R^2 / 2
    // Rolling carries a rim twice as far; normals do not notice it.
    expect_near(disks.tangent_jacobian.col(3 * disk + 2),
                2.0 * unit.tangent_jacobian.col(3 * disk + 2));
    expect_near(disks.normal_jacobian.col(3 * disk + 2), VectorXd::Zero(5), 1e-15);
  }
  EXPECT_EQ(disks.pre_impact_velocity(1), -0.25);
}

TEST(DiskStack, IsItsOwnMirrorImage) {
  const ImpactProblem disks = build("disk_stack");
  // Reflection in the vertical: x and theta change sign, left and right disk and their contacts
  // change places.
  MatrixXd mirror = MatrixXd::Zero(9, 9);
  const int image[] = {0, 2, 1};
  for (int disk = 0; disk < 3; ++disk) {
    mirror.block<3, 3>(3 * disk, 3 * image[disk]) =
        Eigen::Vector3d(-1.0, 1.0, -1.0).asDiagonal().toDenseMatrix();
  }
  MatrixXd swap = MatrixXd::Zero(5, 5);
  swap(0, 1) = swap(1, 0) = swap(2, 3) = swap(3, 2) = swap(4, 4) = 1.0;
  expect_near(disks.normal_jacobian * mirror, swap * disks.normal_jacobian, 1e-15);
  // E's tangent is vertical: mirrored, the right disk's side of it becomes the left one's.
  expect_near(disks.tangent_jacobian * mirror, -(swap * disks.tangent_jacobian), 1e-15);
}

using Complex = std::complex<double>;
using Positions = std::vector<Complex>;

/// RAMone's mass points (trunk, thighs, shanks) and soles for coordinates q, written down afresh:
/// a link at angle a points along -i exp(i a).
Positions ramone_points(const Parameters& p, const VectorXd& q) {
  const auto along = [](double angle) { return std::polar(1.0, angle) * Complex(0.0, -1.0); };
  Positions points = {Complex(q(0), q(1))};
  Positions soles;
  const Complex hip = points[0] + p.at("hip_offset") * along(q(2));
  for (const int joint : {3, 5}) {
    const Complex thigh = along(q(2) + q(joint));
    const Complex shank = along(q(2) + q(joint) + q(joint + 1));
    const Complex knee = hip + p.at("thigh_length") * thigh;
    points.push_back(hip + p.at("thigh_mass_distance") * thigh);
    points.push_back(knee + p.at("shank_mass_distance") * shank);
    soles.push_back(knee + p.at("shank_length") * shank);
  }
  points.insert(points.end(), soles.begin(), soles.end());
  return points;
}

Parameters ramone_parameters(const Parameters& changes) {
  Parameters all;
  for (const SystemParameter& parameter : system_named("ramone").parameters) {
    all[parameter.name] = parameter.value;
  }
  for (const auto& [name, value] : changes) all[name] = value;
  return all;
}

/// With the trunk upright, thighs at -30 and +30 degrees and the leading shank straight, the
/// trailing shank must hang at -30 degrees too: its knee is at -60.
const Parameters upright = {
    {"pitch_deg", 0.0},         {"leading_hip_deg", -30.0},   {"leading_knee_deg", 0.0},
    {"trailing_hip_deg", 30.0}, {"thigh_mass", 1.25},         {"shank_length", 0.3},
    {"trunk_inertia", 0.2},     {"thigh_mass_distance", 0.1}, {"hip_offset", 0.2}};

VectorXd upright_coordinates() {
  const double degree = std::numbers::pi / 180.0;
  return (VectorXd(7) << 0.3, 0.7, 0.0, -30.0 * degree, 0.0, 30.0 * degree, -60.0 * degree)
      .finished();
}

TEST(Ramone, HasTheKineticEnergyOfItsMovingLinks) {
  const Parameters p = ramone_parameters(upright);
  const ImpactProblem biped = build("ramone", upright);
  const VectorXd q = upright_coordinates();
  const double masses[] = {p.at("trunk_mass"), p.at("thigh_mass"), p.at("shank_mass"),
                           p.at("thigh_mass"), p.at("shank_mass")};
  const double inertias[] = {p.at("trunk_inertia"), p.at("thigh_inertia"), p.at("shank_inertia"),
                             p.at("thigh_inertia"), p.at("shank_inertia")};
  for (int trial = 0; trial < 20; ++trial) {
    VectorXd v(7);
    for (int i = 0; i < 7; ++i) v(i) = std::sin(1.0 + 7.0 * trial + i);
    const double rates[] = {v(2), v(2) + v(3), v(2) + v(3) + v(4), v(2) + v(5), v(2) + v(5) + v(6)};
    const double dt = 1e-5;
    const Positions after = ramone_points(p, q + dt * v);
    const Positions before = ramone_points(p, q - dt * v);
    double energy = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double speed = std::abs(after[i] - before[i]) / (2.0 * dt);
      energy += 0.5 * (masses[i] * speed * speed + inertias[i] * rates[i] * rates[i]);
    }
    EXPECT_NEAR(kinetic_energy(biped, v), energy, 1e-8 * energy);
  }
}

TEST(Ramone, ItsSolesMoveAsTheJacobiansSay) {
  const Parameters p = ramone_parameters(upright);
  const ImpactProblem biped = build("ramone", upright);
  const VectorXd q = upright_coordinates();
  const Positions points = ramone_points(p, q);
  EXPECT_NEAR(points[5].imag(), points[6].imag(), 1e-12) << "both feet on one floor";
  for (int i = 0; i < 7; ++i) {
    const VectorXd step = 1e-6 * VectorXd::Unit(7, i);
    const Positions after = ramone_points(p, q + step);
    const Positions before = ramone_points(p, q - step);
    for (int foot = 0; foot < 2; ++foot) {
      const auto at = static_cast<std::size_t>(5 + foot);
      const Complex centre = (after[at] - before[at]) / 2e-6;
      // The disc turns with the shank: its lowest point moves by radius x rate along x.
      const bool turns = i == 2 || i == 3 + 2 * foot || i == 4 + 2 * foot;
      const double roll = turns ? p.at("foot_radius") : 0.0;
      EXPECT_NEAR(biped.tangent_jacobian(foot, i), centre.real() + roll, 1e-9);
      EXPECT_NEAR(biped.normal_jacobian(foot, i), centre.imag(), 1e-9);
    }
  }
}

TEST(Ramone, TranslatesAsOneBody) {
  const ImpactProblem biped = build("ramone", upright);
  const Parameters p = ramone_parameters(upright);
  const double mass = p.at("trunk_mass") + 2.0 * (p.at("thigh_mass") + p.at("shank_mass"));
  expect_near(biped.mass_matrix.topLeftCorner(2, 2), mass * MatrixXd::Identity(2, 2));
  expect_near(biped.normal_jacobian.leftCols(2), (MatrixXd(2, 2) << 0, 1, 0, 1).finished(), 0.0);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(biped.mass_matrix).eigenvalues()(0), 0.0);
}

TEST(Ramone, StartsWithTheTrailingSoleAtRest) {
  const ImpactProblem biped = build("ramone", upright);
  EXPECT_NEAR((biped.normal_jacobian * biped.pre_impact_velocity)(1), 0.0, 1e-15);
  EXPECT_NEAR((biped.tangent_jacobian * biped.pre_impact_velocity)(1), 0.0, 1e-15);
}

std::string message_of(const std::string& system, const Parameters& parameters) {
  return test::refusal([&] { build(system, parameters); });
}

TEST(Systems, RefuseParametersThatBreakTheirRule) {
  EXPECT_EQ(message_of("rocking_block", {{"width", -1.0}}),
            "[parameters] width is -1 (must be > 0)");
  EXPECT_EQ(message_of("rocking_block", {{"drop_speed", -1.0}}),
            "[parameters] drop_speed is -1 (must be >= 0)");
  EXPECT_EQ(message_of("disk_stack", {{"mass", INFINITY}}),
            "[parameters] mass is inf (must be finite)");
  EXPECT_EQ(message_of("box_wall", {{"tilt_deg", 90.0}}),
            "[parameters] tilt_deg is 90 (must be > 0 and < 90)");
  EXPECT_EQ(message_of("compass_gait", {{"leg_angle_deg", 100.0}}),
            "[parameters] leg_angle_deg is 100 (must be > 0 and < 90)");
  EXPECT_EQ(message_of("ramone", {{"trailing_hip_deg", 0.0}, {"leading_hip_deg", -170.0}}),
            "[parameters] trailing_hip_deg is 0 (must let the trailing foot reach the floor that "
            "the leading one touches)");
}

TEST(Systems, NameTheNearestParameterForAMisspeltOne) {
  EXPECT_EQ(message_of("rocking_block", {{"widht", 1.0}}),
            "unknown key \"widht\" in [parameters] of system \"rocking_block\"; did you mean "
            "\"width\"?");
}

}  // namespace
}  // namespace carom
