#include <cmath>
#include <set>

#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

// A point mass in space that slides along its first tangent while it falls.
constexpr const char* falling_in_space = R"(
system = "matrices"
[problem]
mass_matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
normal_jacobian = [[0.0, 0.0, 1.0]]
tangent_jacobian = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
friction = [0.5]
friction_directions = 4
pre_impact_velocity = [2.0, 0.0, -1.0]
[sampling]
impulse_step = 1.5
epsilon = 0.01
)";

std::set<std::string> modes_of(const json& answers) {
  std::set<std::string> modes;
  for (const json& solution : answers["solutions"]) {
    modes.insert(solution["modes"].begin(), solution["modes"].end());
  }
  return modes;
}

TEST_F(CommandLine, SolutionsListsTheThreeOfTheCompassGait) {
  const json found = run_json({"solutions", "compass_gait", "--caps", "10,10"});
  // Caps that are never reached: the step is the simultaneous law.
  for (const char* law : {"step", "simultaneous"}) {
    EXPECT_EQ(modes_of(found[law]), (std::set<std::string>{"10", "11", "12"})) << law;
    EXPECT_TRUE(found[law]["segments"].empty());
    for (const json& solution : found[law]["solutions"]) {
      EXPECT_LT(solution["residual"], 1e-9);
      EXPECT_LE(solution["energy"], found["energy"]);
      const double lift = solution["normal_velocity"][1];
      const double slide = solution["tangential_velocity"][1];
      EXPECT_NEAR(solution["normal_velocity"][0], 0.0, 1e-12);
      EXPECT_NEAR(solution["tangential_velocity"][0], 0.0, 1e-12);
      if (solution["modes"][0] == "10") {
        EXPECT_NEAR(lift, 0.0996, 1e-4);
        EXPECT_EQ(solution["normal_impulse"][1], 0.0);
        EXPECT_EQ(solution["words"], "A sticks; B no impulse");
      } else if (solution["modes"][0] == "12") {
        EXPECT_NEAR(slide, 0.128, 1e-3);
        EXPECT_EQ(solution["words"], "A sticks; B slides +");
      } else {
        EXPECT_NEAR(std::hypot(lift, slide), 0.0, 1e-12);
      }
    }
  }
}

TEST_F(CommandLine, SolutionsNamesTheContactsAtTheirCap) {
  const json found = run_json({"solutions", "compass_gait", "--caps", "0.01,0.01"});
  for (const json& solution : found["step"]["solutions"]) {
    EXPECT_NEAR(solution["normal_impulse"][0], 0.01, 1e-12);
    EXPECT_EQ(solution["words"].get<std::string>().rfind("A sticks, at its cap; B ", 0), 0U);
  }
  EXPECT_EQ(found["simultaneous"]["solutions"].size(), 3U);  // has no caps
}

TEST_F(CommandLine, SolutionsAppliesCapAndVelocity) {
  // 2 kg at -3 m/s without friction: 0.5 N·s leave -2.75 m/s, 6 N·s would stop it.
  const std::string scenario = write("falling.toml", falling_mass);
  const json found = run_json({"solutions", scenario, "--caps", "0.5", "--velocity", "-0.5,-3"});
  ASSERT_EQ(found["step"]["solutions"].size(), 1U);
  EXPECT_NEAR(found["step"]["solutions"][0]["velocity"][1], -2.75, 1e-12);
  EXPECT_NEAR(found["step"]["solutions"][0]["velocity"][0], -0.5, 1e-12);
  EXPECT_EQ(found["step"]["solutions"][0]["words"], "A no friction, at its cap");
  ASSERT_EQ(found["simultaneous"]["solutions"].size(), 1U);
  EXPECT_NEAR(found["simultaneous"]["solutions"][0]["normal_impulse"][0], 6.0, 1e-12);
}

TEST_F(CommandLine, SolutionsListsTheEndsOfAContinuum) {
  // The top disk turns and falls: how the rest of it is shared is left open.
  const json found =
      run_json({"solutions", "disk_stack",
                "--velocity=-0.019375590985277191,-0.24164870941285477,0.13760410871301443,"
                "0,0,0,0,0,0",
                "--caps=0.894677337124128,0.6750329869042263,0.5304037392852775,"
                "0.29180877600005395,0.5636799258660311"});
  const json& step = found["step"];
  ASSERT_EQ(step["segments"].size(), 1U);
  ASSERT_EQ(step["segments"][0].size(), 2U);
  ASSERT_EQ(step["solutions"].size(), 2U);
  for (const json& solution : step["solutions"]) {
    EXPECT_TRUE(solution["on_continuum"]);
    const auto distance = [&](const json& end) {
      double sum = 0.0;
      for (std::size_t i = 0; i < end.size(); ++i) {
        sum += std::abs(end[i].get<double>() - solution["velocity"][i].get<double>());
      }
      return sum;
    };
    EXPECT_LT(std::min(distance(step["segments"][0][0]), distance(step["segments"][0][1])), 1e-9);
  }
  // One end is at rest, the other rolls on.
  EXPECT_NEAR(step["segments"][0][0][0].get<double>() + step["segments"][0][1][0].get<double>(),
              0.0109836585, 1e-9);
}

