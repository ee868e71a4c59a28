#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "carom/carom.hpp"
#include "kernels/random/normal.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t many = 4000;

SamplingOptions options_of(const law::Plus& law, std::uint64_t trajectories = many) {
  SamplingOptions options;
  options.law = law;
  options.trajectories = trajectories;
  options.backend = Backend::cpu;
  options.seed = 5;
  return options;
}

/// A point of 1 kg with these speeds along the floor and away from it.
ImpactProblem point(double slip, double approach, double friction = 0.0, double e = 0.0) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Matrix2d::Identity();
  problem.normal_jacobian = Eigen::RowVector2d(0.0, 1.0);
  problem.tangent_jacobian = Eigen::RowVector2d(1.0, 0.0);
  problem.friction = Eigen::VectorXd::Constant(1, friction);
  problem.restitution = Eigen::VectorXd::Constant(1, e);
  problem.pre_impact_velocity = Eigen::Vector2d(slip, -approach);
  return problem;
}

/// A number of each outcome.
std::vector<double> numbers(const ImpactProblem& problem, const law::Plus& law,
                            const std::function<double(const Eigen::RowVectorXd&)>& number) {
  const SampleSet samples = sample(problem, options_of(law));
  const RowMatrix outcomes = samples.outcomes();
  EXPECT_EQ(static_cast<std::uint64_t>(outcomes.rows()), many);
  std::vector<double> list;
  for (Eigen::Index i = 0; i < outcomes.rows(); ++i) list.push_back(number(outcomes.row(i)));
  return list;
}

/// Kolmogorov and Smirnov's distance times the root of the count: above 1.95 once in a thousand.
double misfit(std::vector<double> drawn, const std::function<double(double)>& share_below) {
  std::ranges::sort(drawn);
  const auto count = static_cast<double>(drawn.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double share = share_below(drawn[i]);
    worst = std::max({worst, share - static_cast<double>(i) / count,
                      static_cast<double>(i + 1) / count - share});
  }
  return worst * std::sqrt(count);
}

double normal_share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

TEST(NormalQuantile, InvertsTheDistribution) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  for (double p = 0x1p-53; p < 0.5; p *= 1.25) {
    EXPECT_NEAR(normal_share(normal_quantile(p)) / p, 1.0, 1e-13) << p;
    EXPECT_NEAR(normal_quantile(1.0 - p), -normal_quantile(1.0 - (1.0 - p)), 1e-14) << p;
  }
  for (const double x : {0x1p-53, 0.001, 0.3, 0.7072, 0.99, 1.0}) {
    EXPECT_NEAR(logarithm(x), std::log(x), 1e-15 * std::max(1.0, -std::log(x))) << x;
  }
}

/// A point that falls without slip leaves with e times its speed.
TEST(PlusDraws, AreEvenBetweenTheirEnds) {
  law::Plus law;
  law.e_min = {Uncertain::even(0.2, 0.6)};
  const std::vector<double> e = numbers(point(0.0, 2.0), law, [](auto v) { return v(1) / 2.0; });
  EXPECT_LT(misfit(e, [](double x) { return (x - 0.2) / 0.4; }), 1.95);
}

TEST(PlusDraws, AreNormal) {
  law::Plus law;
  law.v_before = {0.0, Uncertain::normal(-2.0, 0.3)};
  const std::vector<double> speed =
      numbers(point(0.0, 2.0, 0.0, 0.5), law, [](auto v) { return v(1) / 0.5; });
  EXPECT_LT(misfit(speed, [](double x) { return normal_share((x - 2.0) / 0.3); }), 1.95);
}

