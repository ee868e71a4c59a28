#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <vector>

#include "host/result/world_section.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

class WorldSection : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  hdf5::Handle file_;

  /// Whether a scenario's file has /world.
  bool write(const std::string& scenario) {
    file_ = {};
    const std::string name = folder_.path() / "world.h5";
    file_ =
        hdf5::Handle(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create");
    sections::write_world(file_, parse_scenario(scenario));
    return H5Lexists(file_, sections::world_group, H5P_DEFAULT) > 0;
  }

  std::vector<double> numbers(const std::string& name) {
    const hdf5::Shape shape = hdf5::array_shape(file_, "world/" + name);
    hsize_t size = 1;
    for (const hsize_t length : shape) size *= length;
    std::vector<double> result(size);
    hdf5::read_array(file_, "world/" + name, hdf5::number_type<double>(), shape, result.data());
    return result;
  }
};

TEST_F(WorldSection, HasContactsInTheOrderOfTheProblem) {
  ASSERT_TRUE(write("system = \"disk_stack\""));
  const double half_root = 0.5 * std::sqrt(3.0);
  EXPECT_THAT(numbers("contact_place"),
              Pointwise(DoubleNear(1e-9), {-1.0, 0.0, 1.0, 0.0, -0.5, 1.0 + half_root, 0.5,
                                           1.0 + half_root, 0.0, 1.0}));
  EXPECT_THAT(numbers("radius"), Pointwise(DoubleNear(0.0), {1.0, 1.0, 1.0}));
  EXPECT_THAT(numbers("velocity"),
              Pointwise(DoubleNear(0.0), {0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
}

TEST_F(WorldSection, IsRightBeforeTheImpactOfAFall) {
  ASSERT_TRUE(write("system = \"rocking_block\"\n[parameters]\ndrop_height = 0.5"));
  EXPECT_THAT(numbers("position"), Pointwise(DoubleNear(1e-8), {0.0, 1.0, 0.0}));
  EXPECT_NEAR(numbers("velocity")[1], -std::sqrt(2.0 * 9.81 * 0.5), 1e-8);
}

TEST_F(WorldSection, IsThereForEveryBuiltInSystem) {
  for (const System& system : systems()) {
    EXPECT_TRUE(write("system = \"" + system.name + "\"")) << system.name;
  }
}

TEST_F(WorldSection, IsNotThereIfTheProblemIsAnother) {
  EXPECT_FALSE(
      write("system = \"rocking_block\"\n"
            "[problem]\npre_impact_velocity = [0.0, -1.0, 0.1]"));
  EXPECT_FALSE(
      write("system = \"matrices\"\n[problem]\nmass_matrix = [[1.0]]\n"
            "normal_jacobian = [[1.0]]\npre_impact_velocity = [-1.0]"));
}

}  // namespace
}  // namespace carom
