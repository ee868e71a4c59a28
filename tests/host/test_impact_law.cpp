#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "carom/error.hpp"
#include "carom/impact_law.hpp"
#include "carom/scenario.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/problem/default_steps.hpp"
#include "tests/support/impact_arrays.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expect_trajectories_of_sample(const test::Problems& problems, const Law& stated,
                                   Norm norm = Norm::euclidean) {
  SCOPED_TRACE(law_name(stated));
  constexpr std::uint64_t step = 3;
  const std::size_t size = problems.list.size();
  const ImpactLaw law({.seed = 8, .problem_id = 100, .epsilon = 0.01, .norm = norm, .law = stated});
  const SampleSet outcomes = law(step, problems.batch(0, size));
  for (std::size_t i = 0; i < size; ++i) {
    SCOPED_TRACE(i);
    Scenario scenario = matrices_scenario(problems.list[i]);
    scenario.sampling.seed = 8;
    scenario.sampling.norm = norm;
    scenario.sampling.epsilon = 0.01;
    scenario.sampling.impulse_step =
        default_impulse_step(assemble(problems.list[i]).report.needed_impulse());
    scenario.sampling.law = law.options().law;
    scenario.sampling.max_steps = law.options().max_steps;
    scenario.sampling.problem_id = 100 + static_cast<std::uint32_t>(i);
    const Sampler sampler(std::span(&problems.list[i], 1), scenario.sampling);
    SampleSet row = test::poisoned_rows(problems.list[i], scenario.sampling, 1);
    sampler.sample(step, 1, row);
    test::expect_same_bits(row, test::rows_of(outcomes, std::views::single(i), step));
  }
}

TEST(ImpactLaw, GivesTheTrajectoryOfSampleWithTheNumberOfTheStep) {
  for (const Norm norm : {Norm::euclidean, Norm::kinetic}) {
    expect_trajectories_of_sample(test::Problems(30), {}, norm);
    expect_trajectories_of_sample(test::Problems(20, 5, 7), {}, norm);
    expect_trajectories_of_sample(test::Problems(10, 4, 6, 2, 4), {}, norm);
    expect_trajectories_of_sample(test::Problems(10, 2, 6, 2, 6), {}, norm);
  }
}

TEST(ImpactLaw, TakesEveryLawWithTheRestitutionOfItsProblems) {
  for (const Law& law : all_laws()) {
    test::Problems problems(20, 3, 5);
    if (step_kind(law) == StepKind::impact) problems.remove_friction();
    expect_trajectories_of_sample(problems, law);
    if (!restitution_of(problems.list[0], law)) continue;
    problems.add_restitution();
    expect_trajectories_of_sample(problems, law);
  }
  test::Problems spatial(10, 3, 6, 2, 4);
  spatial.add_restitution();
  expect_trajectories_of_sample(
      spatial, law::Plus{.mu = {Uncertain(0.1), Uncertain(0.4), Uncertain::even(0.2, 0.9)}});
  // A search finds the solutions of fewer contacts in another order than the table of a sample.
  expect_trajectories_of_sample(test::Problems(20, 4, 6),
                                law::SetValued{.solutions = Solutions::all});
}

TEST(ImpactLaw, TakesManyContactsWithoutFrictionWhereTheLawDoes) {
  test::Problems problems(4, 40, 60);
  problems.remove_friction();
  expect_trajectories_of_sample(problems, law::Propagative{});
  const ImpactBatch batch = problems.batch(0, 4);
  EXPECT_THROW(ImpactLaw({})(0, batch), InputError);
  for (double& speed : problems.normals) speed = 0.0;
  const ImpactLaw law({.law = law::Propagative{}});
  EXPECT_EQ(law(0, batch).status[3], Status::separated) << "of 60 velocities, nothing approaches";
  EXPECT_THROW(law(0, test::Problems(1, 65, 2).batch(0, 1)), InputError);
}

/// A rod's end slides at 1000 m/s while it hits the floor at 1 m/s. The stopping impulse is 0.5
/// N·s; with friction the end needs 1 / (2 - mu) N·s, and from mu = 1.997 on, where it jams and
/// sticks, 334 N·s.
TEST(ImpactLaw, TakesTheImpulseThatContactsNeedWhereFrictionJams) {
  test::Problems rod(1, 1, 3);
  rod.mass = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  rod.normals = {0.0, 1.0, 1.0};
  rod.tangents = {1.0, 0.0, 1.0};
  rod.velocity = {1000.0, -1.0, 0.0};
  const ImpactLaw law({.seed = 1, .max_steps = 500});
  for (const auto& [friction, needed] : {std::pair(1.95, 0.5), {1.999, 334.0}, {3.0, 334.0}}) {
    SCOPED_TRACE(friction);
    rod.friction = {friction};
    ImpactBatch batch = rod.batch(0, 1);
    const SampleSet by_default = law(0, batch);
    batch.impulse_step = {&needed, 1};
    EXPECT_EQ(by_default.status[0], Status::separated);
    EXPECT_NEAR(by_default.velocity[0], law(0, batch).velocity[0], 1e-9);
  }
}

