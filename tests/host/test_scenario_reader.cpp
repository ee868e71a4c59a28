#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <bit>
#include <cmath>
#include <filesystem>

#include "carom/error.hpp"
#include "carom/scenario.hpp"
#include "tests/support/mujoco_models.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using Eigen::MatrixXd;

fs::path scenario_file(const std::string& name) {
  return fs::path(CAROM_SOURCE_DIR) / "scenarios" / (name + ".toml");
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(CAROM_SOURCE_DIR) / "scenarios")) {
    if (entry.path().extension() == ".toml" && test::readable(entry.path())) {
      names.push_back(entry.path().stem().string());
    }
  }
  return names;
}

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return std::equal(a.data(), a.data() + a.size(), b.data(), same);
}

void expect_same(const Scenario& a, const Scenario& b) {
  EXPECT_EQ(a.system, b.system);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_TRUE(same_bits(a.problem.mass_matrix, b.problem.mass_matrix));
  EXPECT_TRUE(same_bits(a.problem.normal_jacobian, b.problem.normal_jacobian));
  EXPECT_TRUE(same_bits(a.problem.tangent_jacobian, b.problem.tangent_jacobian));
  EXPECT_TRUE(same_bits(a.problem.friction, b.problem.friction));
  EXPECT_TRUE(same_bits(a.problem.pre_impact_velocity, b.problem.pre_impact_velocity));
  EXPECT_EQ(a.problem.contact_names, b.problem.contact_names);
  EXPECT_EQ(a.problem.friction_directions, b.problem.friction_directions);
  EXPECT_EQ(a.sampling.trajectories, b.sampling.trajectories);
  EXPECT_EQ(a.sampling.max_steps, b.sampling.max_steps);
  EXPECT_EQ(a.sampling.impulse_step, b.sampling.impulse_step);
  EXPECT_EQ(a.sampling.epsilon, b.sampling.epsilon);
  EXPECT_EQ(a.sampling.norm, b.sampling.norm);
  EXPECT_EQ(a.sampling.termination_tolerance, b.sampling.termination_tolerance);
  EXPECT_EQ(law_options(a.sampling.law), law_options(b.sampling.law));
  EXPECT_EQ(a.sampling.seed, b.sampling.seed);
  EXPECT_EQ(a.sampling.problem_id, b.sampling.problem_id);
  EXPECT_EQ(a.sampling.backend, b.sampling.backend);
  EXPECT_EQ(a.sampling.threads, b.sampling.threads);
  EXPECT_EQ(a.sampling.device, b.sampling.device);
  EXPECT_EQ(a.sampling.chunk, b.sampling.chunk);
  EXPECT_EQ(a.storage.samples, b.storage.samples);
  EXPECT_EQ(a.storage.paths, b.storage.paths);
}

TEST(ScenarioReader, SystemsHaveThePapersOptionsForThePapersImpact) {
  const auto sampling_of = [](const std::string& more) {
    return parse_scenario("system = \"rocking_block\"\n" + more).sampling;
  };
  for (const char* more : {"", "[parameters]\nwidth = 1\nheight = 2.000000000001\n",
                           "[problem]\nrestitution = 0.5\n"}) {
    EXPECT_EQ(sampling_of(more).impulse_step, 0.3) << more;
    EXPECT_EQ(sampling_of(more).max_steps, 10) << more;
    EXPECT_EQ(sampling_of(more).epsilon, 0.01) << more;
  }
  for (const char* more : {"[parameters]\ndrop_height = 1.5\n", "[parameters]\nheight = 3.0\n",
                           "[problem]\nfriction = 0.2\n"}) {
    const SamplingOptions sampling = sampling_of(more);
    EXPECT_FALSE(sampling.impulse_step.has_value()) << more;
    EXPECT_FALSE(sampling.max_steps.has_value()) << more;
    EXPECT_FALSE(sampling.epsilon.has_value()) << more;
    EXPECT_FALSE(sampling.trajectories.has_value()) << more;
    EXPECT_TRUE(std::get<law::SetValued>(sampling.law).caps.has_value()) << more;
  }
  const SamplingOptions stated =
      sampling_of("[parameters]\nheight = 3.0\n[sampling]\nimpulse_step = 0.7\nepsilon = 0.02\n");
  EXPECT_EQ(stated.impulse_step, 0.7);
  EXPECT_EQ(stated.epsilon, 0.02);
}

