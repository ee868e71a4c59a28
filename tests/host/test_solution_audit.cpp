#include <gtest/gtest.h>

#include "carom/carom.hpp"
#include "carom/solution_audit.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

SamplingOptions with_step(double impulse_step) {
  SamplingOptions options;
  options.impulse_step = impulse_step;
  options.epsilon = impulse_step / 10.0;
  options.backend = Backend::cpu;
  options.set_valued().solutions = Solutions::first;
  return options;
}

TEST(SolutionAudit, FindsThatLinesMissNothingOfACompassGait) {
  const SolutionAudit audit =
      audit_solutions(test::reference_problem("compass_gait"), with_step(0.25));
  EXPECT_EQ(audit.steps, 512u);
  EXPECT_EQ(audit.missed_steps, 0u);
  EXPECT_EQ(audit.missed_solutions, 0u);
  EXPECT_GT(audit.solutions, 700u);  // several in many of its steps
  EXPECT_GE(audit.lines, 512u * 8u);
  EXPECT_DOUBLE_EQ(audit.miss_bound, clopper_pearson_upper(0, 512, 0.95));
  EXPECT_EQ(audit.sentence(), "0 of 512 steps missed a solution: at most 0.58 % at 95 %");
}

TEST(SolutionAudit, CountsStepsThatTheSearchGivesUp) {
  const AuditLimits limits{.steps = 20, .nodes_of_step = 1, .nodes = 1000};
  const SolutionAudit audit =
      audit_solutions(test::reference_problem("compass_gait"), with_step(0.25), limits);
  EXPECT_EQ(audit.steps + audit.incomplete, 20u);
  EXPECT_GT(audit.incomplete, 0u);
  EXPECT_NE(audit.sentence().find("could not be searched"), std::string::npos);
}

TEST(SolutionAudit, EndsAtItsNumberOfNodes) {
  const ImpactProblem problem = test::spatial_problem("quadruped_grip");
  const SolutionAudit some =
      audit_solutions(problem, with_step(2.0), {.steps = 512, .nodes_of_step = 1000, .nodes = 500});
  EXPECT_GT(some.steps, 5u);
  EXPECT_LT(some.steps, 100u);
  EXPECT_DOUBLE_EQ(some.miss_bound, clopper_pearson_upper(0, some.steps, 0.95));
}

TEST(SolutionAudit, DoesNotDependOnThreads) {
  const ImpactProblem problem = test::spatial_problem("quadruped_grip");
  const AuditLimits limits{.steps = 80, .nodes_of_step = 1000, .nodes = 500};
  SamplingOptions sampling = with_step(2.0);
  sampling.threads = 1;
  const SolutionAudit one = audit_solutions(problem, sampling, limits);
  sampling.threads = 3;
  const SolutionAudit other = audit_solutions(problem, sampling, limits);
  EXPECT_EQ(one.sentence(), other.sentence());
  EXPECT_EQ(one.solutions, other.solutions);
  EXPECT_EQ(one.lines, other.lines);
  EXPECT_GT(one.steps, 5u);
}

/// The sole of a foot turns and slides in parts that a path passes by: eight contacts in space.
TEST(SolutionAudit, FindsThatLinesMissPartsOfContinuaButNoSolutionOfABiped) {
  const ImpactProblem problem = test::spatial_problem("biped8");
  const AuditLimits limits{.steps = 128, .nodes_of_step = 20'000, .nodes = 100'000};
  const SolutionAudit audit = audit_solutions(problem, with_step(12.0), limits);
  EXPECT_EQ(audit.steps + audit.incomplete, 128u);
  EXPECT_EQ(audit.missed_steps, 0u);
  EXPECT_GT(audit.partial_steps, 0u);
}

/// Seven contacts of six velocities with friction 2: some solutions are hard to meet.
TEST(SolutionAudit, FindsTheSolutionsThatLinesMiss) {
  test::Random random(16);
  const ImpactProblem problem = validated(test::random_problem(random, 7, 6, 2.0));
  const SolutionAudit audit =
      audit_solutions(problem, with_step(stopping_impulse(problem)), {.steps = 64});
  EXPECT_GT(audit.missed_steps, 0u);
  EXPECT_GE(audit.missed_solutions, audit.missed_steps);
  EXPECT_DOUBLE_EQ(audit.miss_bound, clopper_pearson_upper(audit.missed_steps, audit.steps, 0.95));
}

TEST(SolutionAudit, IsTheSameAgain) {
  const ImpactProblem problem = test::spatial_problem("quadruped_grip");
  const AuditLimits limits{.steps = 30, .nodes_of_step = 1000, .nodes = 100'000};
  EXPECT_EQ(audit_solutions(problem, with_step(2.0), limits).solutions,
            audit_solutions(problem, with_step(2.0), limits).solutions);
}

TEST(SolutionAudit, IsForTheSetValuedLaw) {
  SamplingOptions sequential = with_step(0.25);
  sequential.law = law::Sequential{};
  EXPECT_THROW(audit_solutions(test::reference_problem("compass_gait"), sequential), InputError);
}

}  // namespace
}  // namespace carom
