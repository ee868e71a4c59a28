#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "carom/carom.hpp"
#include "carom/propagative.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using test::cradle;
using test::frictionless;
using testing::HasSubstr;

SamplingOptions propagative_options(std::uint64_t trajectories) {
  SamplingOptions options;
  options.law = law::Propagative{};
  options.trajectories = trajectories;
  options.backend = Backend::cpu;
  return options;
}

/// Probability of a deviation from the listed probabilities at least as large as that of the
/// sampled outcomes; all of these must be listed.
double p_value(const SampleSet& samples, const std::vector<PropagativeOutcome>& listed) {
  std::vector<double> counts(listed.size(), 0.0);
  for (Eigen::Index row = 0; row < samples.velocity_rows().rows(); ++row) {
    const Eigen::VectorXd velocity = samples.velocity_rows().row(row);
    const auto same = std::ranges::find_if(listed, [&](const PropagativeOutcome& one) {
      return (one.velocity - velocity).norm() <= 1e-9 * (1.0 + velocity.norm());
    });
    if (same == listed.end()) return -1.0;
    ++counts[static_cast<std::size_t>(same - listed.begin())];
  }
  // Outcomes that are expected fewer than 10 times are counted together.
  const auto all = static_cast<double>(samples.size());
  double statistic = 0.0, rest = 0.0, rest_expected = 0.0;
  int cells = 0;
  const auto add = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const double expected = all * listed[i].probability;
    if (expected >= 10.0) {
      add(counts[i], expected);
    } else {
      rest += counts[i];
      rest_expected += expected;
    }
  }
  if (rest_expected >= 10.0) add(rest, rest_expected);
  if (cells < 2) return 1.0;
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells - 1), statistic));
}

