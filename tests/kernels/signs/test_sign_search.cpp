#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "carom/carom.hpp"
#include "kernels/signs/sign_search.hpp"
#include "tests/support/step_pieces.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using Search = SignSearch<test::StepPieces::max_coordinates>;

struct ListedPieces {
  std::vector<test::FoundPiece> pieces;
  SearchReport report;
};

class PieceLister {
 public:
  explicit PieceLister(const ImpactProblem& problem) : steps_(problem) {}

  ListedPieces list(const Eigen::VectorXd& velocity, const Eigen::VectorXd& cap,
                    int most_nodes = 1'000'000) const {
    const auto box = steps_.box(velocity, cap);
    const auto search = std::make_unique<Search>(box);
    ListedPieces found;
    found.report = search->run(most_nodes, [&](const test::StepPieces::Piece& piece) {
      found.pieces.push_back(steps_.describe(box, piece, velocity));
    });
    return found;
  }

 private:
  test::StepPieces steps_;
};

double distance(const Eigen::VectorXd& one, const Eigen::VectorXd& other) {
  return (one - other).cwiseAbs().maxCoeff();
}

class SearchedSteps : public testing::TestWithParam<std::string> {};

/// Every piece of an independent search, and no other: its signs, its velocity or both ends of its
/// continuum, and the sign of its determinant.
TEST_P(SearchedSteps, HaveTheSolutionsOfAnIndependentSearchAndNoOther) {
  const nlohmann::json data = test::read_json("all_solutions/" + GetParam() + ".json");
  const PieceLister lister(validated(test::problem_of(data)));
  int tested = 0;
  for (const auto& entry : data.at("cases")) {
    const Eigen::VectorXd velocity = test::vector_of(entry.at("v"));
    const ListedPieces found = lister.list(velocity, test::vector_of(entry.at("lambda_max")));
    EXPECT_TRUE(found.report.complete);
    EXPECT_EQ(found.pieces.size(), entry.at("pieces").size()) << "case " << tested;
    for (const auto& listed : entry.at("pieces")) {
      const auto its = std::find_if(
          found.pieces.begin(), found.pieces.end(),
          [&](const test::FoundPiece& piece) { return piece.signs == listed.at("signs"); });
      ASSERT_NE(its, found.pieces.end()) << "case " << tested << " lacks " << listed.at("signs");
      EXPECT_EQ(its->orientation, listed.at("orientation").get<int>()) << "case " << tested;
      // Which two points of a larger continuum are its ends is a matter of choice.
      if (listed.value("dimensions", 0) > 1) continue;
      const Eigen::VectorXd one = test::vector_of(listed.at("v_plus"));
      const Eigen::VectorXd other =
          test::vector_of(listed.value("v_plus_other", listed.at("v_plus")));
      const double off =
          std::min(std::max(distance(its->velocity, one), distance(its->other, other)),
                   std::max(distance(its->velocity, other), distance(its->other, one)));
      // The other search ends a continuum where a speed is 1e-8 of the step's scale.
      const double tolerance = listed.contains("v_plus_other") ? 1e-6 : 1e-9;
      EXPECT_LE(off, tolerance * velocity.cwiseAbs().maxCoeff()) << "case " << tested;
    }
    ++tested;
  }
  EXPECT_GE(tested, 12);
}

INSTANTIATE_TEST_SUITE_P(Systems, SearchedSteps,
                         testing::Values("brick_corners", "quadruped", "quadruped_grip", "biped8"),
                         [](const auto& param) { return param.param; });

/// Where all solutions of a step are regular, the signs of their determinants add up to one.
TEST(SignSearch, FindsSolutionsWhoseOrientationsAddUpToOne) {
  const nlohmann::json data = test::read_json("all_solutions/quadruped_grip.json");
  const PieceLister lister(validated(test::problem_of(data)));
  std::size_t most = 0;
  for (const auto& entry : data.at("cases")) {
    const ListedPieces found =
        lister.list(test::vector_of(entry.at("v")), test::vector_of(entry.at("lambda_max")));
    int sum = 0;
    for (const test::FoundPiece& piece : found.pieces) sum += piece.orientation;
    EXPECT_EQ(sum, 1);
    most = std::max(most, found.pieces.size());
  }
  EXPECT_EQ(most, 5u);
}

TEST(SignSearch, SaysThatItIsIncompleteAtItsLimit) {
  const nlohmann::json data = test::read_json("all_solutions/quadruped_grip.json");
  const PieceLister lister(validated(test::problem_of(data)));
  const auto& entry = data.at("cases").at(0);
  const Eigen::VectorXd velocity = test::vector_of(entry.at("v"));
  const Eigen::VectorXd cap = test::vector_of(entry.at("lambda_max"));
  const ListedPieces whole = lister.list(velocity, cap);
  ASSERT_TRUE(whole.report.complete);
  const ListedPieces part = lister.list(velocity, cap, whole.report.nodes - 1);
  EXPECT_FALSE(part.report.complete);
  EXPECT_LE(part.pieces.size(), whole.pieces.size());
}

/// A ball of mass 2 falls at 1 m/s and slides at `slip`: the two signs, by hand.
TEST(SignSearch, HasTheSignsOfASingleContactThatAHandComputes) {
  ImpactProblem ball;
  ball.mass_matrix = 2.0 * Eigen::Matrix2d::Identity();
  ball.normal_jacobian = Eigen::RowVector2d(0.0, 1.0);
  ball.tangent_jacobian = Eigen::RowVector2d(1.0, 0.0);
  ball.friction = Eigen::VectorXd::Constant(1, 0.5);
  ball.pre_impact_velocity = Eigen::Vector2d(0.0, -1.0);
  const PieceLister lister(validated(ball));
  struct Case {
    double slip, fall, cap;
    std::string signs;
    Eigen::Vector2d after;
  };
  for (const Case& its :
       {Case{0.2, -1.0, 3.0, "00", {0.0, 0.0}}, Case{0.8, -1.0, 3.0, "0+", {0.3, 0.0}},
        Case{-0.8, -1.0, 1.0, "--", {-0.55, -0.5}}, Case{0.1, -1.0, 1.0, "-0", {0.0, -0.5}},
        Case{0.1, 1.0, 1.0, "+.", {0.1, 1.0}}, Case{0.1, -1.0, 0.0, "", {0.1, -1.0}}}) {
    const ListedPieces found =
        lister.list(Eigen::Vector2d(its.slip, its.fall), Eigen::VectorXd::Constant(1, its.cap));
    ASSERT_EQ(found.pieces.size(), 1u) << its.signs;
    EXPECT_EQ(found.pieces[0].signs, its.signs);
    EXPECT_LE(distance(found.pieces[0].velocity, its.after), 1e-14) << its.signs;
  }
}

/// Caps of a step differ by many orders of magnitude, and so do its speeds: none may be too small
/// for a sign of its own and too large for zero.
TEST(SignSearch, HasOneSolutionForASpeedOfAnySize) {
  const PieceLister lister(validated(test::lifted_contact()));
  for (double cap = 1e-16; cap < 0.5; cap *= 1.25) {
    const ListedPieces found = lister.list(Eigen::Vector2d(0.0, -1.0), Eigen::Vector2d(1.0, cap));
    ASSERT_GE(found.pieces.size(), 1u) << cap;
    for (const test::FoundPiece& piece : found.pieces) {
      EXPECT_LE(distance(piece.velocity, Eigen::Vector2d(cap, cap - 1.0)), 2e-10) << cap;
    }
  }
}

}  // namespace
}  // namespace carom
