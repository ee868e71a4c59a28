#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "carom/exploration_io.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

TEST_F(CommandLine, ExploresInsteadOfDrawingRandomCaps) {
  const json found = run_json({"sample", "compass_gait", "--explore", "--budget", "2e4"});
  EXPECT_GE(found["lcps"]["total"], 20'000);
  EXPECT_GT(found["net"]["size"], 100);
  EXPECT_EQ(found["modes"]["members"], found["net"]["size"]);
  EXPECT_EQ(found["modes"]["table"].size(), 5U);
  EXPECT_FALSE(found["modes"]["table"][0].contains("share"));
  EXPECT_LT(found["modes"]["table"][0]["example"], found["net"]["size"]);
  EXPECT_LE(found["energy"]["after"][1], found["energy"]["before"]);
  EXPECT_EQ(found["explore"]["budget"], 20'000);
  EXPECT_GT(found["explore"]["rounds"], 0);
  EXPECT_GT(found["explore"]["islands_cover"], 0.5);
  EXPECT_FALSE(found["explore"]["stopped"].get<std::string>().empty());
  EXPECT_GT(found["contacts"][0]["normal_velocity"][1], 0.036);
  EXPECT_FALSE(found.contains("evidence")) << "shares and certificates are not theirs";
  EXPECT_FALSE(found["sampling"].contains("trajectories"));
  EXPECT_FALSE(found["law"].contains("caps"));
}

TEST_F(CommandLine, ExploringReportsDirectionsOfInterest) {
  const std::vector<std::string> exploring = {"sample", "box_wall",    "--explore", "--budget",
                                              "2e4",    "--direction", "B normal"};
  const json found = run_json(exploring);
  ASSERT_EQ(found["directions"].size(), 1u);
  const json& one = found["directions"][0];
  EXPECT_EQ(one["name"], "B normal");
  EXPECT_NEAR(one["found_low"], found["contacts"][1]["normal_velocity"][0], 1e-12);
  EXPECT_NEAR(one["found_high"], found["contacts"][1]["normal_velocity"][1], 1e-12);
  EXPECT_THAT(run(exploring).out, testing::HasSubstr("Directions: the ends found"));
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
  expect_bad_input(with({"--force"}), "--force");
  expect_bad_input(with({"--budget", "10"}), "--budget");
  expect_bad_input(with({"--law", "plus"}), "must draw something in its steps");
  expect_bad_input(with({"--law", "sequential", "--solutions", "all"}), "solutions");
  expect_bad_input(run({"sample", "compass_gait", "--budget", "1e4"}), "--explore");
  expect_bad_input(with({"--islands", "1"}), "--islands");
  expect_bad_input(with({"--slots", "1e9"}), "--slots");
}

TEST_F(CommandLine, AnExplorationIsAFileThatGrowsAndReplays) {
  const std::string file = text_path("explored.h5");
  const std::string whole = text_path("whole.h5");
  const auto explore = [&](const std::string& budget, const std::string& output) {
    return run_json({"sample", "compass_gait", "--explore", "--budget", budget, "-o", output});
  };
  explore("2e4", file);
  const json expected = explore("5e4", whole);
  const json resumed = run_json({"resume", file, "--budget", "5e4"});
  EXPECT_EQ(resumed["net"], expected["net"]);
  EXPECT_EQ(resumed["lcps"], expected["lcps"]);
  EXPECT_EQ(resumed["explore"], expected["explore"]);
  const ExplorationResult one = read_exploration(file);
  const ExplorationResult other = read_exploration(whole);
  EXPECT_EQ(one.found.net.velocity(), other.found.net.velocity());
  EXPECT_EQ(to_toml(one.scenario), to_toml(other.scenario));

  const json path = run_json({"replay", file, "7"});
  const auto& members = one.found.net.velocity();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(path["steps"].back()["velocity"][i], members[7 * 4 + i]);
  }
  EXPECT_TRUE(run({"replay", file, "7"}).out.starts_with("Path to member 7 of compass_gait"));
  expect_bad_input(run({"replay", file, "1e6"}), "MEMBER");
  const json end = run_json({"replay", file, "A normal high"});
  EXPECT_EQ(end["end"], "A normal high");
  EXPECT_TRUE(end["member"].is_null());
  const std::vector<double>& farthest = one.found.ends[0].velocity;
  EXPECT_EQ(end["steps"].back()["velocity"].get<std::vector<double>>(), farthest);
  expect_bad_input(run({"resume", file, "--budget", "1e4"}), "--budget");
  expect_bad_input(run({"resume", file, "--trajectories", "100"}), "--trajectories");
  EXPECT_EQ(run_json({"compare", file, whole})["b"]["explored"], true);
}

/// A law without caps has neither h nor LCPs of caps to tell of, and its paths have no caps.
TEST_F(CommandLine, ExploresImpactsInTurn) {
  const std::string file = text_path("explored.h5");
  const std::vector<std::string> exploring = {"sample",    text_path("balls.toml"),
                                              "--law",     "propagative",
                                              "--explore", "--budget",
                                              "5000",      "-o",
                                              file};
  write("balls.toml",
        "system = \"matrices\"\n[problem]\nmass_matrix = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]\n"
        "normal_jacobian = [[-1, 1, 0], [0, -1, 1]]\npre_impact_velocity = [2, 1, 0]\n"
        "restitution = 0.5\n");
  const json found = run_json(exploring);
  EXPECT_GE(found["impacts"]["total"], 5000);
  EXPECT_FALSE(found.contains("lcps"));
  EXPECT_EQ(found["law"]["name"], "propagative");
  EXPECT_EQ(found["restitution"][0], 0.5);
  const std::string text = run(exploring).out;
  EXPECT_THAT(text, testing::HasSubstr("law propagative, plastic unilateral, at most"));
  EXPECT_THAT(text, testing::HasSubstr("a script of choices"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("LCP")));
  const json path = run_json({"replay", file, "0"});
  EXPECT_TRUE(path["steps"][0]["caps"].empty());
  const std::string steps = run({"replay", file, "0"}).out;
  EXPECT_THAT(steps, testing::HasSubstr("Impulses, N·s"));
  EXPECT_THAT(steps, testing::HasSubstr("pushes"));
  EXPECT_THAT(steps, testing::Not(testing::HasSubstr("cap ")));
  EXPECT_GT(run_json({"resume", file, "--budget", "1e4"})["impacts"]["total"], 9999);
}

/// The scenario of the file, with its [explore], repeats the run.
TEST_F(CommandLine, AScenarioStatesAnExploration) {
  const std::string file = text_path("explored.h5");
  write("explored.toml",
        "system = \"box_wall\"\n[explore]\nbudget = 20000\nslots = 100\nislands = 3\n");
  const json found = run_json({"sample", text_path("explored.toml"), "-o", file});
  EXPECT_EQ(found["explore"]["islands"], 3);
  EXPECT_EQ(found["explore"]["slots"], 100);
  write("again.toml", to_toml(read_exploration(file).scenario));
  const json again = run_json({"sample", text_path("again.toml")});
  EXPECT_EQ(again["net"], found["net"]);
  EXPECT_EQ(again["explore"], found["explore"]);
  write("both.toml",
        "system = \"box_wall\"\n[sampling]\ntrajectories = 10\n[explore]\nbudget = 20000\n");
  expect_bad_input(run({"sample", text_path("both.toml")}), "trajectories");
  write("tested.toml", "system = \"box_wall\"\n[evidence]\nhold_out = 10\n[explore]\n");
  expect_bad_input(run({"sample", text_path("tested.toml")}),
                   "hold_out is in [evidence] (must be without [explore]");
  write(
      "older.toml",
      "system = \"box_wall\"\n[evidence]\nhold_out = 4096\nhold_out_asked = \"auto\"\n[explore]\n");
  EXPECT_EQ(run({"describe", text_path("older.toml")}).exit_code, 0)
      << "earlier versions stored an exploration's scenario so";
  write("odd.toml", "system = \"box_wall\"\n[explore]\nbugdet = 20000\n");
  expect_bad_input(run({"sample", text_path("odd.toml")}), "budget");
}

/// A byte that changed anywhere is told; nothing else is read in its place.
TEST_F(CommandLine, ADamagedExplorationIsTold) {
  const std::string file = text_path("explored.h5");
  run_json({"sample", "box_wall", "--explore", "--budget", "5e3", "-o", file});
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  for (std::size_t at = 7; at < bytes.size(); at += bytes.size() / 40) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    write("damaged.h5", changed);
    try {
      read_exploration(text_path("damaged.h5"));
      ADD_FAILURE() << "byte " << at << " of " << bytes.size() << " was accepted";
    } catch (const InputError&) {
    }
  }
  write("short.h5", bytes.substr(0, bytes.size() / 2));
  expect_bad_input(run({"resume", text_path("short.h5"), "--budget", "1e5"}), "damaged");
  write("seal.h5", bytes.substr(0, 300));  // of it, the line that says what the file is
  expect_bad_input(run({"resume", text_path("seal.h5"), "--budget", "1e5"}), "it has 300 bytes");
  expect_bad_input(run({"compare", text_path("seal.h5"), file}), "it has 300 bytes");
}

}  // namespace
}  // namespace carom
