#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "carom/carom.hpp"
#include "carom/roll.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using testing::HasSubstr;

constexpr const char* text = R"(system = "spatial"
[world]
friction = 0.4
[[body]]
size = [0.2, 0.1, 0.06]
mass = 1
position = [0, 0, 0.3]
rotation_deg = [0, 90, 0]
velocity = [0, 0, -1]
[[body]]
name = "hull"
points = [[0.1, 0, 0], [-0.1, 0.1, 0], [-0.1, -0.1, 0], [0, 0, 0.2]]
radius = 0.01
mass = 1
inertia = [[0.02, 0.001, 0], [0.001, 0.02, 0], [0, 0, 0.03]]
position = [1, 0, 0.3]
[[floor]]
[[floor]]
name = "wall"
point = [3, 0, 0]
normal = [-2, 0, 0]
friction = 0.1
[problem]
friction_directions = 8
restitution = 0.25
)";

TEST(SpatialScenarios, AreReadAndWritten) {
  const Scenario scenario = parse_scenario(text);
  const auto& world = std::get<SpatialWorld>(*scenario.world);
  EXPECT_NEAR(world.bodies[0].orientation.y(), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR((*world.bodies[0].inertia)(0, 0), (0.01 + 0.0036) / 12.0, 1e-16);
  EXPECT_EQ(world.floors[1].normal, Vector3d(-1.0, 0.0, 0.0));
  EXPECT_EQ(scenario.problem.friction_directions, 8);
  EXPECT_EQ(scenario.problem.velocities(), 12);
  const std::string again = to_toml(scenario);
  EXPECT_EQ(to_toml(parse_scenario(again)), again);
  const RolledSystem system = rolled_system(world_of(scenario));
  EXPECT_EQ(system.coordinates[3], "body 1.qw");
  EXPECT_EQ(system.contacts.size(), 2u * (8u + 4u));
  EXPECT_EQ(system.contacts.back(), "hull 4 wall");
}

std::string refusal(const std::string& from, const std::string& to) {
  std::string changed = text;
  const std::size_t at = changed.find(from);
  if (at == std::string::npos) return "no such text: " + from;
  try {
    parse_scenario(changed.replace(at, from.size(), to), "s.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SpatialScenarios, ThatBreakARuleAreNamed) {
  const std::string size = "size = [0.2, 0.1, 0.06]";
  EXPECT_THAT(refusal(size, size + "\nhinge = {on = \"hull\"}"),
              HasSubstr("s.toml:6: hinge is given (must be left out: bodies in space are free)"));
  EXPECT_THAT(refusal(size, size + "\nexclude = [\"hull\"]"),
              HasSubstr("exclude is given (must be left out: bodies in space touch floors alone)"));
  EXPECT_THAT(refusal("mass = 1\nposition = [0, 0, 0.3]", "mass = -2\nposition = [0, 0, 0.3]"),
              HasSubstr("s.toml:6: body \"body 1\" has mass -2 (must be > 0 and finite)"));
  EXPECT_THAT(refusal(size, ""), HasSubstr("none or several of size, radius and points"));
  EXPECT_THAT(refusal(size, "size = [0.2, 0.1]"), HasSubstr("size has 2 numbers (must have 3)"));
  EXPECT_THAT(refusal("velocity = [0, 0, -1]", "velocity = [1, 0, 0, 0, 2, 0]"),
              HasSubstr("velocity has 6 numbers (must have 3; angular_velocity has those of the "
                        "rotation)"));
  EXPECT_THAT(refusal(size, "size = [0.2, -0.1, 0.1]"),
              HasSubstr("s.toml:5: body \"body 1\" has a size of -0.1"));
  EXPECT_THAT(refusal("rotation_deg = [0, 90, 0]", "quaternion = [0, 0, 0, 0]"),
              HasSubstr("a quaternion of length 0"));
  EXPECT_THAT(refusal("rotation_deg", "quaternion = [1, 0, 0, 0]\nrotation_deg"),
              HasSubstr("rotation_deg and quaternion (must be one of them)"));
  EXPECT_THAT(refusal("[0, 0, 0.03]]", "[0, 0, 0.05]]"), HasSubstr("above the sum of the others"));
  EXPECT_THAT(refusal("0.001, 0.02, 0]", "0.002, 0.02, 0]"), HasSubstr("not symmetric"));
  EXPECT_THAT(refusal("friction_directions = 8", "friction_directions = 5"),
              HasSubstr("friction_directions 5 (must be even and >= 4)"));
  EXPECT_THAT(refusal("inertia = [[0.02, 0.001, 0], [0.001, 0.02, 0], [0, 0, 0.03]]\n", ""),
              HasSubstr("has points, but no inertia"));
  EXPECT_THAT(refusal("velocity = [0, 0, -1]", "angle_deg = 3"), HasSubstr("angle_deg"));
}

}  // namespace
}  // namespace carom
