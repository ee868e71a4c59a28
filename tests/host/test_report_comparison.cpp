// What is said of other laws' outcomes beside a set.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "carom/carom.hpp"
#include "host/cli/report_comparison.hpp"
#include "tests/support/note_text.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

class ComparisonReport : public ::testing::Test {
 protected:
  /// Outcomes of the rocking block with a net that has one member, at rest.
  ComparisonReport()
      : problem_(test::reference_problem("rocking_block")),
        comparison_(compare_laws(problem_, {})) {
    EpsilonNet net(3, epsilon);
    net.restore({0}, {0.0, 0.0, 0.0});
    measure_distances(comparison_, net);
  }

  std::string text() const { return cli::comparison_text(problem_, comparison_, epsilon); }
  nlohmann::json json() const { return cli::comparison_json(problem_, comparison_, epsilon); }

  /// Lines of the text that hold all `words`.
  int lines_with(const std::vector<std::string>& words) const {
    int count = 0;
    std::istringstream lines(text());
    for (std::string line; std::getline(lines, line);) {
      const auto holds = [&](const std::string& word) { return line.find(word) != line.npos; };
      if (std::all_of(words.begin(), words.end(), holds)) ++count;
    }
    return count;
  }

  static constexpr double epsilon = 0.01;
  ImpactProblem problem_;
  Comparison comparison_;
};

TEST_F(ComparisonReport, TellsWhatEachContactDoesAndFlagsWhatIsOutsideTheNet) {
  EXPECT_EQ(lines_with({"simultaneous", "A sticks, B sticks"}), 1);
  EXPECT_EQ(lines_with({"sequential", "A,B", "(outside)", "A separates (0.093018 m/s), B sticks"}),
            1);
  EXPECT_EQ(lines_with({"sequential", "B,A", "(outside)", "A sticks, B separates (0.093018 m/s)"}),
            1);
  EXPECT_EQ(lines_with({"(outside)"}), 2);
}

TEST_F(ComparisonReport, PutsOrdersWithOneOutcomeIntoOneRow) {
  LawOutcome& first = comparison_.outcomes[1];
  LawOutcome& second = comparison_.outcomes[2];
  second.velocity = first.velocity + Eigen::Vector3d(1e-8, 0.0, 0.0);
  second.modes = first.modes;
  EXPECT_EQ(lines_with({"sequential", "A,B; B,A"}), 1);
  EXPECT_EQ(lines_with({"sequential"}), 1);
  const nlohmann::json row = json()["outcomes"][1];
  EXPECT_EQ(row["orders"], (nlohmann::json{"A,B", "B,A"}));
  EXPECT_EQ(row["stages"], (nlohmann::json{2, 2}));
  EXPECT_NEAR(row["normal_velocity"][0], 0.093018, 1e-6);
  EXPECT_FALSE(row["inside"]);
  second.velocity = first.velocity + Eigen::Vector3d(1e-5, 0.0, 0.0);
  EXPECT_EQ(lines_with({"sequential"}), 2);
}

TEST_F(ComparisonReport, SaysWhatIsUnusual) {
  comparison_.outcomes[1].terminated = false;
  comparison_.outcomes[2].unique = false;
  comparison_.note = "a remark";
  EXPECT_EQ(lines_with({"A,B", "still colliding after 2 stages"}), 1);
  EXPECT_EQ(lines_with({"B,A", "a stage had several solutions"}), 1);
  EXPECT_EQ(lines_with({"a remark"}), 1);
  comparison_.outcomes[1].velocity = Eigen::Vector3d(0.0, -0.25, 0.0);
  EXPECT_EQ(lines_with({"A approaches (0.25 m/s), B approaches (0.25 m/s); still colliding"}), 1);
}

TEST_F(ComparisonReport, HasNoDistanceToAnEmptyNet) {
  for (LawOutcome& outcome : comparison_.outcomes) {
    outcome.net_distance = std::numeric_limits<double>::infinity();
  }
  EXPECT_TRUE(json()["outcomes"][0]["net_distance"].is_null());
  EXPECT_EQ(text().find("inf"), std::string::npos);
}

