#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "carom/problem_family.hpp"
#include "tests/host/family_file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using test::FamilyFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr FamilyOptions draws(std::uint64_t problems, std::uint32_t seed = 1) {
  return {.problems = problems, .seed = seed};
}

TEST(ProblemFamily, SpansAGridWhoseLastAxisIsTheFastest) {
  const ProblemFamily family("compass_gait", {list_axis("friction", {1.0, 2.0}),
                                              grid_axis("leg_angle_deg", 60.0, 80.0, 3)});
  ASSERT_EQ(family.size(), 6);
  EXPECT_THAT(family.grid(), ElementsAre(2, 3));
  EXPECT_THAT(family.names(), ElementsAre("parameters.friction", "parameters.leg_angle_deg"));
  EXPECT_THAT(family.values(0), ElementsAre(1.0, 60.0));
  EXPECT_THAT(family.values(1), ElementsAre(1.0, 70.0));
  EXPECT_THAT(family.values(2), ElementsAre(1.0, 80.0));
  EXPECT_THAT(family.values(5), ElementsAre(2.0, 80.0));
  EXPECT_EQ(family.scenario(5).parameters.at("leg_angle_deg"), 80.0);
  EXPECT_EQ(family.scenario(5).problem.friction(1), 2.0);
  EXPECT_EQ(family.base().problem.friction(1), 5.0);
}

TEST(ProblemFamily, GivesTheProblemThatTheScenarioWithTheseValuesGives) {
  const ProblemFamily family("compass_gait", {list_axis("leading_rate", {0.75})});
  const Scenario direct =
      parse_scenario("system = \"compass_gait\"\n[parameters]\nleading_rate = 0.75\n");
  EXPECT_EQ(to_toml(family.scenario(0)), to_toml(direct));
}

