#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ranges>
#include <string>
#include <vector>

#include "carom/error.hpp"
#include "carom/impact_law.hpp"
#include "carom/scenario.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

/// Problems and the arrays that an ImpactBatch names.
struct Problems {
  std::vector<ImpactProblem> list;
  std::vector<double> mass, normals, tangents, friction, velocity;

  explicit Problems(std::size_t size) {
    test::Random random(5);
    for (std::size_t i = 0; i < size; ++i) {
      list.push_back(test::random_problem(random, 2, 4, -1.0));
      const ImpactProblem& problem = list.back();
      append(mass, problem.mass_matrix);
      append(normals, problem.normal_jacobian);
      append(tangents, problem.tangent_jacobian);
      append(friction, problem.friction);
      append(velocity, problem.pre_impact_velocity);
    }
  }

  ImpactBatch batch(std::size_t begin, std::size_t end) const {
    ImpactBatch batch;
    batch.size = end - begin;
    batch.velocities = 4;
    batch.contacts = 2;
    batch.mass_matrix = mass.data() + begin * 16;
    batch.normal_jacobian = normals.data() + begin * 8;
    batch.tangent_jacobian = tangents.data() + begin * 8;
    batch.friction = friction.data() + begin * 2;
    batch.pre_impact_velocity = velocity.data() + begin * 4;
    return batch;
  }

 private:
  static void append(std::vector<double>& all, const Eigen::MatrixXd& matrix) {
    const Eigen::MatrixXd rows = matrix.transpose();
    all.insert(all.end(), rows.data(), rows.data() + rows.size());
  }
};

TEST(ImpactLaw, GivesTheTrajectoryOfSampleWithTheNumberOfTheStep) {
  constexpr std::uint64_t step = 3;
  const Problems problems(30);
  const ImpactLaw law({.seed = 8, .problem_id = 100});
  const SampleSet outcomes = law(step, problems.batch(0, 30));
  for (std::size_t i = 0; i < 30; ++i) {
    Scenario scenario = matrices_scenario(problems.list[i]);
    scenario.sampling.seed = 8;
    scenario.sampling.max_steps = law.options().max_steps;
    scenario.sampling.problem_id = 100 + static_cast<std::uint32_t>(i);
    const Sampler sampler(std::span(&problems.list[i], 1), scenario.sampling);
    SampleSet row = test::poisoned_rows(problems.list[i], scenario.sampling, 1);
    sampler.sample(step, 1, row);
    SCOPED_TRACE("problem " + std::to_string(i));
    test::expect_same_bits(row, test::rows_of(outcomes, std::views::single(i), step));
  }
}

TEST(ImpactLaw, DoesNotDependOnTheDivisionOfTheBatchOrTheThreads) {
  const Problems problems(50);
  const SampleSet whole = ImpactLaw({.seed = 2})(7, problems.batch(0, 50));
  const SampleSet part = ImpactLaw({.seed = 2, .threads = 1})(7, problems.batch(20, 50), 20);
  test::expect_same_bits(test::rows_of(whole, std::views::iota(20u, 50u), 20), part);
}

TEST(ImpactLaw, StopsWhereItsObserverSaysSo) {
  const Problems problems(10'000);
  const auto once = [](std::uint64_t, std::uint64_t) { return false; };
  const SampleSet outcomes = ImpactLaw({})(0, problems.batch(0, 10'000), 0, once);
  EXPECT_GT(outcomes.size(), 0U);
  EXPECT_LT(outcomes.size(), 10'000U);
}

TEST(ImpactLaw, NamesTheFirstProblemThatBreaksARule) {
  Problems problems(600);
  problems.friction[2 * 123] = -1.0;
  problems.friction[2 * 500] = -2.0;
  EXPECT_THAT([&] { ImpactLaw({})(0, problems.batch(0, 600), 1000); },
              testing::ThrowsMessage<InputError>(
                  testing::StartsWith("problem 1123: friction is -1 (must be >= 0)")));
}

TEST(Sampler, InPartsGivesTheRowsOfOneCall) {
  const Scenario scenario = load_scenario("compass_gait");
  SamplingOptions options = scenario.sampling;
  options.chunk = 100;
  const Sampler sampler(std::span(&scenario.problem, 1), options);
  SampleSet whole = test::poisoned_rows(scenario.problem, options, 1000);
  SampleSet parts = whole;
  sampler.sample(40, 1000, whole);
  std::vector<std::uint64_t> told;
  const auto listen = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 1000U);
    told.push_back(done);
    return true;
  };
  EXPECT_TRUE(sampler.sample(40, 1000, parts, listen));
  test::expect_same_bits(whole, parts);
  EXPECT_EQ(told.size(), 10U);
  EXPECT_FALSE(sampler.sample(40, 1000, parts, [](auto, auto) { return false; }));
  test::expect_same_bits(test::rows_of(whole, std::views::iota(0u, 100u), 40), parts);
}

}  // namespace
}  // namespace carom