/// The point mass of matrices_example.toml, without [sampling].
const std::string point_mass = R"(system = "matrices"
[problem]
mass_matrix = [[1.0, 0.0], [0.0, 1.0]]
normal_jacobian = [[0.0, 1.0]]
tangent_jacobian = [[1.0, 0.0]]
friction = [0.5]
pre_impact_velocity = [0.3, -1.0]
)";

TEST(ScenarioReader, ReadsEveryScenarioOfTheRepository) {
  const std::size_t of_mujoco = test::readable(scenario_file("mujoco_quadruped")) ? 4 : 0;
  ASSERT_EQ(scenario_names().size(), 24u + of_mujoco);
  for (const std::string& name : scenario_names()) {
    EXPECT_NO_THROW(read_scenario(scenario_file(name))) << name;
  }
}

TEST(ScenarioReader, FilesOfBuiltInSystemsStateTheirDefaults) {
  for (const System& system : systems()) {
    expect_same(read_scenario(scenario_file(system.name)),
                parse_scenario("system = \"" + system.name + "\""));
  }
}

TEST(ScenarioReader, ReadsExplicitMatricesAndSampling) {
  const Scenario scenario = read_scenario(scenario_file("matrices_example"));
  EXPECT_EQ(scenario.system, "matrices");
  EXPECT_TRUE(scenario.parameters.empty());
  EXPECT_EQ(scenario.problem.mass_matrix, MatrixXd::Identity(2, 2));
  EXPECT_EQ(scenario.problem.normal_jacobian, (MatrixXd(1, 2) << 0.0, 1.0).finished());
  EXPECT_EQ(scenario.problem.tangent_jacobian, (MatrixXd(1, 2) << 1.0, 0.0).finished());
  EXPECT_EQ(scenario.problem.friction(0), 0.5);
  EXPECT_EQ(scenario.problem.pre_impact_velocity, Eigen::Vector2d(0.3, -1.0));
  EXPECT_EQ(scenario.sampling.trajectories, 16384u);
  EXPECT_EQ(scenario.sampling.impulse_step, 0.3);
}

TEST(ScenarioReader, TakesTheStoppingImpulseAsDefaultStep) {
  Scenario scenario = parse_scenario(point_mass);
  resolve(scenario);
  EXPECT_EQ(scenario.sampling.impulse_step, 1.0);  // 1 kg falls at 1 m/s
  EXPECT_EQ(scenario.problem.contact_names, std::vector<std::string>{"A"});
  EXPECT_EQ(scenario.problem.friction_directions, 2);
}

TEST(ScenarioReader, ReadsEverySamplingKey) {
  const Scenario scenario = parse_scenario(point_mass + R"([sampling]
trajectories = 7.7e1
max_steps = 6
impulse_step = 2
epsilon = 0.25
norm = "kinetic"
termination_tolerance = 1e-6
seed = 4294967295
problem_id = 9
backend = "cpu"
threads = 3
device = 1
chunk = 512
samples = 12
paths = 5
shard_rows = 4096
)");
  const SamplingOptions& sampling = scenario.sampling;
  EXPECT_EQ(sampling.trajectories, 77u);
  EXPECT_EQ(sampling.max_steps, 6);
  EXPECT_EQ(sampling.impulse_step, 2.0) << "an integer is as good as a float";
  EXPECT_EQ(sampling.epsilon, 0.25);
  EXPECT_EQ(sampling.norm, Norm::kinetic);
  EXPECT_EQ(sampling.termination_tolerance, 1e-6);
  EXPECT_EQ(sampling.seed, 4294967295u);
  EXPECT_EQ(sampling.problem_id, 9u);
  EXPECT_EQ(sampling.backend, Backend::cpu);
  EXPECT_EQ(sampling.threads, 3);
  EXPECT_EQ(sampling.device, 1);
  EXPECT_EQ(sampling.chunk, 512u);
  EXPECT_EQ(scenario.storage.samples, 12u);
  EXPECT_EQ(scenario.storage.paths, 5u);
  EXPECT_EQ(scenario.storage.shard_rows, 4096u);
  expect_same(parse_scenario(to_toml(scenario)), scenario);
}

