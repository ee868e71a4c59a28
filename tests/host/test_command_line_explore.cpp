#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

TEST_F(CommandLine, ExploresInsteadOfDrawingRandomCaps) {
  const json found = run_json({"sample", "compass_gait", "--explore", "--budget", "2e4"});
  EXPECT_GE(found["lcps"]["total"], 20'000);
  EXPECT_GT(found["net"]["size"], 100);
  EXPECT_EQ(found["modes"], 5);
  EXPECT_EQ(found["explore"]["budget"], 20'000);
  EXPECT_GT(found["explore"]["rounds"], 0);
  EXPECT_GT(found["explore"]["islands_cover"], 0.5);
  EXPECT_FALSE(found["explore"]["stopped"].get<std::string>().empty());
  EXPECT_GT(found["contacts"][0]["normal_velocity"][1], 0.036);
  EXPECT_FALSE(found.contains("evidence")) << "shares and certificates are not theirs";
  EXPECT_FALSE(found["sampling"].contains("trajectories"));
  EXPECT_FALSE(found["law"].contains("caps"));
}

TEST_F(CommandLine, ExploringRefusesWhatIsAboutRandomTrajectories) {
  const std::vector<std::string> exploring = {"sample", "compass_gait", "--explore"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), exploring.begin(), exploring.end());
    return run(flags);
  };
  expect_bad_input(with({"--trajectories", "10"}), "--trajectories");
  expect_bad_input(with({"--hold-out", "10"}), "--hold-out");
  expect_bad_input(with({"--no-comparison"}), "--no-comparison");
  expect_bad_input(with({"--caps", "simplex"}), "--caps");
  expect_bad_input(with({"-o", text_path("a.h5")}), "--output");
  expect_bad_input(with({"--budget", "10"}), "--budget");
  expect_bad_input(with({"--solutions", "table"}), "solutions");
  expect_bad_input(run({"sample", "compass_gait", "--budget", "1e4"}), "--explore");
}

}  // namespace
}  // namespace carom
