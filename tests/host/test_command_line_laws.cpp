#include <gmock/gmock.h>

#include "carom/law_sets.hpp"
#include "carom/result_io.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* balls =
    "system = \"matrices\"\n[problem]\nmass_matrix = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]\n"
    "normal_jacobian = [[-1, 1, 0], [0, -1, 1]]\npre_impact_velocity = [2, 1, 0]\n";

TEST_F(CommandLine, ImpactsInTurnAreSampledWithReportJsonAndFile) {
  const std::string file = write("balls.toml", balls);
  const std::string result = text_path("balls.h5");
  const json found = run_json({"sample", file, "--law", "propagative", "--trajectories", "2000",
                               "--paths", "3", "-o", result});
  EXPECT_EQ(found["law"], json({{"name", "propagative"}, {"plastic", "unilateral"}}));
  EXPECT_EQ(found["restitution"], json({1.0, 1.0}));
  EXPECT_EQ(found["impacts"]["total"], 6000);
  EXPECT_EQ(found["impacts"]["max"], 3);
  EXPECT_FALSE(found.contains("lcps"));
  EXPECT_FALSE(found.contains("final_steps"));
  EXPECT_EQ(found["net"]["size"], 2);
  EXPECT_TRUE(found["comparison"]["outcomes"].empty());
  const SampleSet rows = read_samples(path("balls.h5"), 0, 2000);
  EXPECT_THAT(rows.impacts, testing::Each(3u));
  EXPECT_TRUE(rows.lcp_count.empty());
  // Longer by `resume` is as long from the start.
  ASSERT_EQ(run({"resume", result, "--trajectories", "2500"}).exit_code, 0);
  EXPECT_EQ(
      run_json({"sample", file, "--law", "propagative", "--trajectories", "2500"})["checksum"],
      run_json({"sample", file, "--law", "propagative", "--trajectories", "2500", "--threads", "1",
                "--chunk", "7"})["checksum"]);
  EXPECT_EQ(read_result(path("balls.h5")).set.summary.trajectories, 2500u);
  const std::string report =
      run({"sample", file, "--law", "propagative", "--restitution", "0.5"}).out;
  EXPECT_THAT(report, HasSubstr("restitution       0.5"));
  EXPECT_THAT(report, HasSubstr("impacts           49152, 3 per trajectory, at most 3"));
}

TEST_F(CommandLine, FourFeetInSpaceHaveASimultaneousOutcome) {
  const std::string brick = CAROM_SOURCE_DIR "/scenarios/brick_corners.toml";
  const json gait =
      run_json({"sample", "compass_gait", "--law", "sequential", "--trajectories", "64"});
  EXPECT_EQ(gait["solutions"]["method"], "modes");
  const json alone = run_json(
      {"sample", brick, "--law", "simultaneous", "--trajectories", "64", "--epsilon", "0.1"});
  EXPECT_EQ(alone["outcomes"], 64);
  EXPECT_EQ(alone["solutions"]["method"], "signs");
  EXPECT_EQ(alone["net"]["size"], 1);
  const json found =
      run_json({"laws", brick, "--trajectories", "64", "--epsilon", "0.5", "--restitutions", "0"});
  for (const json& law : found["laws"]) {
    EXPECT_EQ(law["refusal"] == "", law["law"]["name"] != "propagative") << law;
  }
  EXPECT_THAT(run({"laws", CAROM_SOURCE_DIR "/scenarios/plus_corner.toml", "--trajectories", "2",
                   "--restitutions", "0"})
                  .out,
              HasSubstr("note: friction has 4 directions"));
}