TEST(PlusDraws, AreCutOffWhereARuleDemands) {
  law::Plus law;
  law.e_min = {Uncertain::normal(0.9, 0.3)};
  const std::vector<double> e = numbers(point(0.0, 2.0), law, [](auto v) { return v(1) / 2.0; });
  EXPECT_GE(*std::ranges::min_element(e), 0.0);
  EXPECT_LE(*std::ranges::max_element(e), 1.0);
  const double below = normal_share(-0.9 / 0.3);
  const double inside = normal_share(0.1 / 0.3) - below;
  const auto share = [&](double x) { return (normal_share((x - 0.9) / 0.3) - below) / inside; };
  EXPECT_LT(misfit(e, share), 1.95);
}

/// Friction takes mu (1 + e) times the approach from the slip.
TEST(PlusDraws, OfFrictionHoldAtRestUnlessItsOwnIsStated) {
  law::Plus law;
  law.mu = {Uncertain::even(0.1, 0.3)};
  const auto mu_of = [](double slip) {
    return [slip](const Eigen::RowVectorXd& v) { return (slip - v(0)) / 1.0; };
  };
  const auto even = [](double x) { return (x - 0.1) / 0.2; };
  const std::vector<double> sliding = numbers(point(2.0, 1.0), law, mu_of(2.0));
  EXPECT_LT(misfit(sliding, even), 1.95);
  law.v_transition = 3.0;  // all slip counts as rest, and a rolling contact needs more than mu
  EXPECT_LT(misfit(numbers(point(2.0, 1.0), law, mu_of(2.0)), even), 1.95);
  law.mu_static = {0.5};
  for (const double mu : numbers(point(2.0, 1.0), law, mu_of(2.0))) EXPECT_NEAR(mu, 0.5, 1e-14);
}

/// Two points that do not know of each other.
TEST(PlusDraws, AreOneForAllContactsWhereOneIsStated) {
  const ImpactProblem problem = [] {
    ImpactProblem both = test::point_masses({1, 1}, {{1, 0}, {0, 1}}, {-1, -1});
    return both;
  }();
  law::Plus law;
  law.e_min = {Uncertain::even(0.0, 1.0)};
  for (const double apart : numbers(problem, law, [](auto v) { return v(0) - v(1); })) {
    EXPECT_EQ(apart, 0.0);
  }
  law.e_min.push_back(law.e_min[0]);
  const std::vector<double> apart = numbers(problem, law, [](auto v) { return v(0) - v(1); });
  // Triangular if they are independent.
  const auto share = [](double x) {
    return x < 0 ? 0.5 * (1 + x) * (1 + x) : 1 - 0.5 * (1 - x) * (1 - x);
  };
  EXPECT_LT(misfit(apart, share), 1.95);
}

/// Captured below a speed that is drawn.
TEST(PlusDraws, CoverTheNumbersOfTheLaw) {
  law::Plus law{.v_capture = Uncertain::even(0.0, 0.04), .v_plastic = 0.005};
  const std::vector<double> e =
      numbers(point(0.0, 0.01, 0.0, 0.5), law, [](auto v) { return v(1) / 0.01; });
  const auto free = std::ranges::count_if(e, [](double one) { return std::abs(one - 0.5) < 1e-9; });
  const auto held = std::ranges::count_if(e, [](double one) { return std::abs(one) < 1e-9; });
  EXPECT_EQ(static_cast<std::uint64_t>(free + held), many);
  EXPECT_NEAR(static_cast<double>(free) / many, 0.25, 4 * std::sqrt(0.25 * 0.75 / many));
}

