#include "carom/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "carom/post_impact_set.hpp"
#include "tests/host/grid_fixture.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

class Grid : public GridFixture {};

/// What the states' problems leave open is told once, for all states.
TEST_F(Grid, TellsTheDoubtsOfTheStates) {
  write("row.toml",
        "system = \"planar\"\n[world]\ngravity = [0, 0]\nfriction = 0.5\n"
        "[[body]]\nname = \"a\"\nradius = 0.1\nmass = 1\nvelocity = [1, 0]\n"
        "[[body]]\nname = \"b\"\nradius = 0.1\nmass = 1\nposition = [0.2, 0]\n"
        "[[body]]\nname = \"c\"\nradius = 0.1\nmass = 1\nposition = [0.4004, 0]\n");
  const GridSpec grid = read_grid_spec(write("near.toml",
                                             "scenario = \"row.toml\"\n[axes]\n"
                                             "world.friction = {values = [0.1, 0.2, 0.3]}\n"
                                             "[sampling]\ntrajectories = 20\nepsilon = 0.1\n"));
  const std::vector<FamilyNote> told = notes(grid, sample_grid(grid));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].note.code, "near_contacts");
  EXPECT_EQ(told[0].members, 3u);
  EXPECT_EQ(told[0].note.text.find("these are near"), 0u);
}

/// Every state holds what a run of its own finds.
TEST_F(Grid, StatesAreSetsOfTheirOwn) {
  const GridSpec grid = spec("nets = true\n");
  const GridResult result = sample_grid(grid);
  ASSERT_EQ(result.states.size(), 6u);
  EXPECT_TRUE(result.complete);
  for (std::uint64_t member = 0; member < result.states.size(); ++member) {
    const GridState& state = result.states[member];
    const Scenario scenario = grid.family.scenario(member);
    SamplingOptions options = grid.sampling;
    options.problem_id += static_cast<std::uint32_t>(member);
    const PostImpactSet set = post_impact_set(scenario.problem, options);
    EXPECT_EQ(state.checksum, set.summary.checksum);
    EXPECT_EQ(state.status_counts, set.summary.status_counts);
    EXPECT_EQ(state.net_index, set.net.index());
    EXPECT_EQ(state.net_velocity, set.net.velocity());
    EXPECT_EQ(state.net_size, set.net.size());
    EXPECT_EQ(state.energy_mean, set.summary.mean_energy());
    EXPECT_EQ(state.energy_least, set.summary.energy.least);
    ASSERT_EQ(state.modes.size(), set.modes.table().size());
    for (const OutcomeMode& mode : set.modes.table()) {
      EXPECT_EQ(state.modes.at(mode.contacts), mode.count);
    }
    // The diameter, by all pairs one by one.
    const auto nv = static_cast<Eigen::Index>(scenario.problem.velocities());
    double largest = 0.0;
    const Eigen::Map<const Eigen::MatrixXd> points(state.net_velocity.data(), nv,
                                                   static_cast<Eigen::Index>(state.net_size));
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      for (Eigen::Index j = 0; j < i; ++j) {
        largest = std::max(largest, (points.col(i) - points.col(j)).norm());
      }
    }
    EXPECT_NEAR(state.net_diameter, largest, 1e-12);
    EXPECT_EQ(state.net_diameter > 0.0, state.net_size > 1);
  }
}

TEST_F(Grid, IsTheSameHoweverItWasStopped) {
  GridSpec grid = spec("nets = true\n", 50);
  const GridResult whole = sample_grid(grid);
  const GridResult part =
      sample_grid(grid, [](const GridResult& so_far) { return so_far.states.empty(); });
  ASSERT_FALSE(part.complete);
  ASSERT_EQ(part.states.size(), grid_block);
  const std::filesystem::path file = path("part.h5");
  write_grid(file, grid, part);
  const std::filesystem::path once = path("once.h5");
  write_grid(once, grid, whole);
  grid.sampling.threads = 1;  // changes no bit, and is no other specification
  GridResult resumed = read_grid(file, grid);
  continue_grid(grid, resumed);
  write_grid(file, grid, resumed);
  EXPECT_TRUE(read_text(file) == read_text(once));
}