TEST_F(CommandLine, WhatTrajectoriesDrawIsSaidAndGoesOn) {
  const std::string file = write(
      "falling.toml", std::string(balls) + "restitution = {min = 0.2, max = 0.6}\n" +
                          "[law]\nname = \"plus\"\nv_plastic = {mean = 0.5, deviation = 0.1}\n");
  const std::string result = text_path("falling.h5");
  const json found = run_json({"sample", file, "--trajectories", "300", "-o", result});
  EXPECT_EQ(found["law"]["v_plastic"], json({{"mean", 0.5}, {"deviation", 0.1}}));
  EXPECT_EQ(found["law"]["e_min"], json::array({{{"min", 0.2}, {"max", 0.6}}}));
  EXPECT_EQ(found["restitution"], json({0.4, 0.4}));
  EXPECT_GT(found["net"]["size"], 10);
  const std::string drawn = "v_plastic {mean = 0.5, deviation = 0.1}";
  const json& certificate = found["evidence"]["certificate"];
  EXPECT_THAT(certificate["sentence"].get<std::string>(), HasSubstr(drawn));
  EXPECT_EQ(certificate["v_capture"], 0.01);
  ASSERT_EQ(run({"resume", result, "--trajectories", "500"}).exit_code, 0);
  EXPECT_EQ(read_result(path("falling.h5")).set.summary.checksum,
            std::stoull(run_json({"sample", file, "--trajectories", "500", "--threads", "1",
                                  "--chunk", "7"})["checksum"]
                            .get<std::string>(),
                        nullptr, 16));
  const ProgramRun other = run({"sample", file, "--law", "set_valued"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err,
              HasSubstr("--law is set_valued (must be plus, of which the scenario draws"));
  const ProgramRun flag = run({"sample", file, "--e-min", "{min = 0.2, max = 1.5}"});
  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_THAT(flag.err, HasSubstr("e_min.max is 1.5 (must be from 0 to 1)"));
}

TEST_F(CommandLine, LawsStopWhenAskedAlsoInTheirPilots) {
  const Scenario scenario = load_scenario(write("balls.toml", balls));
  int calls = 0;
  const LawSets found = sets_of_laws(scenario.problem, {}, {0.0}, [&](std::size_t, std::size_t) {
    ++calls;
    return false;
  });
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(found.laws.size(), 5u);
  for (const LawSet& one : found.laws) EXPECT_FALSE(one.set.has_value());
}

TEST_F(CommandLine, LawsStandSideBySide) {
  const std::string file = write("balls.toml", balls);
  const json found = run_json(
      {"laws", file, "--restitutions", "0,1", "--trajectories", "1000", "-o", text_path("laws")});
  ASSERT_EQ(found["laws"].size(), 8u);
  const auto& laws = found["laws"];
  EXPECT_EQ(laws[1]["law"]["name"], "set_valued");
  EXPECT_EQ(laws[1]["restitution"], json({1.0, 1.0}));
  EXPECT_EQ(laws[5]["law"]["name"], "propagative");
  EXPECT_EQ(laws[5]["members"], 2);
  EXPECT_EQ(laws[7]["law"]["name"], "plus");
  EXPECT_TRUE(laws[2]["restitution"].is_null());
  // Plastic without friction: every law ends with the common velocity.
  for (const int i : {0, 2, 3, 4, 6}) {
    for (const int j : {0, 2, 3, 4, 6}) EXPECT_EQ(found["inside"][i][j], 1.0) << i << ", " << j;
  }
  EXPECT_EQ(found["inside"][5][0], 0.0);
  EXPECT_EQ(found["norm"], "euclidean");
  EXPECT_EQ(run_json({"laws", file, "--trajectories", "100", "--norm", "kinetic"})["norm"],
            "kinetic");
  EXPECT_EQ(read_result(path("laws") / "propagative_e1.h5").set.net.size(), 2u);
  EXPECT_EQ(read_result(path("laws") / "set_valued_e0.h5").scenario.problem.restitution,
            Eigen::Vector2d::Zero());
}

TEST_F(CommandLine, LawsThatCannotTakeAProblemSayWhy) {
  const json found = run_json({"laws", "rocking_block", "--trajectories", "200"});
  ASSERT_EQ(found["laws"].size(), 9u);
  EXPECT_THAT(found["laws"][5]["refusal"].get<std::string>(), HasSubstr("friction is 1"));
  EXPECT_TRUE(found["inside"][5][0].is_null());
  EXPECT_EQ(found["inside"][3][0], 1.0);  // the simultaneous outcome lies in the set
  EXPECT_THAT(run({"laws", "rocking_block", "--trajectories", "200"}).out,
              HasSubstr("Not taken by a law"));
}

/// A body in a slot bounces for ever where it loses nothing: of such a law a few trajectories tell.
TEST_F(CommandLine, LawsSideBySideHaveNoQuestions) {
  const std::string scenario =
      write("s.toml", "system = \"rocking_block\"\n[outputs]\nask = [\"A normal > 0.1\"]\n");
  const ProgramRun told = run({"laws", scenario, "--trajectories", "64"});
  EXPECT_NE(told.out.find("[outputs] of the scenario count for carom sample alone"),
            std::string::npos)
      << told.out;
  const ProgramRun document = run({"laws", scenario, "--trajectories", "64", "--json"});
  const json notes = json::parse(document.out).at("notes");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].at("code"), "single_set_tables");
  const json of_others =
      json::parse(run({"laws", "rocking_block", "--trajectories", "64", "--json"}).out);
  EXPECT_TRUE(of_others.at("notes").empty());
}

