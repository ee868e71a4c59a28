#include <gmock/gmock.h>

#include "carom/result_io.hpp"
#include "carom/scenario.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/mujoco_models.hpp"

namespace carom {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class MujocoScenario : public CommandLine {
 protected:
  void SetUp() override {
#ifndef CAROM_HAS_MUJOCO
    GTEST_SKIP() << "built without MuJoCo";
#endif
    CommandLine::SetUp();
    fs::copy_file(test::shipped_model("rocking_block"), path("block.xml"));
  }
  void TearDown() override {
    unsetenv("CAROM_MUJOCO_LIBRARY");
    if (!folder_.empty()) CommandLine::TearDown();
  }

  /// A scenario in the folder of block.xml.
  Scenario parse(const std::string& mujoco, const std::string& rest = "") const {
    return parse_scenario("system = \"mujoco\"\n[mujoco]\n" + mujoco + "\n" + rest, "s.toml",
                          folder_);
  }
  std::string refusal(const std::string& mujoco, const std::string& rest = "") const {
    try {
      parse(mujoco, rest);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

constexpr const char* landing = "model = \"block.xml\"\nkeyframe = \"land\"";

TEST_F(MujocoScenario, ReadsModelStateAndContacts) {
  const Scenario scenario = parse(
      "model = \"block.xml\"\nqpos = [0, 0, 0]\nqvel = [0.5, -2, 0]\n"
      "geoms = [\"left\", [\"floor\", \"right\"]]\ndistance = 0.01");
  EXPECT_EQ(scenario.problem.contact_names, (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(scenario.problem.pre_impact_velocity, test::vector({0.5, -2.0, 0.0}));
  ASSERT_TRUE(scenario.mujoco);
  EXPECT_EQ(scenario.mujoco->model, "block.xml");
  EXPECT_EQ(scenario.mujoco->geoms[1].other, "right");
  EXPECT_EQ(parse("model = \"block.xml\"\nkeyframe = 0").problem.contacts(), 2);
  // Of the momentum of 1 kg at 2 m/s, what the one corner needs that stops it alone.
  EXPECT_GT(default_impulse_step(scenario.problem), 0.0);
}

/// As who changes [mujoco] in the text of a result file would.
TEST_F(MujocoScenario, MatricesBesideAModelAreTold) {
  const std::string text = to_toml(parse(landing));
  const std::string file = write("back.toml", text);
  const auto is_told = [](const std::vector<Note>& notes) {
    return std::ranges::count(notes, "model_not_read", &Note::code) == 1;
  };
  EXPECT_TRUE(is_told(read_scenario(file).problem.doubts));
  EXPECT_TRUE(is_told(load_scenario(file).problem.doubts));
  EXPECT_FALSE(is_told(parse_scenario(text).problem.doubts));  // as of a result file
  const auto described = run({"describe", file});
  EXPECT_EQ(described.exit_code, 0);
  EXPECT_THAT(described.out, HasSubstr("block.xml, which was not read"));
  EXPECT_THAT(refusal(landing, "[problem]\nmass_matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"),
              HasSubstr("without mass_matrix the model of [mujoco] gives it"));
}

TEST_F(MujocoScenario, ProblemTableOverridesFrictionAndVelocity) {
  const Scenario scenario = parse("model = \"block.xml\"",
                                  "[problem]\nfriction = 0.25\npre_impact_velocity = [0, -3, 0]\n");
  EXPECT_EQ(scenario.problem.friction, test::vector({0.25, 0.25}));
  EXPECT_EQ(scenario.problem.pre_impact_velocity(1), -3.0);
  EXPECT_EQ(refusal(landing, "[problem]\nnormal_jacobian = [[1.0]]\n"),
            "s.toml:6: normal_jacobian is only for system \"matrices\" (system \"mujoco\" derives "
            "it from the model of [mujoco])");
}

TEST_F(MujocoScenario, RefusalsNameTheLine) {
  EXPECT_EQ(refusal("keyframe = \"land\""),
            "s.toml:2: model is missing in [mujoco] (must be the name of an MJCF file)");
  EXPECT_THAT(refusal("model = \"blok.xml\""), HasSubstr("blok.xml does not exist"));
  EXPECT_EQ(refusal("model = \"block.xml\"\nqpos = [1.0]"),
            "s.toml:4: qpos has 1 numbers (must have 3, the model's nq)");
  EXPECT_EQ(refusal("model = \"block.xml\"\nkeyframes = \"land\""),
            "s.toml:4: unknown key \"keyframes\" in [mujoco]; did you mean \"keyframe\"?");
  EXPECT_EQ(refusal("model = \"block.xml\"\nkeyframe = 1.5"),
            "s.toml:4: keyframe is 1.5, a float (must be a name or an index)");
  EXPECT_EQ(refusal("model = \"block.xml\"\ngeoms = [[\"left\"]]"),
            "s.toml:4: an entry of geoms is an array (must be a geom's name or an array of two "
            "names)");
  EXPECT_THAT(refusal("model = \"block.xml\"\ngeoms = [\"left\", \"rihgt\"]"),
              HasSubstr("s.toml:4: geoms names \"rihgt\""));
  EXPECT_EQ(refusal(landing, "[parameters]\nwidth = 1\n"),
            "s.toml:5: [parameters] is not for system \"mujoco\"");
  const auto elsewhere = [](const std::string& text) {
    try {
      parse_scenario(text, "s.toml");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(elsewhere("system = \"mujoco\""),
            "s.toml: [mujoco] is missing (system \"mujoco\" needs it)");
  EXPECT_EQ(elsewhere("system = \"rocking_block\"\n[mujoco]\nmodel = \"a.xml\"\n"),
            "s.toml:2: [mujoco] is not for system \"rocking_block\"");
}

TEST_F(MujocoScenario, CanonicalTextNeedsNoModel) {
  const Scenario scenario = parse(
      "model = \"block.xml\"\nkeyframe = \"land\"\nqvel = [0.1, -1, 0.2]\n"
      "geoms = [\"left\", [\"floor\", \"right\"]]",
      "[problem]\nfriction = [0.5, 0.7]\n");
  fs::remove(path("block.xml"));
  const Scenario again = parse_scenario(to_toml(scenario));
  EXPECT_EQ(to_toml(again), to_toml(scenario));
  EXPECT_EQ(again.system, "mujoco");
  EXPECT_EQ(again.problem.mass_matrix, scenario.problem.mass_matrix);
  EXPECT_EQ(again.problem.normal_jacobian, scenario.problem.normal_jacobian);
  EXPECT_EQ(again.problem.tangent_jacobian, scenario.problem.tangent_jacobian);
  EXPECT_EQ(again.problem.friction, scenario.problem.friction);
  EXPECT_EQ(again.problem.pre_impact_velocity, scenario.problem.pre_impact_velocity);
  EXPECT_EQ(again.problem.contact_names, scenario.problem.contact_names);
  ASSERT_TRUE(again.mujoco);
  EXPECT_EQ(again.mujoco->keyframe, "land");
  EXPECT_EQ(again.mujoco->qvel, scenario.mujoco->qvel);
  EXPECT_EQ(again.mujoco->geoms[1].geom, "floor");
}

TEST_F(MujocoScenario, ResultsAreResumedWithoutModelAndLibrary) {
  const std::string scenario =
      write("block.toml", std::string("system = \"mujoco\"\n[mujoco]\n") + landing + "\n");
  const auto whole = run_json({"sample", scenario, "--trajectories", "600"});
  run_json({"sample", scenario, "--trajectories", "200", "-o", text_path("block.h5")});
  fs::remove(path("block.xml"));
  setenv("CAROM_MUJOCO_LIBRARY", "/nonexistent/libmujoco.so", 1);
  const auto resumed = run_json({"resume", text_path("block.h5"), "--trajectories", "600"});
  EXPECT_EQ(resumed["checksum"], whole["checksum"]);
  EXPECT_EQ(read_result(path("block.h5")).scenario.mujoco->model, "block.xml");
}

TEST_F(MujocoScenario, ALibraryThatCannotServeIsSaid) {
  const std::string scenario =
      write("block.toml", std::string("system = \"mujoco\"\n[mujoco]\n") + landing + "\n");
  const auto failure = [&](const char* library) {
    setenv("CAROM_MUJOCO_LIBRARY", library, 1);
    const ProgramRun outcome = run({"describe", scenario});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  const std::string missing = failure("/nonexistent/libmujoco.so");
  EXPECT_THAT(missing, HasSubstr("cannot be loaded"));
  EXPECT_THAT(missing, HasSubstr("/nonexistent/libmujoco.so"));
  EXPECT_THAT(failure("libm.so.6"), HasSubstr("libm.so.6 has no function mj_version"));
  EXPECT_THAT(failure(CAROM_FAKE_MUJOCO),
              HasSubstr(" is MuJoCo 1.2.3 (must be " + mujoco_support().header_version));
}

TEST_F(MujocoScenario, DescribeAndSystemsTellOfMujoco) {
  const std::string scenario =
      write("block.toml", std::string("system = \"mujoco\"\n[mujoco]\n") + landing + "\n");
  const std::string described = run({"describe", scenario}).out;
  EXPECT_THAT(described, testing::StartsWith("block\n"));
  EXPECT_THAT(described, HasSubstr("block.xml, keyframe land"));
  EXPECT_EQ(run_json({"describe", scenario})["mujoco"]["keyframe"], "land");
  EXPECT_EQ(run_json({"describe", "rocking_block"})["mujoco"], nullptr);
  EXPECT_EQ(run_json({"systems"})["mujoco"]["available"], true);
}

}  // namespace
}  // namespace carom
