// MuJoCo models in time: the command line and its files.
#include <gmock/gmock.h>

#include "carom/roll_io.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/mujoco_models.hpp"

namespace carom {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class MujocoRoll : public CommandLine {
 protected:
  void SetUp() override {
#ifndef CAROM_HAS_MUJOCO
    GTEST_SKIP() << "built without MuJoCo";
#endif
    CommandLine::SetUp();
  }
  void TearDown() override {
    if (!folder_.empty()) CommandLine::TearDown();
  }

  /// A scenario of the shipped quadruped, which lands at once.
  std::string landing(const std::string& rest) const {
    return write("landing.toml", "system = \"mujoco\"\n[mujoco]\nmodel = \"" +
                                     test::shipped_model("quadruped") +
                                     "\"\nkeyframe = \"land\"\n" + rest);
  }
};

TEST_F(MujocoRoll, IsReportedAndAFileThatGrows) {
  const std::string scenario =
      landing("[roll]\nduration = 0.02\nask = [\"trunk.z < 0.34 m by 0.02 s\"]");
  const json found = run_json(
      {"roll", scenario, "--rollouts", "20", "--tube-time", "0.1", "-o", text_path("grown.h5")});
  EXPECT_EQ(found["status"]["moving"], 20);
  EXPECT_EQ(found["coordinates"].size(), 19u);
  EXPECT_EQ(found["velocity"][0].size(), 18u);
  EXPECT_EQ(found["answers"][0]["yes"], 20);
  EXPECT_GT(found["tube"]["nets"][20]["members"], 1);
  EXPECT_EQ(found["tube"]["nets"][0]["members"], 1);
  run_json(
      {"roll", scenario, "--rollouts", "50", "--tube-time", "0.1", "-o", text_path("whole.h5")});
  run_json({"resume", text_path("grown.h5"), "--rollouts", "50"});
  EXPECT_EQ(read_text(path("grown.h5")), read_text(path("whole.h5")));
  EXPECT_EQ(read_rollouts(path("whole.h5")).rollouts.velocity.size(), 50u * 21u * 18u);
  EXPECT_THAT(run({"roll", scenario, "--rollouts", "2"}).out,
              HasSubstr("faster than 0.1 m/s within 0.001 m"));
}

TEST_F(MujocoRoll, OtherCommandsTakeTheFirstImpactOfADrop) {
  const json found = run_json({"describe", CAROM_SOURCE_DIR "/scenarios/mujoco_drop.toml"});
  EXPECT_THAT(found["contacts"].dump(), HasSubstr("\"front_left_foot\""));
}

TEST_F(MujocoRoll, SlowImpactsAloneAreMujocos) {
  const json found =
      run_json({"roll", landing("[roll]\nduration = 0.05"), "--impact-speed", "1000"});
  EXPECT_EQ(found["impacts"]["most"], 0);
  const json z = found["position"].back()[2];
  EXPECT_EQ(z[0], z[4]);  // nothing is drawn
}

TEST_F(MujocoRoll, RefusesBadInput) {
  const auto refused = [&](const std::string& rest, const std::string& message,
                           const std::vector<std::string>& flags = {}) {
    std::vector<std::string> arguments = {"roll", landing(rest), "--rollouts", "2"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const ProgramRun outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  refused("[roll]", "window is stated (must be left out", {"--window", "1e-6"});
  refused("[roll]", "hold is stated (must be left out", {"--hold", "1e-3"});
  refused("[roll]", "backend is cuda (must be auto or cpu", {"--backend", "cuda"});
  refused("[roll]", "contact is compliant (must be rigid", {"--contact", "compliant"});
  refused("[roll]", "derivative is true (must be false", {"--derivative"});
  refused("[roll]", "which is about trunk.zz (must be one of", {"--ask", "trunk.zz < 0 at 1 s"});
  refused("[roll]\n[problem]\nfriction = 0.1", "[problem] is not the first impact");
  refused("[roll]\n[start.position]\n\"trunk.qw\" = {min = 0, max = 1}",
          "start has trunk.qw (must be one of trunk.x");
  refused("[roll]\n[start.position]\n\"trunk.z\" = {min = 0.3, max = 0.3}",
          "m deep (must be at most");
  refused("geoms = [[\"trunk\", \"floor\"]]\n[roll]", "has no geoms that can touch");
  std::filesystem::copy_file(test::shipped_model("quadruped"), path("dog.xml"));
  const std::string impact = write("impact.toml", R"(system = "mujoco"
[mujoco]
model = "dog.xml"
keyframe = "land"
)");
  expect_bad_input(run({"roll", impact}), "[roll] is missing");
  write("floating.xml", R"(<mujoco><option gravity="0 0 0"/><worldbody>
<geom type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/><geom size="0.1"/></body>
</worldbody></mujoco>)");
  const std::string floating = write("floating.toml", R"(system = "mujoco"
[mujoco]
model = "floating.xml"
[roll]
rollouts = 2
[start.velocity]
"joint_0.z" = {min = -2.0, max = -1.9}
)");
  expect_bad_input(run({"sample", floating}), "approaches faster than 0.1 m/s within 60 s");
  const std::string file = text_path("floating.h5");
  EXPECT_EQ(run_json({"roll", floating, "-o", file})["impacts"]["mean"], 1.0)
      << "of the starts asked for";
  EXPECT_THAT(read_rollouts(file).scenario.no_impact, HasSubstr("within 60 s"));
}

TEST_F(MujocoRoll, NamesJointsAfterTheirBodies) {
  write("chain.xml", R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body name="trunk" pos="0 0 0.11"><joint type="slide" axis="0 0 1"/><geom size="0.1"/>
  <body name="arm" pos="0 0 0.3"><joint type="hinge"/><joint type="slide"/><geom size="0.05"/></body>
  <body name="leg" pos="0 0.3 0.3"><joint name="hip"/><geom size="0.05"/></body>
  <body pos="0 -0.3 0.3"><joint axis="1 0 0"/><geom size="0.05"/></body>
</body></worldbody></mujoco>)");
  const std::string chain = write("chain.toml", R"(system = "mujoco"
[mujoco]
model = "chain.xml"
[roll]
rollouts = 1
duration = 0.01
)");
  EXPECT_EQ(run_json({"roll", chain})["coordinates"],
            (json{"trunk", "joint_1", "joint_2", "hip", "joint_4"}));
}

}  // namespace
}  // namespace carom
