#include <gmock/gmock.h>

#include <cmath>

#include "carom/scenario.hpp"
#include "tests/support/mujoco_models.hpp"

namespace carom {
namespace {

using test::ball;
using test::falling;
using test::shipped_model;
using test::vector;
using testing::HasSubstr;
using Mujoco = test::MujocoModels;

TEST_F(Mujoco, RefusesWhatIsNoModel) {
  EXPECT_THAT(refusal({}), HasSubstr("model is missing (must be the name of an MJCF file)"));
  EXPECT_THAT(refusal({.model = "/nowhere/a.xml"}), HasSubstr("/nowhere/a.xml does not exist"));
  EXPECT_THAT(refusal({.model = folder_.string()}), HasSubstr("is no regular file"));
  const std::string text = write("text.xml", "no XML at all");
  EXPECT_THAT(refusal({.model = text}), HasSubstr(text + " is no model that MuJoCo "));
  const std::string schema = write("schema.xml", "<mujoco><worldbody><geon/></worldbody></mujoco>");
  const std::string message = refusal({.model = schema});
  EXPECT_THAT(message, HasSubstr("geon"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(Mujoco, RefusesStatesThatTheModelDoesNotHave) {
  const std::string block = shipped_model("rocking_block");
  EXPECT_EQ(refusal({.model = block, .keyframe = "lamd"}),
            "keyframe is \"lamd\" (must be land or an index from 0 to 0); did you mean \"land\"?");
  EXPECT_EQ(refusal({.model = block, .keyframe = "0"}), "accepted");
  EXPECT_THAT(refusal({.model = block, .keyframe = "1"}), HasSubstr("keyframe is \"1\" (must be "));
  EXPECT_EQ(refusal({.model = model(ball), .keyframe = "land"}),
            "keyframe is \"land\", but the model has none");
  const std::string keys = model(ball,
                                 "<keyframe><key name=\"1\" qpos=\"0 0 0.1 1 0 0 0\"/>"
                                 "<key name=\"low\" qpos=\"0 0 0.1 1 0 0 0\"/></keyframe>");
  EXPECT_THAT(refusal({.model = keys, .keyframe = "1"}),
              HasSubstr("the index of one keyframe and the name of another"));
  EXPECT_EQ(refusal({.model = block, .qpos = vector({0.0, 0.0})}),
            "qpos has 2 numbers (must have 3, the model's nq)");
  EXPECT_EQ(refusal({.model = block, .qvel = vector({0.0, 0.0, 0.0, 0.0})}),
            "qvel has 4 numbers (must have 3, the model's nv)");
  EXPECT_EQ(refusal({.model = block, .qvel = vector({0.0, NAN, 0.0})}),
            "qvel has nan at index 1 (must be finite)");
  EXPECT_EQ(refusal({.model = block, .keyframe = "land", .distance = -1.0}),
            "distance is -1 (must be >= 0 and finite)");
  EXPECT_EQ(refusal({.model = model(ball), .qpos = vector({0, 0, 0.1, 0, 0, 0, 0})}),
            "qpos has a zero quaternion at index 3 (must have a direction)");
  EXPECT_THAT(refusal({.model = model("")}), HasSubstr("has no joints (must have one at least)"));
}

TEST_F(Mujoco, RefusesContactsThatAreNotThere) {
  const std::string file = model(ball);
  EXPECT_EQ(refusal({.model = file, .qvel = falling(), .geoms = {{"bal", ""}}}),
            "geoms names \"bal\" (must be a geom of " + file + "); did you mean \"ball\"?");
  EXPECT_EQ(refusal({.model = file, .qpos = vector({0, 0, 0.2, 1, 0, 0, 0}), .qvel = falling()}),
            file +
                " has no contact at this state: no geoms come as close as distance = 0.001 m "
                "(must have one at least)");
  const std::string disabled = model(ball, "<option><flag contact=\"disable\"/></option>");
  EXPECT_THAT(refusal({.model = disabled, .qvel = falling()}),
              HasSubstr("its flags disable contacts"));
}

TEST_F(Mujoco, RefusesAStateInWhichNothingApproaches) {
  const std::string file = model(ball);
  EXPECT_EQ(
      refusal({.model = file}),
      "no contact of " + file +
          " approaches: the least normal velocity is 0 m/s, of ball/floor (must be < -1e-08 for "
          "one at least; set it by qvel)");
  EXPECT_THAT(refusal({.model = file, .qvel = -falling()}),
              HasSubstr("the least normal velocity is 1 m/s"));
}

TEST_F(Mujoco, RefusesMoreContactsThanAreCompiled) {
  std::string feet;
  for (int i = 0; i < 18; ++i) {  // the corners of a polygon
    feet +=
        "<geom size=\"0.01\" pos=\"" + std::to_string(i) + " " + std::to_string(i * i) + " 0\"/>";
  }
  const std::string body = "<body name=\"rake\" pos=\"0 0 0.01\"><freejoint/>" + feet + "</body>";
  const MujocoOptions at_state{.model = model(body), .qvel = falling()};
  EXPECT_THAT(
      refusal(at_state),
      HasSubstr("has 18 contacts at this state, geom 1/floor, geom 10/floor, geom 11/floor, "
                "geom 12/floor, geom 13/floor, geom 14/floor, ... (must have at most 17 in "
                "space: merge = 4 leaves 4 of them, or select some by geoms, or make distance "
                "smaller)"));
  MujocoOptions merged = at_state;
  merged.merge = 1;  // what is asked for already is no advice
  EXPECT_THAT(refusal(merged), HasSubstr("in space: merge = 4 leaves 4 of them"));
  merged.merge = 18;
  EXPECT_THAT(refusal(merged), HasSubstr("in space: merge = 4 leaves 4 of them"));
  merged.merge = 2;
  EXPECT_THAT(refusal(merged), HasSubstr("merge is 2 (must be true, false, or how many corners"));
  std::string chain;
  for (int i = 0; i < 97; ++i) {
    chain +=
        "<body><joint type=\"slide\" axis=\"0 0 1\"/><inertial pos=\"0 0 0\" mass=\"1\" "
        "diaginertia=\"1 1 1\"/>";
  }
  chain += "<geom size=\"0.01\"/>";
  for (int i = 0; i < 97; ++i) chain += "</body>";
  Eigen::VectorXd velocity = Eigen::VectorXd::Constant(97, -1.0);
  EXPECT_THAT(refusal({.model = model(chain), .qvel = velocity}),
              HasSubstr("has 97 velocities (must have at most 96)"));
}

TEST_F(Mujoco, WhatIsWeldedToTheWorldDoesNotApproach) {
  const auto with = [&](const std::string& active) {
    return model(ball, "<equality><weld name=\"held\" body1=\"ball\" active=\"" + active +
                           "\"/></equality>");
  };
  EXPECT_THAT(refusal({.model = with("true"), .qvel = falling()}),
              HasSubstr("approaches: the least normal velocity is"));
  EXPECT_EQ(refusal({.model = with("false"), .qvel = falling()}), "accepted");
}

TEST_F(Mujoco, RefusesFrictionThatDependsOnTheDirection) {
  const std::string file = model(ball,
                                 "<contact><pair geom1=\"ball\" geom2=\"floor\" "
                                 "friction=\"1 0.5 0.005 0.0001 0.0001\"/></contact>");
  EXPECT_THAT(refusal({.model = file, .qvel = falling()}),
              HasSubstr("contact ball/floor has friction 1 and 0.5 along its two tangents (must be "
                        "the same)"));
}

// MuJoCo's own way with an error is to write a log file and to end the process.
TEST_F(Mujoco, AnErrorInsideMujocoIsAnExceptionAndNotTheEnd) {
  const std::string before = std::filesystem::current_path().string();
  std::filesystem::current_path(folder_);
  std::string boxes;
  for (int i = 0; i < 30; ++i) {
    boxes += "<body pos=\"" + std::to_string(0.3 * i) +
             " 0 0.1\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\"/></body>";
  }
  const auto with_memory = [&](const std::string& size) {
    return model(boxes, "<size memory=\"" + size + "\"/>");
  };
  EXPECT_THAT(refusal({.model = with_memory("1K")}), HasSubstr("out of memory"));
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      impact_problem_from_mujoco({.model = with_memory("60K")});
      ADD_FAILURE() << "60 KiB were enough";
    } catch (const std::runtime_error& error) {  // an error of MuJoCo 4, a warning of 3.3
      EXPECT_THAT(error.what(), HasSubstr("model.xml: "));
      EXPECT_THAT(error.what(), HasSubstr("memory"));
    }
  }
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
  EXPECT_EQ(impact_problem_from_mujoco({.model = model(ball), .qvel = falling()}).contacts(), 1);
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace carom