TEST(ScenarioReader, StoresAllOrNoneOfTheSamples) {
  EXPECT_EQ(parse_scenario(point_mass + "[sampling]\nsamples = \"all\"\n").storage.samples,
            UINT64_MAX);
  EXPECT_EQ(parse_scenario(point_mass + "[sampling]\nsamples = \"none\"\n").storage.samples, 0u);
}

TEST(ScenarioReader, NamesAScenarioAsStatedElseByItsFileElseByItsSystem) {
  EXPECT_EQ(title(parse_scenario(point_mass)), "matrices");
  EXPECT_EQ(title(parse_scenario(point_mass, "folder/a foot.toml")), "a foot");
  const std::string named = "name = \"the \\\"left\\\" foot\"\n" + point_mass;
  const Scenario scenario = parse_scenario(named, "folder/a foot.toml");
  EXPECT_EQ(title(scenario), "the \"left\" foot");
  EXPECT_EQ(title(parse_scenario(to_toml(scenario))), title(scenario));
  // A file's name may hold what no text may.
  const Scenario odd = parse_scenario(point_mass, "odd\xff\n.toml");
  EXPECT_EQ(title(parse_scenario(to_toml(odd))), "odd__");
}

TEST(ScenarioReader, SpreadsOneFrictionOverAllContacts) {
  const Scenario scenario = parse_scenario(
      "system = \"disk_stack\"\n[problem]\nfriction = 0.25\n[sampling]\ntrajectories = 10\n");
  EXPECT_EQ(scenario.problem.friction, Eigen::VectorXd::Constant(5, 0.25));
}

TEST(ScenarioReader, LetsABuiltInSystemStartFromAnotherVelocity) {
  const Scenario scenario = parse_scenario(
      "system = \"rocking_block\"\n[parameters]\nwidth = 3\n[problem]\n"
      "pre_impact_velocity = [0.1, -0.2, 0.3]\nfriction = [0.1, 0.2]\nfriction_directions = 2\n");
  EXPECT_EQ(scenario.parameters.at("width"), 3.0);
  EXPECT_EQ(scenario.parameters.at("height"), 2.0) << "the default";
  EXPECT_EQ(scenario.problem.normal_jacobian(0, 2), -1.5);
  EXPECT_EQ(scenario.problem.pre_impact_velocity, Eigen::Vector3d(0.1, -0.2, 0.3));
  EXPECT_EQ(scenario.problem.friction, Eigen::Vector2d(0.1, 0.2));
  expect_same(parse_scenario(to_toml(scenario)), scenario);
}

TEST(ScenarioReader, BrickCornersMoveAsARigidBody) {
  const Scenario four = read_scenario(scenario_file("brick_corners"));
  const Scenario eight = read_scenario(scenario_file("brick_corners_k8"));
  EXPECT_EQ(four.problem.friction_directions, 4);
  EXPECT_EQ(eight.problem.friction_directions, 8);
  Scenario as_eight = four;
  as_eight.problem.friction_directions = 8;
  expect_same(as_eight, eight);

  const ImpactProblem& brick = four.problem;
  ASSERT_EQ(brick.tangent_dimension(), 2);
  const double a = 0.2, b = 0.1, c = 0.06, mass = 2.4;
  const Eigen::Vector3d inertia =
      mass / 12.0 * Eigen::Vector3d(b * b + c * c, a * a + c * c, a * a + b * b);
  EXPECT_TRUE(brick.mass_matrix.diagonal().head(3).isApproxToConstant(mass));
  EXPECT_TRUE(brick.mass_matrix.diagonal().tail(3).isApprox(inertia, 1e-14));
  const double corners[4][2] = {{-0.1, -0.05}, {0.1, -0.05}, {0.1, 0.05}, {-0.1, 0.05}};
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d arm(corners[i][0], corners[i][1], -0.03);
    for (int j = 0; j < 3; ++j) {
      // A unit turn about axis j moves the corner by axis x arm.
      const Eigen::Vector3d turn = Eigen::Vector3d::Unit(j).cross(arm);
      EXPECT_EQ(brick.normal_jacobian(i, 3 + j), turn.z());
      EXPECT_EQ(brick.tangent_jacobian(2 * i, 3 + j), turn.x());
      EXPECT_EQ(brick.tangent_jacobian(2 * i + 1, 3 + j), turn.y());
      EXPECT_EQ(brick.normal_jacobian(i, j), j == 2 ? 1.0 : 0.0);
      EXPECT_EQ(brick.tangent_jacobian(2 * i, j), j == 0 ? 1.0 : 0.0);
      EXPECT_EQ(brick.tangent_jacobian(2 * i + 1, j), j == 1 ? 1.0 : 0.0);
    }
  }
  // Mirror symmetry leaves r = (0, 0, r_z, 0, 0, 0), and r_z / mass must be 1.
  for (const Scenario& scenario : {four, eight}) {
    const auto support = friction_cone_support(scenario.problem);
    ASSERT_TRUE(support);
    EXPECT_TRUE(support->isApprox(mass * Eigen::VectorXd::Unit(6, 2), 1e-9));
  }
}