/// Each trajectory is the impact with the numbers that it drew, bit by bit: here its velocity.
TEST(PlusDraws, AreThoseOfTheTrajectorysPath) {
  ImpactProblem corner = load_scenario(CAROM_SOURCE_DIR "/scenarios/plus_corner.toml").problem;
  law::Plus law{.theta_max = 0.15};
  for (const double speed : corner.pre_impact_velocity) {
    law.v_before.push_back(Uncertain::even(speed - 0.5, speed + 0.5));
  }
  const SamplingOptions options = options_of(law, 20);
  const Sampler sampler(std::span(&corner, 1), options);
  const SampleSet samples = sample(corner, options);
  const Eigen::Index nv = corner.velocities();
  for (Eigen::Index i = 0; i < 20; ++i) {
    const std::vector<double> path = sampler.path(static_cast<std::uint64_t>(i));
    const RowMatrixView rows(path.data(), static_cast<Eigen::Index>(path.size()) / nv, nv);
    ASSERT_EQ(samples.status[static_cast<std::size_t>(i)], Status::separated);
    EXPECT_EQ(rows.bottomRows(1), samples.velocity_rows().row(i));
    EXPECT_LE((rows.row(0).transpose() - corner.pre_impact_velocity).cwiseAbs().maxCoeff(), 0.5);
    EXPECT_NE(rows.row(0), samples.velocity_rows().row(i));
    ImpactProblem alone = corner;
    alone.pre_impact_velocity = rows.row(0);
    const SampleSet exact = sample(alone, options_of({.theta_max = 0.15}, 1));
    EXPECT_EQ(exact.velocity_rows().row(0), samples.velocity_rows().row(i));
    EXPECT_EQ(exact.intervals[0], samples.intervals[static_cast<std::size_t>(i)]);
  }
}

std::string refusal(const law::Plus& law) {
  return test::refusal([&] { sample(point(1.0, 1.0, 0.3, 0.5), options_of(law, 1)); });
}

TEST(PlusDraws, RefuseWhatBreaksARuleByName) {
  EXPECT_THAT(refusal({.theta_max = Uncertain::even(0.1, 2.0)}),
              HasSubstr("theta_max.max is 2 (must be > 0 and below pi / 2, in rad)"));
  EXPECT_THAT(refusal({.v_capture = Uncertain::even(0.2, 0.1)}),
              HasSubstr("v_capture.min is 0.2 (must be <= max = 0.1)"));
  EXPECT_THAT(refusal({.v_plastic = Uncertain::normal(0.1, 0.0)}),
              HasSubstr("v_plastic.deviation is 0 (must be > 0 and finite"));
  EXPECT_THAT(refusal({.v_transition = Uncertain::normal(0.0, 0.1)}),
              HasSubstr("v_transition.mean is 0 (must be > 0 and finite, in m/s)"));
  EXPECT_THAT(refusal({.mu = {Uncertain::even(-0.1, 0.1)}}),
              HasSubstr("mu.min is -0.1 (must be >= 0"));
  EXPECT_THAT(refusal({.e_min = {Uncertain::even(0.5, 1.5)}}),
              HasSubstr("e_min.max is 1.5 (must be from 0 to 1)"));
  EXPECT_THAT(refusal({.e_min = {0.1, 0.2}}), HasSubstr("e_min has 2 numbers"));
  EXPECT_THAT(refusal({.v_before = {0.1}}), HasSubstr("v_before has 1 numbers (must have 2"));
  EXPECT_THAT(refusal({.v_before = {Uncertain::even(-1, 1), 0.0}}),
              HasSubstr("v_before is 0 on average"));
}

TEST(PlusLaw, RefusesBadOptionsByName) {
  EXPECT_THAT(refusal({.theta_max = 2.0}),
              HasSubstr("theta_max is 2 (must be > 0 and below pi / 2, in rad)"));
  EXPECT_THAT(refusal({.v_capture = -1.0}),
              HasSubstr("v_capture is -1 (must be >= 0 and finite, in m/s)"));
  EXPECT_THAT(refusal({.v_transition = 0.0}), HasSubstr("v_transition is 0 (must be > 0"));
  EXPECT_THAT(refusal({.mu_static = {0.1, 0.2}}), HasSubstr("mu_static has 2 numbers"));
  EXPECT_THAT(refusal({.mu_static = {-0.1}}), HasSubstr("mu_static is -0.1"));
  EXPECT_THAT(refusal({.max_rounds = 0}), HasSubstr("max_rounds is 0"));
}

}  // namespace
}  // namespace carom
