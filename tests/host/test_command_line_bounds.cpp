#include "carom/exploration_io.hpp"
#include "carom/result_io.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

TEST_F(CommandLine, BoundHasTheNamesThatOtherProgramsReadAndHoldsWhatItFound) {
  const json found = run_json({"bound", "compass_gait", "--trajectories", "1000"});
  EXPECT_TRUE(found["closed"]);
  EXPECT_EQ(found["status"], "closed");
  EXPECT_EQ(found["scope"], "any-h");
  EXPECT_EQ(found["verified"], "exact");
  ASSERT_EQ(found["contacts"].size(), 2u);
  EXPECT_EQ(found["contacts"][0]["name"], "A");
  EXPECT_NEAR(found["contacts"][0]["normal"][1], 0.0374504486, 1e-7);
  EXPECT_NEAR(found["contacts"][1]["tangential"][0][1], 0.1980196039, 1e-7);
  ASSERT_EQ(found["directions"].size(), 4u);
  EXPECT_EQ(found["directions"][3]["name"], "B tangential");
  for (const json& direction : found["directions"]) {
    EXPECT_GE(direction["found_low"].get<double>(), direction["low"].get<double>() - 5e-9);
    EXPECT_LE(direction["found_high"].get<double>(), direction["high"].get<double>() + 5e-9);
  }
}

TEST_F(CommandLine, BoundThatDoesNotCloseSaysForHowManySteps) {
  const json found =
      run_json({"bound", "ramone", "--rounds", "3", "--orders", "0", "--trajectories", "0"});
  EXPECT_FALSE(found["closed"]);
  EXPECT_EQ(found["status"], "at most 3 steps");
  EXPECT_EQ(found["steps"], 3);
  EXPECT_TRUE(found["directions"][0]["found_low"].is_null());
}

TEST_F(CommandLine, BoundOfStepsIsOneOfHullsWhereTheyAreInReach) {
  const json two = run_json({"bound", "ramone", "--steps", "2", "--trajectories", "0"});
  EXPECT_EQ(two["method"], "hulls");
  EXPECT_EQ(two["status"], "at most 2 steps");
  EXPECT_EQ(two["contacts"], run_json({"bound", "ramone", "--rounds", "2", "--orders", "0",
                                       "--trajectories", "0"})["contacts"]);
}

TEST_F(CommandLine, BoundWhoseHullsDoNotCloseIsOneOfOrders) {
  const std::vector<std::string> arguments{"bound",    "ramone", "--rounds",       "2",
                                           "--orders", "9",      "--trajectories", "0"};
  const json found = run_json(arguments);
  EXPECT_TRUE(found["closed"]);
  EXPECT_EQ(found["method"], "orders");
  EXPECT_EQ(found["rounds"], 2);
  EXPECT_NE(run(arguments).out.find("convex programs; no hulls close in 2 rounds\n"),
            std::string::npos);
}

/// Outcomes that a search found at the ends are those that could refute a bound.
TEST_F(CommandLine, ABoundIsComparedWithSoughtOutcomesToo) {
  const json found = run_json(
      {"sample", "rocking_block", "--trajectories", "300", "--seek-extremes", "0", "--bound"});
  const json& bound = found["bound"];
  int moved = 0;
  for (const json& sought : found["evidence"]["sought"])
    moved += sought["found"] != sought["sampled"];
  ASSERT_GT(moved, 0);
  EXPECT_EQ(bound["outcomes"], found["outcomes"].get<int>() + moved);
  EXPECT_EQ(bound["outside"], 0);
  EXPECT_NEAR(bound["contacts"][0]["normal"][1].get<double>(),
              bound["directions"][0]["found_high"].get<double>(), 1e-5);
}

TEST_F(CommandLine, BoundRefusesWithKeyAndRule) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& text) {
    const ProgramRun result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  };
  refused({"bound", "rocking_block", "--scope", "all"},
          "--scope is \"all\" (must be any-h or inclusion)");
  refused({"bound", "rocking_block", "--rounds", "0"}, "--rounds is 0");
  const std::string wedge = write("wedge.toml", R"(
system = "matrices"
[problem]
mass_matrix = [[1.0, 0.0], [0.0, 1.0]]
normal_jacobian = [[0.0, 1.0], [0.0, -1.0]]
tangent_jacobian = [[1.0, 0.0], [-1.0, 0.0]]
friction = [0.5, 0.5]
pre_impact_velocity = [0.0, -1.0]
)");
  refused({"bound", wedge}, "friction: the contacts' friction cones together are not pointed");
}

