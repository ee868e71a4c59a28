#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <Eigen/Core>
#include <filesystem>
#include <fstream>
#include <string>

#include "carom/error.hpp"
#include "carom/mujoco.hpp"

namespace carom::test {

inline void expect_near(const Eigen::MatrixXd& found, const Eigen::MatrixXd& wanted,
                        double tolerance) {
  ASSERT_EQ(found.rows(), wanted.rows());
  ASSERT_EQ(found.cols(), wanted.cols());
  EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), tolerance) << found << "\nwanted\n" << wanted;
}

inline std::string shipped_model(const std::string& name) {
  return std::string(CAROM_SOURCE_DIR) + "/scenarios/mujoco/" + name + ".xml";
}

/// Whether a scenario of the repository can be read by this build.
inline bool readable(const std::filesystem::path& scenario) {
#ifdef CAROM_HAS_MUJOCO
  static_cast<void>(scenario);
  return true;
#else
  return scenario.stem().string().rfind("mujoco_", 0) != 0;
#endif
}

/// A folder of models, each with a floor and what else a test puts into its world.
class MujocoModels : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef CAROM_HAS_MUJOCO
    GTEST_SKIP() << "built without MuJoCo";
#endif
    std::string name = (std::filesystem::temp_directory_path() / "carom_mujoco_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  /// A model whose world is a floor and `bodies`; `rest` stands beside the world.
  std::string model(const std::string& bodies, const std::string& rest = "") const {
    return write("model.xml",
                 "<mujoco><compiler angle=\"radian\"/>" + rest +
                     "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>" + bodies +
                     "</worldbody></mujoco>");
  }

  static std::string refusal(const MujocoOptions& options) {
    try {
      impact_problem_from_mujoco(options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

/// A ball of 1 kg and radius 0.1 m that touches the floor.
inline constexpr const char* ball = R"(
<body name="ball" pos="0 0 0.1"><freejoint/><geom name="ball" size="0.1" mass="1"/></body>)";

inline Eigen::VectorXd vector(std::initializer_list<double> values) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  Eigen::Index next = 0;
  for (const double value : values) result(next++) = value;
  return result;
}

/// Falls at 1 m/s.
inline Eigen::VectorXd falling() { return vector({0.0, 0.0, -1.0, 0.0, 0.0, 0.0}); }

}  // namespace carom::test
