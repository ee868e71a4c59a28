// Families of bodies and floors: their first impacts differ in how they begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "carom/problem_family.hpp"
#include "tests/host/family_file.hpp"

namespace carom {
namespace {

using test::FamilyFile;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* sliding_box = R"(
system = "planar"
[world]
friction = 0.4
[[body]]
name = "box"
size = [0.2, 0.2]
mass = 2.0
position = [0.0, 0.5]
angle_deg = 3.0
velocity = [1.5, 0.0, 0.0]
[[body]]
radius = 0.1
mass = 1.0
position = [-9.0, 3.0]
[[floor]]
name = "ground"
[[floor]]
name = "ground left"
point = [1.0, 0.0]
normal = [-1.0, 0.0]
)";

/// Bodies and floors have axes by their names, or by their numbers where they have none.
TEST_F(FamilyFile, VariesBodiesAndFloors) {
  std::ofstream(folder_.path() / "box.toml") << sliding_box;
  const std::string head = "scenario = \"box.toml\"\n[axes]\n";
  const ProblemFamily family =
      read_problem_family(write(head + R"("body.box.mass" = {values = [2, 3]}
"body.box.velocity[0]" = {values = [1.5, 2]}
"body[1].mass" = {values = [1, 4]}
"floor.ground left.point[0]" = {values = [1.0, 0.3]}
"problem.pre_impact_velocity[2]" = {values = [0.0, 0.25]}
)"));
  EXPECT_THAT(family.names(),
              ElementsAre("body.box.mass", "body.box.velocity[0]", "body[1].mass",
                          "floor.ground left.point[0]", "problem.pre_impact_velocity[2]"));
  ASSERT_EQ(family.size(), 32);
  const ImpactProblem first = family.scenario(0).problem;
  EXPECT_EQ(first.mass_matrix(0, 0), 2.0);
  EXPECT_EQ(first.pre_impact_velocity(0), 1.5);
  const ImpactProblem last = family.scenario(31).problem;
  EXPECT_EQ(last.mass_matrix(0, 0), 3.0);
  EXPECT_EQ(last.mass_matrix(3, 3), 4.0);
  // The other entries are of the member's own impact: it meets the wall before the ground.
  EXPECT_EQ(last.pre_impact_velocity(0), 2.0);
  EXPECT_EQ(last.pre_impact_velocity(2), 0.25);
  EXPECT_LT(first.pre_impact_velocity(1), last.pre_impact_velocity(1));
  const auto axis = [&](const std::string& name) {
    return refused(head + "\"" + name + "\" = {values = [1.0]}\n");
  };
  EXPECT_EQ(axis("body.box.angle_deg"), "");
  EXPECT_THAT(axis("body.bux.mass"),
              HasSubstr("bux.mass\" (must be body.NAME.KEY, body.NAME one of body.box, body[1])"));
  EXPECT_THAT(axis("body.box.inertia"),
              HasSubstr("stated by the scenario: body.box has angle_deg, mass, "));
  EXPECT_THAT(axis("body.box.velocity"), HasSubstr("an entry of it, body.box.velocity[0], ..."));
  EXPECT_THAT(axis("body.box.velocity[3]"),
              HasSubstr("below body.box.velocity[3], counted from 0"));
  EXPECT_THAT(axis("body.box.name"), HasSubstr("the path of a number, and body.box.name is none"));
  EXPECT_THAT(axis("floor[0].point[0]"), HasSubstr("one of floor.ground, floor.ground left)"));
  EXPECT_THAT(axis("start.position.box.x"), HasSubstr("impacts have no start but body.NAME"));
}

/// Where a member's own impact has fewer entries than the scenario's, or there is none.
TEST_F(FamilyFile, RefusesMembersThatLackWhatAnAxisSets) {
  std::string flat = sliding_box;
  flat.replace(flat.find("angle_deg = 3.0"), 15, "angle_deg = 0.0");
  const std::size_t disc = flat.find("[[body]]", flat.find("[[body]]") + 1);
  flat.erase(disc, flat.find("[[floor]]") - disc);
  std::ofstream(folder_.path() / "flat.toml") << flat;
  const std::string head = "scenario = \"flat.toml\"\ninvalid = \"skip\"\n[axes]\n";
  const ProblemFamily fewer =
      read_problem_family(write(head + "\"body.box.angle_deg\" = {values = [0.0, 10.0]}\n"
                                       "\"problem.friction[1]\" = {values = [0.5]}\n"));
  EXPECT_EQ(fewer.member(0).refusal, "");
  EXPECT_THAT(fewer.member(1).refusal,
              HasSubstr("problem.friction[1] is beyond the 1 entries of this member"));
  const ProblemFamily rises =
      read_problem_family(write(head + "\"body.box.velocity[0]\" = {values = [1.5, -1.5]}\n"
                                       "\"body.box.velocity[1]\" = {values = [0.0, 800.0]}\n"
                                       "\"problem.pre_impact_velocity[2]\" = {values = [0.5]}\n"));
  EXPECT_EQ(rises.member(0).refusal, "");
  EXPECT_THAT(rises.member(3).refusal,
              testing::MatchesRegex("member 3 \\(body.box.velocity\\[0\\] = -1.5, .*: no contact "
                                    "approaches within 60 s.*"));
}

}  // namespace
}  // namespace carom
