#include <gtest/gtest.h>

#include <cmath>

#include "carom/scenario.hpp"
#include "host/evidence/theory.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

/// 2 kg that fall at 1 m/s (and 0.5 m/s sideways) on a floor without friction: 2 N·s stop them.
Scenario falling(int max_steps) {
  Scenario scenario = parse_scenario(falling_mass);
  scenario.sampling.max_steps = max_steps;
  return scenario;
}

Scenario built_in(const std::string& system) {
  return parse_scenario("system = \"" + system + "\"\n");
}

TEST(TerminationBound, IsTheoremEightOfAFallingMass) {
  // r = (0, 2), for M^-1 Jn' = (0, 1/2); sigma = 2; |v0|_M = sqrt(2 * 1.25) = 1.58.
  const Scenario scenario = falling(10);
  const auto bound = termination_bound(scenario.problem, 1.0);
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->c, 12.0);        // 4 ceil(2 * 2 / sqrt(2) = 2.83)
  EXPECT_DOUBLE_EQ(bound->certain, 24.0);  // 12 ceil(1.58)
  EXPECT_DOUBLE_EQ(bound->decay, 4.0);
  EXPECT_DOUBLE_EQ(bound->lcps_within(0.99), 24.0 + 19.0);  // 4 ln 100 = 18.4
  // Ten times the step: 4 ceil(0.283).
  EXPECT_DOUBLE_EQ(termination_bound(scenario.problem, 10.0)->c, 4.0);
}

TEST(TerminationBound, IsTheoremEightOfTheRockingBlock) {
  // r = (0, 1, 0); sigma = (1 + 4) / 12, the moment of inertia: 4 ceil(3 / (0.3 * 0.6455) = 15.5).
  const Scenario scenario = built_in("rocking_block");
  const auto bound = termination_bound(scenario.problem, 0.3);
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->c, 64.0);
  EXPECT_DOUBLE_EQ(bound->certain, 64.0);  // |v0|_M = 0.443
  EXPECT_DOUBLE_EQ(bound->decay, 9.0);
}

TEST(TerminationBound, NeedsAPointedFrictionCone) {
  Scenario scenario = falling(10);
  ImpactProblem& problem = scenario.problem;  // between two walls: impulses can cancel
  problem.normal_jacobian.resize(2, 2);
  problem.normal_jacobian << 0.0, 1.0, 0.0, -1.0;
  problem.tangent_jacobian.resize(2, 2);
  problem.tangent_jacobian << 1.0, 0.0, 1.0, 0.0;
  problem.friction = Eigen::VectorXd::Zero(2);
  problem.contact_names.clear();
  EXPECT_FALSE(termination_bound(problem, 1.0));
}

TEST(TerminationBound, HoldsForThePaperSystems) {
  for (const System& system : systems()) {
    if (!std::holds_alternative<law::SetValued>(system.sampling.law)) continue;
    const Scenario scenario = built_in(system.name);
    const auto bound = termination_bound(scenario.problem, *scenario.sampling.impulse_step);
    ASSERT_TRUE(bound) << system.name;
    const MeasuredTail tail = measure_tail(scenario.problem, scenario.sampling);
    EXPECT_LE(static_cast<double>(tail.within_99), bound->lcps_within(0.99)) << system.name;
  }
}

TEST(MeasuredTail, CountsTheUniformNumbersThatReachTwo) {
  // Caps are uniform on (0, 1]: E[how many sum up to 2] = e^2 - e; at least two of them.
  const Scenario scenario = falling(2);  // the pilot has room for more steps
  const MeasuredTail tail = measure_tail(scenario.problem, scenario.sampling);
  EXPECT_NEAR(tail.mean, std::exp(2.0) - std::exp(1.0), 0.07);  // some five standard errors
  EXPECT_EQ(tail.unfinished, 0u);
  EXPECT_EQ(tail.within_99, 8u);  // the sum of n is below 2 for (2^n - n) / n!: 2.4 %, 0.6 %
  EXPECT_GE(tail.most, tail.within_99);
}

TEST(MeasuredAmbiguity, IsThatOfTheReferenceSteps) {
  const auto share = [](const char* system) {
    const Scenario scenario = built_in(system);
    return measure_ambiguity(scenario.problem, scenario.sampling);
  };
  EXPECT_EQ(share("rocking_block"), 0.0);
  EXPECT_EQ(share("box_wall"), 0.0);
  EXPECT_NEAR(share("compass_gait").value(), 0.9, 0.03);
  EXPECT_GT(share("ramone").value(), 0.999);
}

TEST(MeasuredSlope, OfOneStepIsTheInverseMass) {
  const Scenario scenario = falling(1);  // v' = -1 + cap / 2
  const MeasuredSlope slope = measure_slope(scenario.problem, scenario.sampling);
  EXPECT_NEAR(slope.constant, 0.5, 1e-6);
  EXPECT_FALSE(slope.jumps);
  EXPECT_GT(slope.pairs, 0);
}

TEST(MeasuredSlope, IsMeasuredInTheNormOfTheNet) {
  Scenario scenario = falling(1);
  scenario.sampling.norm = Norm::kinetic;
  const MeasuredSlope slope = measure_slope(scenario.problem, scenario.sampling);
  EXPECT_NEAR(slope.constant, 0.5 * std::sqrt(2.0), 1e-6);
}

TEST(MeasuredSlope, TellsJumpsFromSteepness) {
  const Scenario unique = built_in("rocking_block");
  EXPECT_FALSE(measure_slope(unique.problem, unique.sampling).jumps);
  const Scenario several = built_in("compass_gait");  // nine steps in ten have several solutions
  EXPECT_TRUE(measure_slope(several.problem, several.sampling).jumps);
}

TEST(MeasuredSlope, DoesNotTakeTheTerminationToleranceForASlope) {
  const Scenario scenario = falling(1000);  // ends at rest, whatever the caps
  EXPECT_LT(measure_slope(scenario.problem, scenario.sampling).constant, 0.1);
}

TEST(DenseSamples, AreThoseOfLemmaOne) {
  // One dimension, 1 * 0.5 / 0.01 = 50 cells: ln(0.001 / 50) / ln(49 / 50) = 535.57.
  EXPECT_NEAR(log10_dense_samples(1.0, 1.0, 0.5, 0.01, 0.001), std::log10(535.57), 1e-5);
  // 100^20 cells: (ln 1000 + 20 ln 100) 10^40 = 99.01 * 10^40.
  EXPECT_NEAR(log10_dense_samples(20.0, 1.0, 1.0, std::sqrt(20.0) / 100.0 * (1.0 + 1e-12), 0.001),
              40.0 + std::log10(std::log(1000.0) + 20.0 * std::log(100.0)), 1e-9);
}

TEST(DenseSamples, DoNotOverflow) {
  const double many = log10_dense_samples(65535.0 * 5, 1.0, 1e6, 1e-6, 1e-9);
  EXPECT_TRUE(std::isfinite(many));
  EXPECT_GT(many, 1e6);
  EXPECT_EQ(log10_dense_samples(20.0, 1.0, 0.0, 0.01, 0.001), 0.0);  // a single outcome
}

TEST(UniformCaps, AreWhatTheTheoremsAreAbout) {
  const auto has_uniform = [](const char* caps) {
    SamplingOptions options;
    options.set_valued().caps = parse_caps(caps);
    return has_uniform_caps(options);
  };
  EXPECT_TRUE(has_uniform("uniform"));
  EXPECT_TRUE(has_uniform("sobol"));  // every single point is uniform
  EXPECT_FALSE(has_uniform("simplex"));
}

}  // namespace
}  // namespace carom
