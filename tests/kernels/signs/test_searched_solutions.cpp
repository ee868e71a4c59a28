#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "carom/carom.hpp"
#include "host/modes/mode_table.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/laws/set_valued/all_solutions.hpp"
#include "kernels/laws/set_valued/searched_solutions.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using Size = Capacity<60, 48>;

/// A step as a solver sees it, with the number that selects its solution.
class SelectedStep {
 public:
  SelectedStep(const ImpactProblem& problem, const Eigen::VectorXd& velocity,
               const Eigen::VectorXd& cap)
      : shape_(shape_of(problem)), data_(flatten(problem, 1.0, 1.0)), velocity_(velocity) {
    const StepLcpView view{shape_, data_.data()};
    before_.resize(shape_.impulses());
    contact_speeds(view, velocity.data(), before_.data());
    cap_ = cap * view.impulse_unit();
  }

  /// The velocity after the solution that `number` selects. Counts the step in `counts`.
  template <class Solver>
  Eigen::VectorXd velocity(double number, const ModeTableView* modes = nullptr) {
    const StepLcpView view{shape_, data_.data()};
    const StepContext context{.cap = cap_.data(),
                              .random = Philox(1, 0, 0),
                              .step = 0,
                              .solutions = Solutions::all,
                              .modes = modes,
                              .tree = nullptr,
                              .scripted_selection = &number,
                              .solution_count = counts.data()};
    counts = {};
    Eigen::VectorXd impulse(shape_.impulses());
    Eigen::VectorXd after(shape_.impulses());
    const auto solver = std::make_unique<Solver>();
    const StepOutcome outcome =
        (*solver)(view, context, before_.data(), impulse.data(), after.data());
    EXPECT_EQ(outcome.status, Status::separated);
    EXPECT_LE(outcome.residual, residual_tolerance);
    Eigen::VectorXd result = velocity_;
    apply_impulse(view, impulse.data(), result.data());
    return result;
  }

  std::array<std::uint16_t, solution_bins> counts{};

 private:
  ProblemShape shape_;
  std::vector<double> data_;
  Eigen::VectorXd velocity_, before_, cap_;
};

using Searched = SearchedSolutions<Size, Effort::fast>;
using Enumerated = AllSolutions<Size, Effort::fast>;

TEST(SearchedSolutions, DrawsEachOfAStepsSolutionsEquallyOften) {
  const nlohmann::json data = test::read_json("all_solutions/quadruped_grip.json");
  const ImpactProblem problem = validated(test::problem_of(data));
  for (const auto& entry : data.at("cases")) {
    const std::size_t pieces = entry.at("pieces").size();
    SelectedStep step(problem, test::vector_of(entry.at("v")),
                      test::vector_of(entry.at("lambda_max")));
    constexpr int draws_of_each = 4;
    std::map<std::size_t, int> drawn;
    for (std::size_t i = 0; i < pieces * draws_of_each; ++i) {
      const double number =
          (static_cast<double>(i) + 0.5) / static_cast<double>(pieces * draws_of_each);
      const Eigen::VectorXd velocity = step.velocity<Searched>(number);
      ASSERT_EQ(step.counts[pieces], 1);
      for (std::size_t p = 0; p < pieces; ++p) {
        const Eigen::VectorXd listed = test::vector_of(entry.at("pieces").at(p).at("v_plus"));
        if ((listed - velocity).norm() <= 1e-9) ++drawn[p];
      }
    }
    for (std::size_t p = 0; p < pieces; ++p) EXPECT_EQ(drawn[p], draws_of_each);
  }
}

/// The brick's continua are segments, one after the other: equal steps of the number are equal
/// steps along them, in the largest contact speed.
TEST(SearchedSolutions, TakesAContinuumForOneSolutionAndGoesAlongItEvenly) {
  const nlohmann::json data = test::read_json("all_solutions/brick_corners.json");
  const ImpactProblem problem = validated(test::problem_of(data));
  Eigen::MatrixXd jacobian(12, 6);
  jacobian << problem.normal_jacobian, problem.tangent_jacobian;
  int continua = 0;
  for (const auto& entry : data.at("cases")) {
    double length = 0.0;
    for (const auto& piece : entry.at("pieces")) {
      if (!piece.contains("v_plus_other")) continue;
      length += (jacobian *
                 (test::vector_of(piece.at("v_plus")) - test::vector_of(piece.at("v_plus_other"))))
                    .cwiseAbs()
                    .maxCoeff();
    }
    if (length < 1e-6) continue;
    ++continua;
    SelectedStep step(problem, test::vector_of(entry.at("v")),
                      test::vector_of(entry.at("lambda_max")));
    constexpr int parts = 32;
    double walked = 0.0;
    Eigen::VectorXd last = step.velocity<Searched>(0.0);
    for (int i = 1; i <= parts; ++i) {
      const Eigen::VectorXd next = step.velocity<Searched>(static_cast<double>(i) / parts);
      EXPECT_EQ(step.counts[0], 1);
      EXPECT_EQ(step.counts[1], 1);
      walked += (jacobian * (next - last)).cwiseAbs().maxCoeff();
      last = next;
    }
    // The pieces need not follow each other: where they do not, there is a jump.
    EXPECT_GE(walked, 0.9 * length);
  }
  EXPECT_GT(continua, 5);
}

TEST(SearchedSolutions, AreTheTablesWhereThereIsOne) {
  test::Random random(8);
  int several = 0;
  for (int p = 0; p < 4; ++p) {
    const ImpactProblem problem = validated(test::random_problem(random, 3, 6, 1.2, 2, 4));
    constexpr bool capped = true;
    const ModeTable table(problem, capped, 1000);
    const ModeTableView modes = table.view();
    for (int trial = 0; trial < 20; ++trial) {
      SelectedStep step(problem, random.normal(6, 1),
                        (Eigen::Array3d::Ones() * random.uniform(0.0, 2.0)).matrix());
      std::vector<Eigen::VectorXd> expected;
      step.velocity<Enumerated>(1.0, &modes);
      const auto counts = step.counts;
      const auto count = std::find(counts.begin() + 1, counts.end(), 1) - counts.begin();
      several += count > 1;
      std::vector<bool> found(static_cast<std::size_t>(count), false);
      for (long i = 0; i < count; ++i) {
        const double number = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
        expected.push_back(step.velocity<Enumerated>(number, &modes));
      }
      for (long i = 0; i < count; ++i) {
        const double number = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
        const Eigen::VectorXd velocity = step.velocity<Searched>(number);
        EXPECT_EQ(step.counts, counts);
        for (std::size_t e = 0; e < expected.size(); ++e) {
          if ((velocity - expected[e]).norm() <= 1e-9) found[e] = true;
        }
      }
      EXPECT_EQ(std::count(found.begin(), found.end(), true), count);
    }
  }
  RecordProperty("steps_with_several", several);
}

}  // namespace
}  // namespace carom