TEST_F(Grid, KeepsTheStatesThatAStoppedBlockHas) {
  GridSpec grid = spec("nets = true\n", 50);
  grid.sampling.trajectories = 2'000;
  grid.sampling.chunk = 1'000;  // trajectories between two questions
  const std::filesystem::path once = path("once.h5");
  write_grid(once, grid, sample_grid(grid));
  int asked = 0;
  const GridResult part = sample_grid(grid, [&](const GridResult&) { return ++asked < 41; });
  EXPECT_EQ(part.states.size(), 20u);
  const std::filesystem::path file = path("part.h5");
  write_grid(file, grid, part);
  GridResult resumed = read_grid(file, grid);
  continue_grid(grid, resumed);
  write_grid(file, grid, resumed);
  EXPECT_TRUE(read_text(file) == read_text(once));
}

TEST_F(Grid, CanBeStoppedWithinABlock) {
  GridSpec grid = spec();
  grid.sampling.trajectories = std::uint64_t{1} << 60;
  int asked = 0;
  const GridResult part = sample_grid(grid, [&](const GridResult&) { return ++asked < 3; });
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(part.states.empty());
}

TEST_F(Grid, ProblemIdsStayWithin32Bits) {
  GridSpec grid = spec();
  grid.sampling.problem_id = 4294967290;  // six states
  EXPECT_NO_THROW(validate(grid));
  grid.sampling.problem_id = 4294967291;
  EXPECT_THROW(validate(grid), InputError);
}

TEST_F(Grid, KineticDistancesAreTheDiameters) {
  GridSpec grid = spec("nets = true\n");
  grid.sampling.norm = Norm::kinetic;
  const GridResult result = sample_grid(grid);
  const GridState& state = result.states.front();
  const ImpactProblem problem = grid.family.scenario(0).problem;
  const Eigen::Map<const Eigen::MatrixXd> points(state.net_velocity.data(), problem.velocities(),
                                                 static_cast<Eigen::Index>(state.net_size));
  double largest = 0.0;
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const Eigen::VectorXd difference = points.col(i) - points.col(0);
    largest = std::max(largest, std::sqrt(difference.dot(problem.mass_matrix * difference)));
  }
  EXPECT_GE(state.net_diameter, largest - 1e-12);
  EXPECT_LE(state.net_diameter, 2.0 * largest + 1e-12);
}