TEST(PropagativeLaw, SharesAgreeWithExactProbabilities) {
  for (const double restitution : {1.0, 0.4}) {
    for (ImpactProblem problem :
         {cradle({1, 2, 3}, {2, 1, 0}), cradle({1, 2, 1, 3, 1}, {3, 2, 2, 1, 0}),
          test::uneven_cradle(5)}) {
      problem.restitution = Eigen::VectorXd::Constant(problem.contacts(), restitution);
      const auto listed = propagative_outcomes(problem).outcomes;
      ASSERT_GT(listed.size(), 1u);
      EXPECT_GT(p_value(sample(problem, propagative_options(40'000)), listed), 1e-4)
          << problem.contacts() << " contacts";
    }
  }
}

TEST(PropagativeLaw, KeepsEnergyAndMomentumAndCountsImpacts) {
  for (const int balls : {4, 9, 10, 25, 33, 65}) {
    const ImpactProblem problem = test::uneven_cradle(balls);
    const SampleSet samples = sample(problem, propagative_options(50));
    ASSERT_EQ(samples.outcomes().rows(), 50);
    EXPECT_TRUE(samples.lcp_count.empty());
    const double energy = kinetic_energy(problem, problem.pre_impact_velocity);
    const double momentum = problem.mass_matrix.diagonal().dot(problem.pre_impact_velocity);
    for (Eigen::Index row = 0; row < 50; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const Eigen::VectorXd velocity = samples.velocity_rows().row(row);
      EXPECT_NEAR(samples.energy[at], energy, 1e-12 * energy);
      EXPECT_NEAR(problem.mass_matrix.diagonal().dot(velocity), momentum, 1e-12 * momentum);
      EXPECT_GE((problem.normal_jacobian * velocity).minCoeff(), -1e-8 - 1e-12);
      EXPECT_GE(samples.impacts[at], static_cast<std::uint32_t>(balls - 1));  // all approach
    }
  }
}

/// A ball between a wall and a ball 100^k times heavier: the digits of pi, and no fewer impacts.
TEST(PropagativeLaw, CountsTheDigitsOfPi) {
  double mass = 1.0;
  for (const std::uint32_t impacts : {3u, 31u, 314u, 3141u}) {
    const ImpactProblem problem =
        test::point_masses({1.0, mass}, {{1.0, 0.0}, {-1.0, 1.0}}, {0.0, -1.0});
    const SampleSet samples = sample(problem, propagative_options(3));
    EXPECT_THAT(samples.impacts, testing::Each(impacts));
    EXPECT_EQ(samples.outcomes().rows(), 3);
    mass *= 100.0;
  }
}

/// By hand: equal balls exchange their velocities; R = 0 leaves the common one.
TEST(PropagativeLaw, MixesWithThePlasticOutcome) {
  ImpactProblem problem = cradle({1, 1, 1}, {1, 0, 0});
  for (const double restitution : {0.0, 0.25, 1.0}) {
    problem.restitution = Eigen::Vector2d::Constant(restitution);
    const double common = (1.0 - restitution) / 3.0;
    const SampleSet samples = sample(problem, propagative_options(5));
    for (Eigen::Index row = 0; row < 5; ++row) {
      const Eigen::VectorXd velocity = samples.velocity_rows().row(row);
      EXPECT_LT((velocity - Eigen::Vector3d(common, common, common + restitution)).norm(), 1e-14);
    }
    EXPECT_NEAR(samples.impulse[0], 1.0 - common, 1e-14);  // contact 1-2 stops the first ball
  }
}

/// By hand: with R = 0, equal balls of which the last 64 rest leave with the speed of all, and
/// every contact gives the momentum of the balls that it pushes.
TEST(PropagativeLaw, MixesWithThePlasticOutcomeOf64Contacts) {
  std::vector<double> velocity(65, 0.0);
  velocity[0] = 1.0;
  ImpactProblem problem = cradle(std::vector<double>(65, 1.0), velocity);
  problem.restitution = Eigen::VectorXd::Zero(64);
  const SampleSet samples = sample(problem, propagative_options(2));
  ASSERT_EQ(samples.outcomes().rows(), 2);
  EXPECT_LT((samples.velocity_rows().row(0).array() - 1.0 / 65.0).abs().maxCoeff(), 1e-13);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(samples.impulse[2 * i], static_cast<double>(64 - i) / 65.0, 1e-12);
  }
}

TEST(PropagativeLaw, PathsEndAtTheOutcome) {
  ImpactProblem problem = test::uneven_cradle(6);
  problem.restitution = Eigen::VectorXd::Constant(5, 0.5);
  const Sampler sampler(std::span(&problem, 1), propagative_options(4));
  SampleSet samples;
  sampler.sample(0, 4, samples);
  for (std::size_t row = 0; row < 4; ++row) {
    const std::vector<double> path = sampler.path(row);
    ASSERT_EQ(path.size(), 6 * (samples.impacts[row] + 1));
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(path[path.size() - 6 + j], samples.velocity[row * 6 + j], 1e-13);
    }
  }
}

/// Four trajectories are sampled side by side, here of two problems, too.
TEST(PropagativeLaw, BatchesHaveTheRowsOfEachProblemAlone) {
  std::vector<ImpactProblem> problems(3, test::uneven_cradle(6));
  for (std::size_t i = 0; i < 3; ++i) {
    problems[i].pre_impact_velocity *= 1.0 + static_cast<double>(i);
    problems[i].restitution = Eigen::VectorXd::Constant(5, 0.5);
  }
  const Sampler batch(problems, propagative_options(5));
  SampleSet all;
  batch.sample(0, 15, all);
  for (std::uint32_t i = 0; i < 3; ++i) {
    SamplingOptions options = propagative_options(5);
    options.problem_id = i;
    const Sampler alone(std::span(&problems[i], 1), options);
    for (std::uint64_t row = 0; row < 5; ++row) {
      SampleSet one;
      alone.sample(row, 1, one);
      test::expect_same_bits(one, test::rows_of(all, std::array{5 * i + row}, row));
    }
  }
}

TEST(PropagativeLaw, IsDroppedAtTheStepLimitWhereImpactsNeverEnd) {
  const ImpactProblem between = test::point_masses({1.0}, {{1.0}, {-1.0}}, {1.0});  // two walls
  SamplingOptions options = propagative_options(3);
  options.max_steps = 50;
  const SampleSet samples = sample(between, options);
  EXPECT_THAT(samples.status, testing::Each(Status::step_limit));
  EXPECT_THAT(samples.impacts, testing::Each(50u));
}

/// Only rest leaves none of three walls around a point approaching, and rounding leaves not even
/// it.
TEST(PropagativeLaw, HasAPlasticOutcomeWhereWallsEncloseAPoint) {
  std::vector<std::vector<double>> walls;
  for (const double angle : {90.0, 210.0, 330.0}) {
    const double turn = angle * std::numbers::pi / 180.0;
    walls.push_back({std::cos(turn), std::sin(turn)});
  }
  ImpactProblem point = test::point_masses({1.0, 1.0}, walls, {0.3, -1.0});
  point.restitution = Eigen::VectorXd::Constant(3, 0.5);
  SamplingOptions options = propagative_options(3);
  options.max_steps = 50;
  EXPECT_THAT(sample(point, options).status, testing::Each(Status::step_limit));
}

/// An independent program's means of racks of 10 and 15 balls that a cue ball breaks, and of ten
/// balls in a row.
TEST(PropagativeLaw, HasTheMeansOfAnIndependentProgram) {
  constexpr std::uint64_t trajectories = 30'000;
  const auto data = test::read_json("propagative/outcomes.json");
  const auto sampled = test::read_json("propagative/sampled.json");
  for (const auto& [name, wanted] : sampled.items()) {
    const auto found =
        std::ranges::find_if(data, [&](const auto& one) { return one.at("name") == name; });
    const ImpactProblem problem = frictionless(test::matrix_of(found->at("mass_matrix")),
                                               test::matrix_of(found->at("normal_jacobian")),
                                               test::vector_of(wanted.at("v")));
    const SampleSet samples = sample(problem, propagative_options(trajectories));
    ASSERT_EQ(samples.outcomes().rows(), static_cast<Eigen::Index>(trajectories)) << name;
    // Standard errors of the mean of this many trajectories and of the other program's.
    const double scale = std::sqrt(1.0 + wanted.at("trajectories").get<double>() / trajectories);
    const double impacts =
        std::accumulate(samples.impacts.begin(), samples.impacts.end(), 0.0) / trajectories;
    EXPECT_NEAR(impacts, wanted.at("impacts_mean"),
                5.0 * scale * wanted.at("impacts_mean_se").get<double>())
        << name;
    const Eigen::VectorXd mean = samples.velocity_rows().colwise().mean();
    const Eigen::VectorXd error = test::vector_of(wanted.at("mean_v_plus_se"));
    const Eigen::VectorXd difference = mean - test::vector_of(wanted.at("mean_v_plus"));
    EXPECT_TRUE((difference.cwiseAbs().array() <= 5.0 * scale * error.array() + 1e-12).all())
        << name << ": " << difference.transpose();
  }
}

TEST(PropagativeLaw, AndOthersRefuseWhatTheyCannotTake) {
  ImpactProblem large = test::uneven_cradle(26);
  SamplingOptions capped;
  capped.trajectories = 10;
  EXPECT_THAT(test::refusal([&] { sample(large, capped); }),
              HasSubstr("25 contacts and 26 velocities (must be at most 24 and 96 with law "
                        "set_valued"));
  ImpactProblem small = cradle({1, 1, 1}, {1, 0, 0});
  small.restitution = Eigen::Vector2d(0.5, 0.5);
  capped.law = law::Sequential{};
  EXPECT_THAT(test::refusal([&] { sample(small, capped); }),
              HasSubstr("restitution is 0.5 (must be 0 with law sequential"));
  small.restitution(0) = 0.4;
  EXPECT_THAT(test::refusal([&] { sample(small, propagative_options(5)); }),
              HasSubstr("must be one number for all contacts"));
  small.restitution = {};
  small.friction(1) = 0.1;
  EXPECT_THAT(test::refusal([&] { sample(small, propagative_options(5)); }),
              HasSubstr("friction is 0.1"));
  EXPECT_THAT(test::refusal([&] { sample(test::uneven_cradle(66), propagative_options(5)); }),
              HasSubstr("65 contacts and 66 velocities (must be at most 64 and 96"));
}

}  // namespace
}  // namespace carom
