#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "carom/carom.hpp"
#include "host/bounds/impact_geometry.hpp"
#include "host/bounds/template_bound.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using nlohmann::json;

const StepLimits plane{Eigen::MatrixXd::Identity(2, 2), 1.0, 3.0, 0.0};

// max y0 + y1 after a step along the axes from y <= 0.25, where y <= 0.5 after it: 1 at (0.5, 0.5).
const std::vector<ProgramRow> corner = {{Eigen::Vector2d(1.0, 0.0), 0.25, false},
                                        {Eigen::Vector2d(0.0, 1.0), 0.25, false},
                                        {Eigen::Vector2d(1.0, 0.0), 0.5, true},
                                        {Eigen::Vector2d(0.0, 1.0), 0.5, true}};

TEST(CertifiedProgram, AnyMultipliersProveNoLessThanTheMaximum) {
  const Eigen::Vector2d goal = Eigen::Vector2d(1.0, 1.0) / std::sqrt(2.0);
  const double maximum = 1.0 / std::sqrt(2.0);
  const auto proved = [&](const std::vector<Multiplier>& multipliers) {
    return certified_maximum(plane, corner, {1, 1}, goal, multipliers);
  };
  EXPECT_NEAR(proved({{2, goal(0)}, {3, goal(1)}}), maximum, 1e-12);
  test::Random random(18);
  for (int i = 0; i < 2000; ++i) {
    std::vector<Multiplier> wrong;
    for (std::size_t row = 0; row < corner.size(); ++row) {
      wrong.push_back({row, random.uniform(-1.0, 2.0)});
    }
    EXPECT_GE(proved(wrong), maximum);
  }
}

TEST(CertifiedProgram, FindsAMaximumAndProvesThatNothingIsLeft) {
  StepProgram::Counts counts;
  StepProgram program(plane, corner, counts);
  EXPECT_FALSE(program.proved_empty());
  EXPECT_NEAR(program.maximum(Eigen::Vector2d(1.0, 0.0)), 0.5, 1e-11);
  program.forbid(0);
  EXPECT_FALSE(program.proved_empty());
  EXPECT_NEAR(program.maximum(Eigen::Vector2d(1.0, 0.0)), 0.25, 1e-11);
  program.add({Eigen::Vector2d(-1.0, 0.0), -0.26, true});
  EXPECT_TRUE(program.proved_empty());
  EXPECT_EQ(counts.loose, 0U);
}

struct Reach {
  TemplateBound found;
  StepSpace space;

  Reach(const ImpactProblem& problem, int steps, std::uint64_t programs = 1000000)
      : space(problem, ImpactGeometry(problem).dimension()) {
    ProofWork work(0);
    found = template_bound(space, steps, programs, work);
  }

  /// How far an outcome is outside, in units of the speed before the impact.
  double excess(const Eigen::VectorXd& velocity) const {
    double worst = -1.0;
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      worst = std::max(worst, space.gradient(found.rows[i]).dot(velocity) -
                                  found.offsets(static_cast<Eigen::Index>(i)));
    }
    return worst;
  }
};

TEST(TemplateBounds, OfTheBlockAreWhatHullsProve) {
  const ImpactProblem problem = validated(test::reference_problem("rocking_block"));
  const OuterBound hulls = outer_bound(problem, {});
  const Reach reach(problem, 5);
  EXPECT_EQ(reach.found.steps, 5);
  const StepSpace::Speed normal = reach.space.normal(0);
  double high = 10.0;
  for (std::size_t i = 0; i < reach.found.rows.size(); ++i) {
    if ((reach.found.rows[i] - normal.normal).norm() > 1e-9) continue;
    high = normal.length * (reach.found.offsets(static_cast<Eigen::Index>(i)) + normal.constant);
  }
  EXPECT_NEAR(high, hulls.directions[0].high, 1e-6);
  EXPECT_GE(high, hulls.directions[0].high);
}

TEST(TemplateBounds, HoldEveryOutcomeOfAsManySteps) {
  for (const char* system : {"rocking_block", "box_wall", "compass_gait"}) {
    const ImpactProblem problem = validated(test::reference_problem(system));
    const Reach reach(problem, 9);
    SamplingOptions options;
    options.trajectories = 2000;
    options.max_steps = 8;
    const RowMatrix outcomes = sample(problem, options).outcomes();
    ASSERT_GT(outcomes.rows(), 0);
    for (Eigen::Index i = 0; i < outcomes.rows(); ++i) {
      ASSERT_LE(reach.excess(outcomes.row(i)), 1e-12) << system;
    }
  }
}