TEST_F(CommandLine, ABoundStandsBesideASampleInReportJsonAndFile) {
  const std::string file = text_path("block.h5");
  const json found =
      run_json({"sample", "compass_gait", "--trajectories", "5000", "--max-steps", "50",
                "--no-search", "--bound", "--direction", "B tangential", "-o", file});
  const json& bound = found["bound"];
  EXPECT_EQ(bound["status"], "closed");
  EXPECT_EQ(bound["outcomes"], found["outcomes"]) << "all of them, not only the net";
  EXPECT_EQ(bound["outside"], 0);
  EXPECT_LT(bound["worst"], 1e-7);
  ASSERT_EQ(bound["directions"].size(), 5u);
  EXPECT_EQ(bound["directions"][4]["name"], "B tangential");
  for (const json& one : bound["directions"]) {
    EXPECT_LE(one["low"].get<double>(), one["found_low"].get<double>() + 1e-7);
    EXPECT_GE(one["high"].get<double>(), one["found_high"].get<double>() - 1e-7);
  }
  const Result read = read_result(file);
  ASSERT_TRUE(read.set.bound);
  EXPECT_EQ(read.set.bound->bound.status, BoundStatus::closed);
  EXPECT_EQ(read.set.bound->found_high[0], bound["directions"][0]["found_high"].get<double>());
  EXPECT_GT(read.set.bound->bound.pieces.size(), 1u);
  EXPECT_LT(excess(read.set.bound->bound, read.set.net.velocity_rows().row(0).transpose()), 1e-7);
  ASSERT_TRUE(read.scenario.evidence.bound);
  EXPECT_NE(run({"sample", "rocking_block", "--bound"}).out.find("What can not happen"),
            std::string::npos);
}

TEST_F(CommandLine, ScenariosStateABound) {
  const std::string file =
      write("bound.toml", "system = \"rocking_block\"\n[bound]\nscope = \"inclusion\"\n");
  EXPECT_EQ(run_json({"sample", file, "--trajectories", "1000"})["bound"]["scope"], "inclusion");
  EXPECT_EQ(run_json({"bound", file})["scope"], "inclusion");
  EXPECT_EQ(run_json({"bound", file, "--scope", "any-h"})["scope"], "any-h");
  expect_bad_input(run({"sample", "rocking_block", "--scope", "inclusion"}), "--bound");
  expect_bad_input(run({"bound", "rocking_block", "--direction", "1, 0"}), "--direction");
  write("odd.toml", "system = \"rocking_block\"\n[bound]\nrounds = 0\n");
  expect_bad_input(run({"sample", text_path("odd.toml")}), "rounds");
}

/// Slip that ends within an impact: steps of large caps reach beyond the limit h -> 0, and a note
/// says so.
TEST_F(CommandLine, OutcomesOutsideOfTheInclusionAreTold) {
  const std::string file = write(
      "slip.toml",
      "system = \"matrices\"\n[problem]\nmass_matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 0.5]]\n"
      "normal_jacobian = [[0, 1, -1], [0, 1, 1]]\ntangent_jacobian = [[1, 0, 0.5], [1, 0, 0.5]]\n"
      "friction = 0.2\npre_impact_velocity = [0.1, -1, 0]\n[sampling]\ntrajectories = 5000\n"
      "[bound]\nscope = \"inclusion\"\n");
  const json found = run_json({"sample", file});
  const json& bound = found["bound"];
  if (bound["status"] != "closed") GTEST_SKIP() << "no bound of the inclusion";
  bool told = false;
  for (const json& note : found["notes"]) told = told || note["code"] == "outside_bound";
  EXPECT_EQ(told, bound["outside"] > 0);
  EXPECT_GT(bound["outcomes"], 0);
}

/// Members of more steps may leave a bound of three steps.
TEST_F(CommandLine, AnExplorationIsComparedWithABoundOfAsManySteps) {
  const std::vector<std::string> arguments{
      "sample",    "rocking_block", "--explore", "--budget", "1e4",
      "--epsilon", "0.005",         "--bound",   "--steps",  "3"};
  const json found = run_json(arguments);
  EXPECT_EQ(found["bound"]["status"], "at most 3 steps");
  EXPECT_GT(found["bound"]["outcomes"], 0);
  EXPECT_LT(found["bound"]["outcomes"], found["net"]["size"]);
  EXPECT_EQ(found["bound"]["outside"], 0);
  EXPECT_NE(run(arguments).out.find("members and ends of at most 3 steps are inside"),
            std::string::npos);
}

TEST_F(CommandLine, AnExplorationNearsItsBound) {
  const std::string file = text_path("explored.h5");
  const json found = run_json({"sample", "box_wall", "--explore", "--budget", "1e5", "--epsilon",
                               "0.01", "--bound", "-o", file});
  EXPECT_EQ(found["bound"]["outside"], 0);
  EXPECT_EQ(found["bound"]["outcomes"], found["net"]["size"].get<int>() + 8) << "and the ends";
  for (const json& one : found["bound"]["directions"]) {
    EXPECT_LT(one["high"].get<double>() - one["found_high"].get<double>(), 0.01);
  }
  const ExplorationResult read = read_exploration(file);
  ASSERT_TRUE(read.found.bound);
  EXPECT_EQ(read.found.bound->outcomes, found["bound"]["outcomes"]);
}

}  // namespace
}  // namespace carom
