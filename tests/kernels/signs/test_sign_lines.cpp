#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "carom/carom.hpp"
#include "kernels/laws/set_valued/line_solutions.hpp"
#include "kernels/signs/sign_lines.hpp"
#include "kernels/step/capacity.hpp"
#include "tests/support/step_pieces.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using Lines = SignLines<test::StepPieces::max_coordinates>;
using Piece = test::StepPieces::Piece;

/// A step of a file of tests/data/all_solutions, and its pieces.
struct ListedStep {
  Eigen::VectorXd velocity, cap;
  std::map<std::string, int> orientation;  ///< by signs
  std::set<std::string> parts_of_continua;
};

std::vector<ListedStep> listed_steps(const std::string& system) {
  std::vector<ListedStep> steps;
  const nlohmann::json data = test::read_json("all_solutions/" + system + ".json");
  for (const auto& entry : data.at("cases")) {
    ListedStep step{
        test::vector_of(entry.at("v")), test::vector_of(entry.at("lambda_max")), {}, {}};
    for (const auto& piece : entry.at("pieces")) {
      step.orientation[piece.at("signs")] = piece.at("orientation");
      if (piece.value("dimensions", 0) > 0) step.parts_of_continua.insert(piece.at("signs"));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

class FollowedSteps : public testing::TestWithParam<std::string> {};

TEST_P(FollowedSteps, HaveTheSolutionsOfAnIndependentSearchAndNoOther) {
  const test::StepPieces steps(validated(test::spatial_problem(GetParam())));
  std::uint64_t trajectory = 0;
  for (const ListedStep& step : listed_steps(GetParam())) {
    const auto box = steps.box(step.velocity, step.cap);
    const auto lines = std::make_unique<Lines>(box);
    std::set<std::string> found;
    const LinesReport report = lines->run(Philox(1, 0, trajectory), 0, [&](const Piece& piece) {
      const test::FoundPiece its = steps.describe(box, piece, step.velocity);
      EXPECT_TRUE(step.orientation.contains(its.signs)) << its.signs;
      EXPECT_EQ(its.orientation, step.orientation.at(its.signs));
      EXPECT_TRUE(found.insert(its.signs).second) << its.signs << " twice";
      return true;
    });
    EXPECT_TRUE(report.parity);
    EXPECT_EQ(report.cut, 0);
    // A path may pass a continuum by, in part.
    for (const auto& [signs, orientation] : step.orientation) {
      EXPECT_TRUE(found.contains(signs) || step.parts_of_continua.contains(signs))
          << "step " << trajectory << " lacks " << signs;
    }
    ++trajectory;
  }
  EXPECT_GE(trajectory, 12u);
}

INSTANTIATE_TEST_SUITE_P(Systems, FollowedSteps,
                         testing::Values("brick_corners", "quadruped", "quadruped_grip", "biped8"),
                         [](const auto& param) { return param.param; });

/// On a line, t falls at the first passage, then grows and falls by turns: the orientations of each
/// line alone add up to one, and every second solution is one that Lemke's method cannot reach.
TEST(SignLines, PassSolutionsOfBothOrientations) {
  const test::StepPieces steps(validated(test::spatial_problem("quadruped_grip")));
  int reversed = 0;
  for (const ListedStep& step : listed_steps("quadruped_grip")) {
    const auto box = steps.box(step.velocity, step.cap);
    const auto lines = std::make_unique<Lines>(box);
    int sum = 0;
    lines->follow(Philox(1, 0, 0), 0, [&](const Piece& piece) {
      sum += piece.orientation;
      reversed += piece.orientation < 0 ? 1 : 0;
      return true;
    });
    EXPECT_EQ(sum, 1);
  }
  EXPECT_GT(reversed, 0);
}

TEST(SignLines, SayThatSolutionsAreMissingIfOrientationsDoNotAddUp) {
  const test::StepPieces steps(validated(test::spatial_problem("quadruped_grip")));
  const auto listed = listed_steps("quadruped_grip");
  const auto step = std::find_if(listed.begin(), listed.end(),
                                 [](const ListedStep& its) { return its.orientation.size() == 3; });
  ASSERT_NE(step, listed.end());
  const auto box = steps.box(step->velocity, step->cap);
  const auto lines = std::make_unique<Lines>(box);
  const LinesReport report =
      lines->run(Philox(1, 0, 0), 0, [](const Piece& piece) { return piece.orientation > 0; });
  EXPECT_FALSE(report.parity);
  EXPECT_EQ(report.lines, Lines::most_lines);
}

/// At rest in the normal direction, a contact slides at 1 m/s where friction would pull it into the
/// floor: without impulse, the speed remains zero, which no perturbation leaves as it is. The
/// equations of this solution have determinant 1 - 2 = -1. With an impulse of 2, the contact
/// sticks: determinant 5 - 4 = 1. The two signs add up to zero, although no solution is missing.
TEST(SignLines, LeaveSolutionsAtTheEdgeOfTheirSignsOutOfTheSum) {
  ImpactProblem rod;
  rod.mass_matrix.resize(2, 2);
  rod.mass_matrix << 5.0, -2.0, -2.0, 1.0;  // the inverse of ((1, 2), (2, 5))
  rod.normal_jacobian = Eigen::RowVector2d(1.0, 0.0);
  rod.tangent_jacobian = Eigen::RowVector2d(0.0, 1.0);
  rod.friction = Eigen::VectorXd::Constant(1, 1.0);
  rod.pre_impact_velocity = Eigen::Vector2d(0.0, 1.0);
  const test::StepPieces steps(validated(rod));
  const auto box = steps.box(rod.pre_impact_velocity, Eigen::VectorXd::Constant(1, 3.0));
  const auto lines = std::make_unique<Lines>(box);
  std::map<std::string, test::FoundPiece> found;
  const LinesReport report = lines->run(Philox(1, 0, 0), 0, [&](const Piece& piece) {
    const test::FoundPiece its = steps.describe(box, piece, rod.pre_impact_velocity);
    found.emplace(its.signs, its);
    return true;
  });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at("0+").orientation, -1);
  EXPECT_EQ(found.at("00").orientation, 1);
  EXPECT_LE((found.at("0+").velocity - Eigen::Vector2d(0.0, 1.0)).norm(), 1e-12);
  EXPECT_LE(found.at("00").velocity.norm(), 1e-12);
  EXPECT_TRUE(report.parity);
}

TEST(SignLines, HaveOneSolutionForASpeedOfAnySize) {
  const test::StepPieces steps(validated(test::lifted_contact()));
  const Eigen::Vector2d velocity(0.0, -1.0);
  for (double cap = 1e-16; cap < 0.5; cap *= 1.25) {
    const auto box = steps.box(velocity, Eigen::Vector2d(1.0, cap));
    const auto lines = std::make_unique<Lines>(box);
    int found = 0;
    lines->run(Philox(1, 0, 0), 0, [&](const Piece& piece) {
      const Eigen::VectorXd its = steps.describe(box, piece, velocity).velocity;
      EXPECT_LE((its - Eigen::Vector2d(cap, cap - 1.0)).cwiseAbs().maxCoeff(), 2e-10) << cap;
      ++found;
      return true;
    });
    EXPECT_GE(found, 1) << cap;
  }
}

/// Each solution of a step is drawn where the number that selects it says so.
TEST(LineSolutions, DrawEachSolutionOfAStep) {
  const nlohmann::json data = test::read_json("all_solutions/quadruped_grip.json");
  ImpactProblem its = test::problem_of(data);
  std::size_t most = 0;
  for (const auto& entry : data.at("cases")) {
    its.pre_impact_velocity = test::vector_of(entry.at("v"));
    const test::StepPieces own(validated(its));
    const Eigen::VectorXd before = own.before(its.pre_impact_velocity);
    const Eigen::VectorXd cap = own.as_speeds(test::vector_of(entry.at("lambda_max")));
    const Philox random(1, 0, 0);
    const std::size_t count = entry.at("pieces").size();
    std::vector<bool> drawn(count, false);
    for (std::size_t i = 0; i < count; ++i) {
      const double selection = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
      std::uint16_t counted[solution_bins] = {};
      const StepContext context{.cap = cap.data(),
                                .random = random,
                                .step = 0,
                                .solutions = Solutions::all,
                                .modes = nullptr,
                                .tree = nullptr,
                                .scripted_selection = &selection,
                                .solution_count = counted};
      Eigen::VectorXd impulse(before.size());
      Eigen::VectorXd after(before.size());
      const StepOutcome outcome = LineSolutions<Capacity<60, 48>, Effort::thorough>{}(
          own.view(), context, before.data(), impulse.data(), after.data());
      EXPECT_EQ(outcome.status, Status::separated);
      EXPECT_LE(outcome.residual, residual_tolerance);
      EXPECT_EQ(counted[count], 1);
      for (std::size_t p = 0; p < count; ++p) {
        const Eigen::VectorXd expected =
            own.before(test::vector_of(entry.at("pieces").at(p).at("v_plus")));
        if ((after - expected).cwiseAbs().maxCoeff() <= 1e-9) drawn[p] = true;
      }
    }
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), true), static_cast<std::ptrdiff_t>(count));
    most = std::max(most, count);
  }
  EXPECT_EQ(most, 5u);
}

}  // namespace
}  // namespace carom