/// Like friction, it need not be stated to be an axis.
TEST_F(Grid, RestitutionIsAnAxis) {
  const GridResult result = sample_grid(read_grid_spec(write("bouncing.toml", R"(
scenario = "rocking_block"
[axes]
restitution = {values = [0.0, 1.0]}
[law]
name = "plus"
)")));
  ASSERT_EQ(result.states.size(), 2u);
  EXPECT_GT(result.states[0].outcomes(), 0u);
  EXPECT_GT(result.states[1].energy_mean, 2.0 * result.states[0].energy_mean) << "it bounces";
  const auto refused = [&](const std::string& axes) -> std::string {
    try {
      read_grid_spec(write("odd.toml", "scenario = \"rocking_block\"\n[axes]\n" + axes));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("\"problem.restitution[0]\" = {values = [0.5]}\n"),
              HasSubstr("problem.restitution, for all contacts: the scenario states none"));
}

TEST_F(Grid, StatesThatTheLawCanNotTakeAreNamed) {
  const std::string text = R"(
scenario = "rocking_block"
[axes]
friction = {values = [0.5, 0.0]}
[law]
name = "propagative"
[sampling]
trajectories = 100
)";
  try {
    sample_grid(read_grid_spec(write("strict.toml", text)));
    FAIL() << "the law has no friction";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("member 0 (parameters.friction = 0.5): friction is 0.5"));
  }
  const GridResult result =
      sample_grid(read_grid_spec(write("skip.toml", "invalid = \"skip\"\n" + text)));
  EXPECT_THAT(result.states[0].refusal, HasSubstr("friction is 0.5"));
  EXPECT_TRUE(result.states[1].valid());
  EXPECT_GT(result.states[1].outcomes(), 0u);
}

TEST_F(Grid, StatesWithoutASetAreNamed) {
  const std::string text = R"(
scenario = "compass_gait"
[axes]
leg_angle_deg = {values = [78.0, 95.0]}
leading_rate = {values = [0.25, -5.0]}
[sampling]
trajectories = 100
)";
  EXPECT_THROW(sample_grid(read_grid_spec(write("strict.toml", text))), InputError);
  const GridSpec grid = read_grid_spec(write("skip.toml", "invalid = \"skip\"\n" + text));
  const GridResult result = sample_grid(grid);
  EXPECT_TRUE(result.states[0].valid());
  EXPECT_FALSE(result.states[2].valid());
  EXPECT_THAT(result.states[2].refusal, HasSubstr("leg_angle_deg"));
  EXPECT_EQ(result.states[2].outcomes(), 0u);
  // A state where nothing approaches keeps its velocity.
  const GridSpec rising = read_grid_spec(write("rising.toml", R"(
scenario = "rocking_block"
[axes]
"problem.pre_impact_velocity[1]" = {values = [-0.4, 0.4]}
)"));
  const GridResult both = sample_grid(rising);
  EXPECT_TRUE(both.states[0].colliding);
  EXPECT_FALSE(both.states[1].colliding);
  EXPECT_EQ(both.states[1].net_size, 1u);
  EXPECT_EQ(both.states[1].net_diameter, 0.0);
}

TEST_F(Grid, CommandLineGoesOnAndRefusesOthers) {
  const std::string file = write("spec.toml", R"(
scenario = "rocking_block"
[axes]
problem.friction = {min = 0.1, max = 1.0, count = 4}
[sampling]
trajectories = 1000
)");
  const std::string output = text_path("grid.h5");
  ASSERT_EQ(run({"grid", file, "-o", output}).exit_code, 0);
  const nlohmann::json again = run_json({"grid", file, "-o", output});
  EXPECT_EQ(again["done"], 4);
  EXPECT_EQ(again["complete"], true);
  EXPECT_EQ(again["failed"], 0);
  const std::string other = write("other.toml", R"(
scenario = "rocking_block"
[axes]
problem.friction = {min = 0.1, max = 1.0, count = 5}
[sampling]
trajectories = 1000
)");
  expect_bad_input(run({"grid", other, "-o", output}), "another specification");
  EXPECT_EQ(run({"grid", other, "-o", output, "--force"}).exit_code, 0);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  expect_bad_input(run({"grid", file, "-o", text_path("pipe")}),
                   "--output is " + text_path("pipe") + " (must be a file, not a device)");
  const std::string drawn = write("drawn.toml", R"(
problems = 3
scenario = "rocking_block"
[axes]
problem.friction = {min = 0.1, max = 1.0}
)");
  expect_bad_input(run({"grid", drawn, "-o", output}),
                   "is drawn (a grid's axis must have a count or values)");
}

TEST_F(Grid, RefusesContactsThatGiveWay) {
  const std::string file = write("spec.toml", "scenario = \"" CAROM_SOURCE_DIR
                                              "/scenarios/landing.toml\"\n"
                                              "[axes]\n"
                                              "\"problem.force[0]\" = {values = [-9.0, -10.0]}\n");
  const char* const rule =
      "spec.toml:1: system is \"springs\", whose contacts give way (must be one with impacts";
  expect_bad_input(run({"grid", file, "-o", text_path("grid.h5")}), rule);
  expect_bad_input(run({"dataset", file, "-o", text_path("set")}), rule);
}

}  // namespace
}  // namespace carom
