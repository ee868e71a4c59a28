#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "host/cli/report_comparison.hpp"
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

}  // namespace
}  // namespace carom