TEST(TemplateBounds, HoldEveryOutcomeOfRandomProblems) {
  test::Random random(2027);
  Eigen::Index tested = 0;
  for (int i = 0; i < 24; ++i) {
    const bool space = i % 4 == 3;
    const ImpactProblem problem = validated(test::random_problem(
        random, 1 + i % 3, 2 + i % 4, i % 3 == 0 ? 0.3 : -1.0, space ? 2 : 1, space ? 4 : 2));
    if (!friction_cone_support(problem)) continue;
    const Reach reach(problem, 4);
    if (reach.found.steps < 2) continue;
    SamplingOptions options;
    options.trajectories = 500;
    options.max_steps = reach.found.steps - 1;
    const RowMatrix outcomes = sample(problem, options).outcomes();
    for (Eigen::Index j = 0; j < outcomes.rows(); ++j) {
      ASSERT_LE(reach.excess(outcomes.row(j)), 1e-12) << i;
    }
    tested += outcomes.rows();
  }
  EXPECT_GT(tested, 500);
}

TEST(TemplateBounds, EndWithTheBudgetOfPrograms) {
  const ImpactProblem problem = validated(test::reference_problem("compass_gait"));
  const Reach all(problem, 4);
  const Reach some(problem, 4, all.found.counts.solved / 2);
  EXPECT_EQ(all.found.steps, 4);
  EXPECT_LT(some.found.steps, 4);
  const Reach same(problem, some.found.steps);
  EXPECT_EQ(some.found.offsets, same.found.offsets);
  EXPECT_EQ(Reach(problem, 4, 1).found.steps, 0);
}

// The reference adds no allowance for what a computed step's residual may do, about 1e-8.
TEST(Bounds, OfABricksStepsAreThoseOfAnIndependentProgram) {
  for (const json& data : test::read_json("bounds/n_step.json")) {
    if (data.at("system") != "brick") continue;
    BoundOptions options;
    options.steps = data.at("steps");
    options.termination_tolerance = 0.0;
    const OuterBound bound = outer_bound(test::problem_of(data), options);
    EXPECT_EQ(bound.method, BoundMethod::templates);
    EXPECT_EQ(bound.verified, Verified::certified);
    EXPECT_EQ(status_text(bound), "at most 4 steps");
    EXPECT_EQ(bound.loose_programs, 0U);
    const char* const names[] = {"un", "ut", "ut"};
    const char* const ends[] = {"", "x", "y"};
    for (std::size_t i = 0; i < 12; ++i) {
      const std::string name = names[i % 3] + std::to_string(i / 3) + ends[i % 3];
      const json& reference = data.at("bound").at(name);
      EXPECT_LE(bound.directions[i].high, reference.at(1).get<double>() + 1e-6) << name;
      EXPECT_GE(bound.directions[i].low, reference.at(0).get<double>() - 1e-6) << name;
      EXPECT_GE(bound.directions[i].high, -1e-9);
    }
  }
}

/// Outcomes of as many steps as the bound holds for are compared, and no others.
TEST(Bounds, OfSomeStepsAreComparedWithOutcomesOfSoMany) {
  const Scenario scenario = load_scenario("rocking_block");
  SamplingOptions sampling = scenario.sampling;
  sampling.trajectories = 1000;
  const SampleSet samples = sample(scenario.problem, sampling);
  for (const int steps : {1, 2}) {
    BoundOptions options;
    options.steps = steps;
    const BoundCheck check =
        check_bound(scenario.problem, resolved(sampling, scenario.problem), options);
    ASSERT_EQ(check.bound.status, BoundStatus::n_steps);
    std::uint64_t few = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      few += samples.lcp_count[i] + samples.final_step[i] <= static_cast<unsigned>(steps) ? 1 : 0;
    }
    EXPECT_EQ(check.trajectories, 1000u);
    EXPECT_EQ(check.outcomes, few);
    EXPECT_EQ(check.outside, 0u);
    EXPECT_TRUE(few > 0 && few < 1000) << few;
  }
}

}  // namespace
}  // namespace carom