TEST_F(CommandLine, LawsWithoutOutcomesTakeNoTime) {
  const std::string file = write("slot.toml", R"(
system = "matrices"
[problem]
mass_matrix = [[1, 0], [0, 1]]
normal_jacobian = [[1, 0], [-1, 0], [0.2, 1]]
pre_impact_velocity = [-1, -0.3]
)");
  const std::vector<std::string> command = {"laws", file, "--restitutions", "0,1"};
  const json found = run_json(command);
  std::vector<std::uint64_t> trajectories;
  for (const auto& law : found["laws"]) {
    if (law["law"]["name"] != "propagative") continue;
    EXPECT_EQ(law["outcomes"], 0);
    trajectories.push_back(law["trajectories"]);
  }
  EXPECT_EQ(trajectories, (std::vector<std::uint64_t>{64, 64}));
  EXPECT_EQ(found["laws"][0]["trajectories"], 4096);
  const std::string report = run(command).out;
  const std::size_t first = report.find("the friction cone is not pointed");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(report.find("the friction cone is not pointed", first + 1), std::string::npos);
}

TEST_F(CommandLine, RestitutionIsOneNumberOrOnePerContact) {
  const auto restitution = [&](const std::string& text) {
    return run_json(
        {"sample", "rocking_block", "--trajectories", "10", "--restitution", text})["restitution"];
  };
  EXPECT_EQ(restitution("0.5"), nlohmann::json({0.5, 0.5}));
  EXPECT_EQ(restitution("0.8,0.3"), nlohmann::json({0.8, 0.3}));
}

TEST_F(CommandLine, RestitutionOfZeroIsNone) {
  for (const char* law : {"set_valued", "simultaneous", "sequential"}) {
    const auto found = [&](std::vector<std::string> more) {
      more.insert(more.begin(), {"sample", "rocking_block", "--trajectories", "100", "--law", law});
      return run_json(more);
    };
    const auto none = found({});
    const auto zero = found({"--restitution", "0"});
    EXPECT_EQ(zero["checksum"], none["checksum"]) << law;
    EXPECT_EQ(zero["comparison"], none["comparison"]) << law;
  }
}

TEST_F(CommandLine, RestitutionThatNoLawTakesIsRefused) {
  const std::string file = write("balls.toml", balls);
  expect_bad_input(run({"sample", file, "--restitution", "1.5"}), "--restitution");
  expect_bad_input(run({"sample", file, "--restitution", "0.5,0.5,0.5,0.5,0.5"}),
                   "--restitution has 5 numbers (must have 1 for all contacts, or ");
  expect_bad_input(run({"sample", file, "--law", "simultaneous", "--restitution", "0.5"}),
                   "restitution");
  expect_bad_input(
      run({"sample", file, "--explore", "--law", "sequential", "--restitution", "0.5"}),
      "restitution");
  expect_bad_input(run({"sample", file, "--law", "propagative", "--plastic", "soft"}), "--plastic");
  expect_bad_input(run({"sample", "rocking_block", "--law", "propagative"}), "friction");
  expect_bad_input(run({"laws", file, "--restitutions", "0,2"}), "restitution");
  const std::string uneven = write("uneven.toml", std::string(balls) + "restitution = [0, 1, 1]\n");
  EXPECT_THAT(run({"sample", uneven}).err,
              HasSubstr("restitution has 3 entries (must have 2: one per contact)"));
}

TEST_F(CommandLine, ProblemsThatAreTooLargeForAnLcpAreToldSo) {
  const std::string rack = std::string(CAROM_SOURCE_DIR) + "/scenarios/break_16.toml";
  EXPECT_EQ(run_json({"describe", rack})["propagative"]["kind"], "not guaranteed");
  for (const char* command : {"step", "solutions"}) {
    const ProgramRun refused = run({command, rack});
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr("31 contacts and 32 velocities (must be at most 24 and 96"));
  }
}

}  // namespace
}  // namespace carom