TEST_F(ComparisonReport, CutsLongOrders) {
  const std::string order =
      "right_upper_arm/floor,left_hand/floor,right_thigh/left_hand,butt/floor";
  comparison_.outcomes[1].order = order;
  comparison_.outcomes[2].order = "a_name_that_is_longer_than_the_column_has_room_for,B";
  EXPECT_EQ(lines_with({"right_upper_arm/floor,left_hand/floor,...  "}), 1);
  EXPECT_EQ(lines_with({"a_name_that_is_longer_than_the_column_has_room_for,...  "}), 1);
  EXPECT_EQ(json()["outcomes"][1]["orders"], nlohmann::json{order});
}

TEST_F(ComparisonReport, IsEmptyWithoutAComparison) {
  EXPECT_EQ(cli::comparison_text(problem_, {}, epsilon), "");
  EXPECT_TRUE(cli::comparison_json(problem_, {}, epsilon)["outcomes"].empty());
}

/// Two contacts with friction whose simultaneous law has three solutions; two of them need larger
/// impulses than the one that Lemke's method finds.
constexpr const char* jammed = R"(
system = "matrices"
[problem]
mass_matrix = [[7.51, -0.59, 1.05, 2.21], [-0.59, 7.89, -0.72, -1.01],
               [1.05, -0.72, 2.18, 2.03], [2.21, -1.01, 2.03, 2.57]]
normal_jacobian = [[-0.34, 0.01, 0.41, -0.58], [-0.27, -0.08, -0.34, 0.41]]
tangent_jacobian = [[-0.61, 0.22, -0.17, -0.51], [-0.98, -1.76, -0.61, 0.61]]
friction = [0.76, 1.33]
pre_impact_velocity = [-0.93, -0.35, -1.54, 1.13]
)";

std::string outside(const std::vector<Note>& notes) { return text_of(notes, "other_law_outside"); }

std::string note_on_sample(const Scenario& scenario) {
  SamplingOptions options = scenario.sampling;
  options.trajectories = 2048;
  options = resolved(options, scenario.problem);
  EvidenceOptions evidence;
  evidence.hold_out = 0;
  PostImpactSet set = post_impact_set(scenario.problem, options);
  add_evidence(scenario.problem, options, evidence, set);
  return outside(set.notes);
}

TEST(ComparisonNote, OfASampleNamesTheImpulseThatAnOutcomeNeeds) {
  Scenario scenario = parse_scenario(jammed);
  EXPECT_EQ(note_on_sample(scenario), "");  // the default h counts all solutions
  scenario.sampling.impulse_step = 0.7;
  const std::string note = note_on_sample(scenario);
  EXPECT_THAT(note, testing::HasSubstr("2 of 3 solutions of the simultaneous law"));
  EXPECT_THAT(note,
              testing::HasSubstr("has an impulse of 3.3 N·s, where caps are at most 0.7 N·s"));
  ASSERT_THAT(note,
              testing::HasSubstr("a larger impulse_step, such as 1.52 to 3.3, may reach them"));
  scenario.sampling.impulse_step = 1.52;
  EXPECT_EQ(note_on_sample(scenario), "");
}

TEST(ComparisonNote, OfAnExplorationIsTheSame) {
  Scenario scenario = parse_scenario(jammed);
  ExploreOptions options;
  options.budget = 20'000;
  scenario.sampling.epsilon = 0.01;
  scenario.sampling.impulse_step = 0.7;
  EXPECT_THAT(outside(explore(scenario.problem, scenario.sampling, options).notes),
              testing::HasSubstr("a larger impulse_step, such as 1.52 to 3.3, may reach them"));
}

TEST(ComparisonNote, LooksAtTheImpulsesOfStages) {
  const ImpactProblem block = parse_scenario("system = \"rocking_block\"\n").problem;
  const Eigen::MatrixXd& normals = block.normal_jacobian;
  for (const LawOutcome& outcome : compare_laws(block, {}).outcomes) {
    if (outcome.law != ComparedLaw::sequential) continue;
    // The first stage stops the contact that approaches, with friction.
    const Eigen::Map<const Eigen::VectorXd> after(outcome.path.data() + block.velocities(),
                                                  block.velocities());
    const Eigen::VectorXd impulse = block.mass_matrix * (after - block.pre_impact_velocity);
    EXPECT_GE(outcome.largest_impulse * (1.0 + 1e-9), std::abs(impulse(1))) << outcome.order;
    EXPECT_EQ(normals.col(1), Eigen::VectorXd::Ones(2));  // so that impulse(1) is the normal one
  }
}

}  // namespace
}  // namespace carom