TEST(ProblemFamily, DrawsAreUniformFunctionsOfSeedMemberAndAxis) {
  const std::vector<FamilyAxis> axes = {drawn_axis("leading_rate", -1.0, 3.0),
                                        drawn_axis("trailing_rate", 0.0, 1.0)};
  const ProblemFamily family("compass_gait", axes, draws(20'000));
  const ProblemFamily longer("compass_gait", axes, draws(30'000));
  const ProblemFamily other("compass_gait", axes, draws(20'000, 2));
  double sum = 0.0;
  double product = 0.0;
  double least = 3.0;
  double greatest = -1.0;
  for (std::uint64_t i = 0; i < family.size(); ++i) {
    const std::vector<double> values = family.values(i);
    EXPECT_EQ(values, longer.values(i));
    EXPECT_NE(values, other.values(i));
    sum += values[0];
    product += (values[0] - 1.0) * (values[1] - 0.5);
    least = std::min(least, values[0]);
    greatest = std::max(greatest, values[0]);
  }
  // Five standard deviations: of the mean 4 / sqrt(12 n), of the covariance 1/3 / sqrt(n).
  EXPECT_NEAR(sum / 20'000.0, 1.0, 0.041);
  EXPECT_NEAR(product / 20'000.0, 0.0, 0.012);
  EXPECT_GE(least, -1.0);
  EXPECT_LT(least, -0.99);
  EXPECT_LE(greatest, 3.0);
  EXPECT_GT(greatest, 2.99);
}

TEST(ProblemFamily, DrawsAnewForEveryMemberOfAPointOfTheGrid) {
  const ProblemFamily family(
      "compass_gait",
      {drawn_axis("leading_rate", 0.0, 1.0), list_axis("friction", {1.0, 2.0, 3.0})}, draws(4));
  ASSERT_EQ(family.size(), 12);
  EXPECT_EQ(family.values(3)[1], 1.0);
  EXPECT_EQ(family.values(4)[1], 2.0);
  EXPECT_NE(family.values(0)[0], family.values(4)[0]);
}

TEST(ProblemFamily, SetsComponentsOfWhatASystemDerives) {
  const ProblemFamily family("compass_gait", {list_axis("pre_impact_velocity[2]", {0.5}),
                                              list_axis("problem.friction[1]", {0.25})});
  const ImpactProblem problem = family.scenario(0).problem;
  const ImpactProblem base = family.base().problem;
  EXPECT_EQ(problem.pre_impact_velocity(2), 0.5);
  EXPECT_EQ(problem.pre_impact_velocity(0), base.pre_impact_velocity(0));
  EXPECT_EQ(problem.friction(0), base.friction(0));
  EXPECT_EQ(problem.friction(1), 0.25);
}

TEST(ProblemFamily, DerivesTheOtherComponentsFromTheMembersOwnParameters) {
  const ProblemFamily family("compass_gait", {list_axis("problem.pre_impact_velocity[2]", {0.5}),
                                              list_axis("trailing_rate", {0.75})});
  const Scenario own =
      parse_scenario("system = \"compass_gait\"\n[parameters]\ntrailing_rate = 0.75\n");
  const Eigen::VectorXd velocity = family.scenario(0).problem.pre_impact_velocity;
  EXPECT_EQ(velocity(0), own.problem.pre_impact_velocity(0));
  EXPECT_NE(velocity(0), family.base().problem.pre_impact_velocity(0));
  EXPECT_EQ(velocity(2), 0.5);
  EXPECT_EQ(velocity(3), 0.75);
}

TEST(ProblemFamily, SetsOneFrictionForAllContacts) {
  const ProblemFamily family(
      (fs::path(CAROM_SOURCE_DIR) / "scenarios/matrices_example.toml").string(),
      {list_axis("friction", {0.125}), list_axis("mass_matrix[0][0]", {4.0})});
  EXPECT_EQ(family.names().front(), "problem.friction");
  EXPECT_EQ(family.scenario(0).problem.friction(0), 0.125);
  EXPECT_EQ(family.scenario(0).problem.mass_matrix(0, 0), 4.0);
}

TEST(ProblemFamily, NamesTheMemberAndItsValuesWhereARuleIsBroken) {
  const ProblemFamily family("compass_gait", {list_axis("leg_angle_deg", {60.0, 95.0})});
  EXPECT_EQ(test::refusal([&] { family.scenario(0); }), "");
  const std::string message = test::refusal([&] { family.scenario(1); });
  EXPECT_THAT(message, HasSubstr("member 1 (parameters.leg_angle_deg = 95): "));
  EXPECT_THAT(message, HasSubstr("must be > 0 and < 90"));
  // Files keep it, and must not depend on where the scenario lies.
  EXPECT_EQ(family.source(), "compass_gait");
  EXPECT_EQ(family.member(1).refusal,
            "member 1 (parameters.leg_angle_deg = 95): [parameters] leg_angle_deg is 95 (must be > "
            "0 and < 90)");
  EXPECT_FALSE(family.member(1).scenario);
  EXPECT_EQ(test::refusal([&] { family.scenario(2); }), "member is 2 (must be below 2)");
}

TEST(ProblemFamily, RefusesAsAMemberWhereNoContactApproaches) {
  const ProblemFamily family("compass_gait", {list_axis("leading_rate", {0.25, -2.0})});
  EXPECT_TRUE(family.member(0).scenario);
  EXPECT_THAT(family.member(1).refusal, HasSubstr("no contact approaches"));
  EXPECT_EQ(test::refusal([&] { family.scenario(1); }), "");
}

TEST(ProblemFamily, RefusesPathsThatNameNoNumber) {
  const auto with = [](const std::string& path) {
    return test::refusal([&] { ProblemFamily("compass_gait", {list_axis(path, {1.0})}); });
  };
  EXPECT_THAT(with("leg_angel_deg"), HasSubstr("did you mean \"leg_angle_deg\"?"));
  EXPECT_THAT(with("parameters.leg_lenght"), HasSubstr("did you mean \"leg_length\"?"));
  EXPECT_THAT(with("problem.pre_impact_velocity[4]"), HasSubstr("problem.pre_impact_velocity[3]"));
  EXPECT_THAT(with("pre_impact_velocity"), HasSubstr("problem.pre_impact_velocity[0]"));
  EXPECT_THAT(with("sampling.seed"), HasSubstr("sampled alike"));
  EXPECT_THAT(with("law.v_capture"), HasSubstr("sampled alike"));
  EXPECT_THAT(with("mujoco.qpos[0]"), HasSubstr("it has no qpos in [mujoco])"));
  EXPECT_THAT(with("mujoco.qvel[0]"),
              HasSubstr("no qvel in [mujoco]; pre_impact_velocity needs no statement"));
  const auto of_matrices = [](const std::string& path) {
    const fs::path file = fs::path(CAROM_SOURCE_DIR) / "scenarios/matrices_example.toml";
    return test::refusal([&] { ProblemFamily(file.string(), {list_axis(path, {1.0})}); });
  };
  EXPECT_THAT(of_matrices("mass_matrix.trunk"),
              HasSubstr("an entry by its number, mass_matrix[0], ...: mass_matrix is a list"));
  EXPECT_THAT(of_matrices("wall.trunk"), HasSubstr("it has no trunk in [wall]"));
  EXPECT_THAT(with("friction["), HasSubstr("a number's path"));
  EXPECT_THAT(with(""), HasSubstr("a number's path"));
}

TEST_F(FamilyFile, ErrorsOfAxesNameTheirLines) {
  const auto with = [&](const std::string& line) {
    return refused(
        "scenario = \"compass_gait\"\nproblems = 2\n[axes]\nleading_rate = {min = 0.1, max "
        "= 0.2}\n" +
        line + "\n");
  };
  EXPECT_THAT(with("frction = {min = 0, max = 1}"), HasSubstr("family.toml:5:"));
  EXPECT_THAT(with("friction = {min = 0.5, max = 0.2}"), HasSubstr("family.toml:5:"));
  EXPECT_THAT(with("friction = {values = [1.0, nan]}"), HasSubstr("family.toml:5:"));
  EXPECT_THAT(with("\"problem.friction[7]\" = {values = [1.0]}"), HasSubstr("family.toml:5:"));
  EXPECT_THAT(with("\"parameters.leading_rate\" = {values = [1.0]}"), HasSubstr("family.toml:5:"));
}

TEST(ProblemFamily, AnAxisOffTheDiagonalKeepsTheMassMatrixSymmetric) {
  const fs::path file = fs::path(CAROM_SOURCE_DIR) / "scenarios/matrices_example.toml";
  const ProblemFamily family(file.string(), {list_axis("mass_matrix[0][1]", {0.05})});
  const Eigen::MatrixXd mass = family.scenario(0).problem.mass_matrix;
  EXPECT_EQ(mass(0, 1), 0.05);
  EXPECT_EQ(mass(1, 0), 0.05);
  const ProblemFamily both(file.string(), {list_axis("mass_matrix[0][1]", {0.05}),
                                           list_axis("mass_matrix[1][0]", {0.06})});
  EXPECT_THAT(both.member(0).refusal, HasSubstr("symmetric"));
}

TEST(ProblemFamily, RefusesAxesThatSetTheSameNumber) {
  const auto with = [](const std::string& one, const std::string& other) {
    return test::refusal([&] {
      ProblemFamily("compass_gait", {list_axis(one, {1.0}), list_axis(other, {1.0})});
    });
  };
  EXPECT_THAT(with("friction", "parameters.friction"), HasSubstr("comes twice"));
  EXPECT_THAT(with("problem.friction", "problem.friction[0]"), HasSubstr("same contact"));
  EXPECT_THAT(with("friction", "problem.friction[0]"), HasSubstr("same contact"));
}

TEST(ProblemFamily, RefusesAxesWithoutValuesAndFamiliesTooLarge) {
  EXPECT_THAT(
      test::refusal([] { ProblemFamily("compass_gait", {drawn_axis("friction", 1.0, 1.0)}); }),
      HasSubstr("min < max"));
  EXPECT_THAT(test::refusal([] { list_axis("friction", {}); }), HasSubstr("values is empty"));
  EXPECT_THAT(test::refusal([] { grid_axis("friction", 0.0, 1.0, 0); }), HasSubstr("count is 0"));
  EXPECT_THAT(test::refusal([] { grid_axis("friction", 0.0, 1.0, 1); }), HasSubstr("count is 1"));
  EXPECT_THAT(test::refusal([] { grid_axis("friction", 2.0, 1.0, 3); }),
              HasSubstr("min is 2 (must be <= max = 1)"));
  EXPECT_THAT(test::refusal([] { ProblemFamily("compass_gait", {}); }), HasSubstr("no axes"));
  EXPECT_THAT(test::refusal(
                  [] { ProblemFamily("compass_gait", {list_axis("friction", {1.0})}, draws(2)); }),
              HasSubstr("all would be equal"));
  EXPECT_EQ(grid_axis("leading_rate", -0.5, 1.0, 7).values,
            (std::vector{-0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(grid_axis("leading_rate", -2.0, 0.5, 11).values[8], 0.0);
  EXPECT_EQ(grid_axis("leading_rate", -0.1, 0.1, 7).values[3], 0.0);
  const FamilyAxis many = grid_axis("friction", 0.0, 1.0, 1 << 20);
  EXPECT_THAT(test::refusal([&] {
                ProblemFamily("compass_gait", {many, grid_axis("leading_rate", 0.0, 1.0, 1 << 20)});
              }),
              HasSubstr("must be at most 4294967296"));
}

TEST_F(FamilyFile, TakesAxesInTheOrderOfTheText) {
  const ProblemFamily family = read_problem_family(write(R"(
scenario = "compass_gait"
problems = 2
invalid = "skip"
[sampling]
seed = 7
max_steps = 9
[axes]
trailing_rate = {min = 0.0, max = 1.0}
leg_angle_deg = {min = 60, max = 80, count = 3}
parameters.friction = {values = [1, 2]}
"problem.pre_impact_velocity[2]" = {values = [0.5]}
)"));
  EXPECT_THAT(family.names(), ElementsAre("parameters.trailing_rate", "parameters.leg_angle_deg",
                                          "parameters.friction", "problem.pre_impact_velocity[2]"));
  EXPECT_EQ(family.size(), 12);
  EXPECT_EQ(family.options().seed, 7);
  EXPECT_EQ(family.options().invalid, InvalidMembers::skip);
  EXPECT_EQ(family.scenario(11).sampling.max_steps, 9);
  EXPECT_THAT(family.values(3), ElementsAre(testing::_, 60.0, 2.0, 0.5));
}

TEST_F(FamilyFile, ReadsStatesWhoseRowsAreMembers) {
  write_npy("states.npy", 3, {0.1, 9.0, 0.2, 0.3, 9.0, 0.4});
  const ProblemFamily family = read_problem_family(write(R"(
scenario = "compass_gait"
[states]
file = "states.npy"
columns = ["leading_rate", "", "trailing_rate"]
)"));
  ASSERT_EQ(family.size(), 2);
  EXPECT_THAT(family.values(1), ElementsAre(0.3, 0.4));
  EXPECT_EQ(family.scenario(1).parameters.at("trailing_rate"), 0.4);
}

TEST_F(FamilyFile, ColumnsOfOneFileAdvanceTogether) {
  write_npy("states.npy", 2, {0.1, 0.2, 0.3, 0.4});
  const ProblemFamily family = read_problem_family(write(R"(
scenario = "compass_gait"
[axes]
trailing_rate = {file = "states.npy", column = 1}
friction = {values = [1.0, 2.0, 3.0]}
leading_rate = {file = "states.npy", column = 0}
)"));
  ASSERT_EQ(family.size(), 6);
  EXPECT_THAT(family.names(), ElementsAre("parameters.leading_rate", "parameters.trailing_rate",
                                          "parameters.friction"));
  EXPECT_THAT(family.values(5), ElementsAre(0.3, 0.4, 3.0));
}

TEST_F(FamilyFile, RefusesAxesThatTheLawReplaces) {
  const auto with = [&](const std::string& law, const std::string& axis) {
    return refused("scenario = \"rocking_block\"\n[law]\nname = \"plus\"\n" + law + "\n[axes]\n\"" +
                   axis + "\" = {values = [0.5, 1.0]}\n");
  };
  EXPECT_THAT(with("mu = 0.3", "friction"), HasSubstr("law plus has a friction of its own"));
  EXPECT_THAT(with("mu = 0.3", "problem.friction[0]"), HasSubstr("problem.friction[0] (must be"));
  EXPECT_THAT(with("v_before = [0, {min = -1, max = -0.5}, 0]", "problem.pre_impact_velocity[0]"),
              HasSubstr("law plus has a pre_impact_velocity of its own"));
  EXPECT_EQ(with("e_min = 0.3", "friction"), "");
  const std::string falls = "v_before = [0, {min = -1, max = -0.5}, 0]";
  EXPECT_THAT(with(falls, "drop_speed"),
              HasSubstr("parameters.drop_speed (must be left out: it changes nothing but"));
  EXPECT_EQ(with(falls, "width"), "");
  EXPECT_EQ(with("e_min = 0.3", "drop_speed"), "");
}

TEST_F(FamilyFile, NamesFileLineAndRule) {
  write_npy("nan.npy", 1, {1.0, std::numeric_limits<double>::quiet_NaN()});
  const std::string head = "scenario = \"compass_gait\"\n";
  EXPECT_THAT(refused("problems = 1\n"), HasSubstr("family.toml: scenario is missing"));
  EXPECT_THAT(refused("scenario = \"compas_gait\"\n"), HasSubstr("family.toml:1: scenario is"));
  EXPECT_THAT(refused(head + "problem = 3\n"),
              HasSubstr("family.toml:2: unknown key \"problem\"; did you mean \"problems\"?"));
  EXPECT_THAT(refused(head + "[axes]\nfriction = 3\n"),
              HasSubstr("family.toml:3: friction is 3, an integer (must be a table such as"));
  EXPECT_THAT(refused(head + "[axes]\nfriction = {min = 1, mx = 2}\n"),
              HasSubstr("family.toml:3: unknown key \"mx\" in axis friction; did you mean"));
  EXPECT_THAT(refused(head + "[axes]\nfriction = {min = 1, max = 2, count = 0}\n"),
              testing::MatchesRegex("[^:]*family.toml:3: count is 0.*"));  // told once
  EXPECT_THAT(refused(head + "[axes]\nfriction = {min = 1}\n"),
              HasSubstr("family.toml:3: max is missing in axis friction"));
  EXPECT_THAT(refused(head + "[axes]\nfriction = {min = 1, max = 2}\n"),
              HasSubstr("family.toml: problems is missing"));
  EXPECT_THAT(refused(head + "problems = 2\n"),
              HasSubstr("family.toml: axes or states is missing (must give at least one axis)"));
  EXPECT_THAT(refused(head + "problems = 2\n[axes]\n"),
              HasSubstr("family.toml:3: [axes] is empty (must have at least one axis)"));
  EXPECT_THAT(refused(head + "[axes]\nfrictoin = {values = [1]}\n"),
              HasSubstr("did you mean \"friction\"?"));
  EXPECT_THAT(refused(head + "[states]\nfile = \"nan.npy\"\ncolumns = [\"friction\"]\n"),
              HasSubstr("family.toml:2: nan.npy has nan in row 1, column 0"));
  EXPECT_THAT(refused(head + "[states]\nfile = \"nan.npy\"\ncolumns = [\"friction\", \"\"]\n"),
              HasSubstr("has 1 columns (must be 2, as many as are named)"));
  EXPECT_THAT(refused(head + "[axes]\nfriction = {file = \"nan.npy\", column = 1}\n"),
              HasSubstr("column is 1 (must be below 1"));
  EXPECT_THAT(refused(head + "[sampling]\nsed = 1\n"),
              HasSubstr("family.toml:3: unknown key \"sed\" in [sampling]"));
  EXPECT_THAT(refused(head + "[sampling]\nseed = 1\nshard_rows = 5\n"),
              HasSubstr("family.toml:4: shard_rows is for the rows of carom sample"));
  EXPECT_THAT(refused(head + "[sampling]\nepsilon = -1.0\n[axes]\nfriction = {values = [1]}\n"),
              HasSubstr("family.toml:3: epsilon is -1"));
}

TEST(ProblemFamily, MayBeAskedByManyThreads) {
  const ProblemFamily family("compass_gait", {drawn_axis("leading_rate", 0.0, 1.0)}, draws(400));
  std::vector<std::string> texts(400);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < 400; i += 4) texts[i] = to_toml(family.scenario(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(texts[i], to_toml(family.scenario(i)));
}

}  // namespace
}  // namespace carom
