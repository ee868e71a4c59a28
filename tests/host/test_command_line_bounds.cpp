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
  const json found = run_json({"bound", "ramone", "--rounds", "3", "--trajectories", "0"});
  EXPECT_FALSE(found["closed"]);
  EXPECT_EQ(found["status"], "at most 3 steps");
  EXPECT_EQ(found["steps"], 3);
  EXPECT_TRUE(found["directions"][0]["found_low"].is_null());
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

}  // namespace
}  // namespace carom