TEST(ImpactLaw, RefusesBatchesWithoutArraysOrSizes) {
  const test::Problems problems(4);
  const ImpactBatch good = problems.batch(0, 4);
  const ImpactLaw law({});
  const auto refuses = [&](auto change) {
    ImpactBatch batch = good;
    change(batch);
    EXPECT_THROW(law(0, batch), InputError);
  };
  refuses([](ImpactBatch& batch) { batch.mass_matrix = nullptr; });
  refuses([](ImpactBatch& batch) { batch.tangent_jacobian = nullptr; });
  refuses([](ImpactBatch& batch) { batch.friction = nullptr; });
  refuses([](ImpactBatch& batch) { batch.tangent_dimension = 3; });
  refuses([](ImpactBatch& batch) { batch.velocities = -4; });
  refuses([](ImpactBatch& batch) { batch.contacts = 0; });
}

TEST(ImpactLaw, GivesTheActiveContactsTheirOwnNumbersOfTheLaw) {
  const test::Problems problems(20, 3, 5);
  ImpactBatch batch = problems.batch(0, 20);
  std::vector<std::uint8_t> active(60);
  for (std::size_t i = 0; i < 60; ++i) active[i] = i % 3 == 0 ? 0 : 1;
  batch.active = active.data();
  const auto outcomes = [&](std::vector<Uncertain> mu, std::vector<Uncertain> e_min) {
    const law::Plus law{.mu = std::move(mu), .e_min = std::move(e_min)};
    return ImpactLaw({.law = law})(2, batch);
  };
  const SampleSet given = outcomes({0.9, 0.2, 0.4}, {0.9, 0.5, 0.1});
  test::expect_same_bits(given, outcomes({0.0, 0.2, 0.4}, {0.0, 0.5, 0.1}));
  EXPECT_FALSE(
      test::same_bits(given.velocity, outcomes({0.9, 0.4, 0.2}, {0.9, 0.5, 0.1}).velocity));
  EXPECT_FALSE(
      test::same_bits(given.velocity, outcomes({0.9, 0.2, 0.4}, {0.9, 0.1, 0.5}).velocity));
}

TEST(ImpactLaw, RefusesOnlyProblemsWithRestitutionThatIsNone) {
  for (const Law& law : all_laws()) {
    test::Problems problems(3);
    problems.remove_friction();
    problems.add_restitution();
    std::fill(problems.restitution.begin(), problems.restitution.end(), 0.5);
    problems.restitution[2] = 1.5;
    problems.restitution[5] = nan;
    const ImpactBatch batch = problems.batch(0, 3);
    if (!restitution_of(problems.list[0], law)) {
      EXPECT_THAT([&] { ImpactLaw({.law = law})(0, batch); },
                  testing::ThrowsMessage<InputError>(testing::StartsWith(fmt::format(
                      "restitution is given (must not be with law {}", law_name(law)))));
      continue;
    }
    const SampleSet outcomes = ImpactLaw({.law = law})(0, batch);
    EXPECT_NE(outcomes.status[0], Status::bad_input);
    EXPECT_EQ(outcomes.status[1], Status::bad_input);
    EXPECT_EQ(outcomes.status[2], Status::bad_input);
    EXPECT_TRUE(std::isnan(outcomes.energy[1]));
    EXPECT_THAT([&] { ImpactLaw({.law = law, .strict = true})(0, batch); },
                testing::ThrowsMessage<InputError>(
                    "problem 1: restitution is 1.5 (must be from 0 to 1) for contact \"0\""));
  }
}

TEST(ImpactLaw, NamesOptionsOfALawThatDoNotFit) {
  EXPECT_THAT([] { ImpactLaw({.law = law::Plus{.v_before = {Uncertain(1.0)}}}); },
              testing::ThrowsMessage<InputError>(testing::StartsWith("v_before is stated")));
  const test::Problems problems(3, 3, 5);
  EXPECT_THAT(
      [&] {
        ImpactLaw({.law = law::Plus{.mu = {0.1, 0.2}}})(0, problems.batch(0, 3));
      },
      testing::ThrowsMessage<InputError>("mu has 2 numbers (must have 1 or one per contact, 3)"));
}