TEST_F(CommandLine, SolutionsTellsTheFrictionDirectionInSpace) {
  const std::string scenario = write("space.toml", falling_in_space);
  const json found = run_json({"solutions", scenario});
  ASSERT_EQ(found["step"]["solutions"].size(), 1U);
  const json& solution = found["step"]["solutions"][0];
  EXPECT_NEAR(solution["velocity"][0], 1.5, 1e-12);  // slowed down by mu times 1 N·s
  // Directions are +x, +y, -x, -y.
  EXPECT_EQ(solution["words"], "A slides, friction along direction 3");
  EXPECT_EQ(solution["modes"][0], "4");
}

TEST_F(CommandLine, SolutionsPrintsATablePerSolution) {
  const ProgramRun listed = run({"solutions", "compass_gait"});
  EXPECT_EQ(listed.exit_code, 0);
  for (const char* words :
       {"Step with the caps 0.25, 0.25 N·s: 3 solutions", "Simultaneous law, without caps: 3",
        "Solution 3: A sticks", "0.12849", "normal impulse", "scaled residual"}) {
    EXPECT_NE(listed.out.find(words), std::string::npos) << words << "\n" << listed.out;
  }
}

TEST_F(CommandLine, SolutionsChecksItsNumbersAsStepDoes) {
  const std::string scenario = write("falling.toml", falling_mass);
  expect_bad_input(run({"solutions", scenario, "--caps", "1,2"}),
                   "--caps has 2 numbers (must have 1)");
  expect_bad_input(run({"solutions", scenario, "--caps", "-1"}), "--caps has -1 (must be >= 0)");
  expect_bad_input(run({"solutions", scenario, "--velocity", "1,"}), "--velocity is \"\"");
  expect_bad_input(run({"solutions", "rocking_blok"}), "\"rocking_block\"");
}

TEST_F(CommandLine, StepsSayWhichLawAndRestitutionTheyHaveNot) {
  const std::string file = write("plus.toml",
                                 "system = \"rocking_block\"\n[problem]\nrestitution = 0.5\n"
                                 "[law]\nname = \"plus\"\n");
  for (const char* command : {"step", "solutions"}) {
    EXPECT_EQ(run_json({command, "rocking_block"})["notes"], json::array()) << command;
    const json notes = run_json({command, file})["notes"];
    EXPECT_EQ(notes, json({"the scenario's law is plus; this step is one of set_valued",
                           "the scenario has restitution; this step has none"}));
    EXPECT_NE(run({command, file}).out.find(notes[0].get<std::string>()), std::string::npos);
  }
}

/// At rest with the friction at the edge of its cone, contacts have modes of those that slide.
TEST_F(CommandLine, SolutionsSayThatWhatDoesNotSlipSticks) {
  const std::string scenario =
      write("corner.toml",
            "system = \"matrices\"\n[problem]\nmass_matrix = [[2.0, 0.0], [0.0, 2.0]]\n"
            "normal_jacobian = [[0, 1], [-1, 0]]\ntangent_jacobian = [[1, 0], [0, 1]]\n"
            "friction = [0.5, 0.25]\npre_impact_velocity = [2, -1.0]\n"
            "contact_names = [\"floor\", \"wall\"]\n");
  const auto solution =
      run_json({"solutions", scenario, "--caps", "10,10"})["step"]["solutions"][0];
  EXPECT_EQ(solution["modes"][0], "22");
  EXPECT_EQ(solution["words"], "floor sticks; wall sticks");
}

TEST_F(CommandLine, SolutionsSearchesWhereThereAreTooManyModes) {
  // Six contacts in the plane: 7^6 modes.
  std::string row, zeros;
  for (int i = 0; i < 6; ++i) {
    row += std::string(i == 0 ? "" : ", ") + "[0.0, 1.0]";
    zeros += std::string(i == 0 ? "" : ", ") + "[1.0, 0.0]";
  }
  const std::string scenario =
      write("six.toml",
            "system = \"matrices\"\n[problem]\nmass_matrix = [[1.0, 0.0], [0.0, 1.0]]\n"
            "normal_jacobian = [" +
                row + "]\ntangent_jacobian = [" + zeros +
                "]\nfriction = [1, 1, 1, 1, 1, 1]\npre_impact_velocity = [0, -1.0]\n"
                "[sampling]\nimpulse_step = 1.0\nepsilon = 0.01\n");
  // Six equal contacts share the load in infinitely many ways and leave one velocity.
  const auto found = run_json({"solutions", scenario});
  EXPECT_EQ(found["step"]["solutions"].size(), 1u);
}

}  // namespace
}  // namespace carom