TEST(ScenarioWriter, GivesEveryScenarioBackBitForBit) {
  for (const std::string& name : scenario_names()) {
    const Scenario scenario = read_scenario(scenario_file(name));
    const std::string text = to_toml(scenario);
    const Scenario again = parse_scenario(text, name + " written");
    expect_same(again, scenario);
    EXPECT_EQ(to_toml(again), text);
  }
}

TEST(ScenarioWriter, KeepsAwkwardNumbersAndNames) {
  Scenario scenario = parse_scenario(point_mass);
  scenario.problem.mass_matrix(0, 1) = scenario.problem.mass_matrix(1, 0) = -0.1;
  scenario.problem.tangent_jacobian << 1.0 / 3.0, -0.0;
  scenario.problem.pre_impact_velocity << 5e-324, -1e17;
  scenario.problem.contact_names = {"toe \"left\" \\ µ"};
  scenario.sampling.trajectories = INT64_MAX;
  scenario.storage.samples = 0;
  expect_same(parse_scenario(to_toml(scenario)), scenario);
}

TEST(ScenarioWriter, WritesMatricesWhereTheSystemNoLongerGivesThem) {
  Scenario scenario = parse_scenario("system = \"rocking_block\"");
  scenario.problem.mass_matrix(0, 0) = 5.0;
  const Scenario again = parse_scenario(to_toml(scenario));
  EXPECT_EQ(again.system, "matrices");
  EXPECT_TRUE(same_bits(again.problem.mass_matrix, scenario.problem.mass_matrix));
  EXPECT_TRUE(same_bits(again.problem.normal_jacobian, scenario.problem.normal_jacobian));
}

TEST(Notes, SayNothingAboutThePapersSystems) {
  for (const System& system : systems()) {
    EXPECT_TRUE(notes(system.build({}), system.sampling).empty()) << system.name;
  }
}

TEST(Notes, SayThatNothingApproaches) {
  Scenario scenario = parse_scenario(point_mass);
  scenario.problem.pre_impact_velocity(1) = 1.0;
  const auto found = notes(scenario.problem, scenario.sampling);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("separated already"), std::string::npos);
}

TEST(Notes, SayWhatACoarseToleranceDoes) {
  Scenario scenario = parse_scenario(point_mass);
  const double approach =
      -(scenario.problem.normal_jacobian * scenario.problem.pre_impact_velocity).minCoeff();
  const auto only_note = [&](double tolerance) {
    scenario.sampling.termination_tolerance = tolerance;
    const auto found = notes(scenario.problem, scenario.sampling);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? std::string() : found[0].text;
  };
  EXPECT_THAT(only_note(0.01 * approach), testing::HasSubstr("1 % of the fastest approach"));
  EXPECT_THAT(only_note(2.0 * approach),
              testing::HasSubstr("no contact approaches faster than termination_tolerance"));
}

TEST(Notes, HintAtAStepFarAboveTheStoppingImpulse) {
  Scenario scenario = parse_scenario(point_mass);
  scenario.sampling.impulse_step = 1000.0;
  const auto found = notes(scenario.problem, scenario.sampling);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("impulse_step is 1000"), std::string::npos);
}

TEST(Notes, WarnOfAConeThatIsNotPointed) {
  Scenario scenario = parse_scenario(R"(system = "matrices"
[problem]
mass_matrix = [[1, 0], [0, 1]]
normal_jacobian = [[1, 0], [-1, 0]]
tangent_jacobian = [[0, 1], [0, 1]]
friction = 0.5
pre_impact_velocity = [1, -1]
)");
  const auto found = notes(scenario.problem, scenario.sampling);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("not pointed"), std::string::npos);
}

}  // namespace
}  // namespace carom