TEST(ImpactLaw, DoesNotDependOnTheDivisionOfTheBatchOrTheThreads) {
  const test::Problems problems(50);
  const SampleSet whole = ImpactLaw({.seed = 2})(7, problems.batch(0, 50));
  const SampleSet part = ImpactLaw({.seed = 2, .threads = 1})(7, problems.batch(20, 50), 20);
  test::expect_same_bits(test::rows_of(whole, std::views::iota(20u, 50u), 20), part);
}

TEST(ImpactLaw, StopsWhereItsObserverSaysSo) {
  const test::Problems problems(10'000);
  const auto once = [](std::uint64_t, std::uint64_t) { return false; };
  const SampleSet outcomes = ImpactLaw({})(0, problems.batch(0, 10'000), 0, once);
  EXPECT_GT(outcomes.size(), 0U);
  EXPECT_LT(outcomes.size(), 10'000U);
}

TEST(ImpactLaw, NamesTheFirstProblemThatBreaksARule) {
  test::Problems problems(600);
  problems.friction[2 * 123] = -1.0;
  problems.friction[2 * 500] = -2.0;
  EXPECT_THAT([&] { ImpactLaw({.strict = true})(0, problems.batch(0, 600), 1000); },
              testing::ThrowsMessage<InputError>(
                  testing::StartsWith("problem 1123: friction is -1 (must be >= 0)")));
}

/// Of the first problem of several.
constexpr void (*breaks[])(test::Problems&) = {
    [](test::Problems& p) { p.mass[1] = nan; },
    [](test::Problems& p) { p.mass[5] = -1.0; },
    [](test::Problems& p) { p.mass[1] += 1e-3; },
    [](test::Problems& p) { p.mass[0] = 1e-9; },  // with the entries beside it: indefinite
    [](test::Problems& p) { p.normals[3] = nan; },
    [](test::Problems& p) { std::fill_n(p.normals.begin(), 4, 0.0); },
    [](test::Problems& p) { p.tangents[2] = HUGE_VAL; },
    [](test::Problems& p) { p.tangents[2] = 1e300; },
    [](test::Problems& p) { p.friction[1] = 2e12; },
    [](test::Problems& p) { p.velocity[0] = nan; },
    [](test::Problems& p) { p.velocity[0] = 1e200; },
};

TEST(ImpactLaw, StrictSaysOfABrokenProblemWhatValidateSays) {
  for (const auto& change : breaks) {
    test::Problems problems(1);
    change(problems);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    ImpactProblem alone;
    alone.mass_matrix = Eigen::Map<RowMajor>(problems.mass.data(), 4, 4);
    alone.normal_jacobian = Eigen::Map<RowMajor>(problems.normals.data(), 2, 4);
    alone.tangent_jacobian = Eigen::Map<RowMajor>(problems.tangents.data(), 2, 4);
    alone.friction = Eigen::Map<Eigen::VectorXd>(problems.friction.data(), 2);
    alone.pre_impact_velocity = Eigen::Map<Eigen::VectorXd>(problems.velocity.data(), 4);
    alone.contact_names = {"0", "1"};
    std::string rule;
    try {
      validated(alone);
    } catch (const InputError& error) {
      rule = error.what();
    }
    ASSERT_FALSE(rule.empty());
    EXPECT_THAT([&] { ImpactLaw({.strict = true})(0, problems.batch(0, 1)); },
                testing::ThrowsMessage<InputError>("problem 0: " + rule));
  }
  const test::Problems problems(1);
  ImpactBatch batch = problems.batch(0, 1);
  batch.friction_directions = 3;
  EXPECT_THAT(
      [&] { ImpactLaw({})(0, batch); },
      testing::ThrowsMessage<InputError>("friction_directions is 3 (must be 2 in the plane)"))
      << "no problem of the batch can keep this rule";
}

TEST(ImpactLaw, ServesTheOtherProblemsOfABrokenOne) {
  const SampleSet whole = ImpactLaw({})(4, test::Problems(40).batch(0, 40));
  for (const auto& change : breaks) {
    test::Problems problems(40);
    change(problems);
    const SampleSet outcomes = ImpactLaw({})(4, problems.batch(0, 40));
    test::expect_same_bits(test::rows_of(whole, std::views::iota(1u, 40u), 1),
                           test::rows_of(outcomes, std::views::iota(1u, 40u), 1));
    EXPECT_EQ(outcomes.status[0], Status::bad_input);
    EXPECT_TRUE(std::isnan(outcomes.energy[0]));
    EXPECT_EQ(outcomes.lcp_count[0], 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_TRUE(outcomes.velocity[k] == problems.velocity[k] || std::isnan(problems.velocity[k]));
      EXPECT_EQ(outcomes.impulse[k], 0.0);
    }
  }
}

TEST(ImpactLaw, RefusesOnlyProblemsWithTooManyActiveContacts) {
  constexpr int m = 18;  // in space, one more than compiled
  const test::Problems problems(3, m, 6, 2, 4);
  ImpactBatch batch = problems.batch(0, 3);
  std::vector<std::uint8_t> active(std::size_t{3} * m, 1);
  active[0] = active[2 * m] = 0;  // leaves 17 to the first problem and the last
  batch.active = active.data();
  const SampleSet outcomes = ImpactLaw({})(0, batch);
  EXPECT_EQ(outcomes.status[0], Status::separated);
  EXPECT_EQ(outcomes.status[1], Status::bad_input);
  EXPECT_EQ(outcomes.status[2], Status::separated);
  batch.active = nullptr;
  EXPECT_THROW(ImpactLaw({})(0, batch), InputError);
}

TEST(ImpactLaw, SharesTheArraysOfOneProblem) {
  test::Problems problems(20);
  const auto repeat = [](std::vector<double>& array) {
    const std::size_t width = array.size() / 20;
    for (std::size_t i = width; i < array.size(); ++i) array[i] = array[i - width];
  };
  for (auto* array : {&problems.mass, &problems.normals, &problems.tangents, &problems.friction}) {
    repeat(*array);
  }
  ImpactBatch batch = problems.batch(0, 20);
  const SampleSet each = ImpactLaw({})(6, batch);
  const test::Problems first(1);
  batch.mass_matrix = first.mass.data();
  batch.normal_jacobian = first.normals.data();
  batch.tangent_jacobian = first.tangents.data();
  batch.friction = first.friction.data();
  batch.one_mass_matrix = batch.one_normal_jacobian = true;
  batch.one_tangent_jacobian = batch.one_friction = true;
  test::expect_same_bits(each, ImpactLaw({})(6, batch));
}

TEST(ImpactLaw, LeavesAVelocityThatSeparatesWithoutMoreThanItsEnergy) {
  test::Problems problems(3);
  for (std::size_t i = 0; i < problems.normals.size(); ++i) {
    problems.normals[i] = problems.velocity[i / 8 * 4 + i % 4];  // Jn v = |v|^2
  }
  std::fill_n(problems.tangents.begin(), 8, nan);  // not looked at
  problems.mass[2 * 16] = nan;                     // no energy
  const SampleSet outcomes =
      ImpactLaw({.law = law::SetValued{.solutions = Solutions::all}})(0, problems.batch(0, 3));
  EXPECT_EQ(outcomes.status[0], Status::separated);
  EXPECT_EQ(outcomes.status[1], Status::separated);
  EXPECT_EQ(outcomes.status[2], Status::bad_input);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(outcomes.velocity[k], problems.velocity[k]);
  const Eigen::VectorXd& v = problems.list[1].pre_impact_velocity;
  EXPECT_NEAR(outcomes.energy[1], 0.5 * v.dot(problems.list[1].mass_matrix * v), 1e-12);
  EXPECT_THROW(ImpactLaw({.strict = true})(0, problems.batch(0, 1)), InputError);
  EXPECT_NO_THROW(ImpactLaw({.strict = true})(0, problems.batch(1, 2)));
}

TEST(Sampler, InPartsGivesTheRowsOfOneCall) {
  const Scenario scenario = load_scenario("compass_gait");
  SamplingOptions options = resolved(scenario.sampling, scenario.problem);
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
  const auto stop_at_the_end = [](std::uint64_t done, std::uint64_t total) { return done < total; };
  EXPECT_TRUE(sampler.sample(40, 1000, parts, stop_at_the_end)) << "there is nothing left to stop";
  test::expect_same_bits(whole, parts);
  EXPECT_FALSE(sampler.sample(40, 1000, parts, [](auto, auto) { return false; }));
  test::expect_same_bits(test::rows_of(whole, std::views::iota(0u, 100u), 40), parts);
}

}  // namespace
}  // namespace carom
