// Arguments that only a C++ program can get wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "carom/carom.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using test::refusal;
using testing::HasSubstr;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

ImpactProblem block() { return load_scenario("rocking_block").problem; }

TEST(LibraryInput, EmptyProblemsAreNamed) {
  EXPECT_THAT(refusal([] { notes(ImpactProblem{}, {}); }), HasSubstr("mass_matrix is empty"));
  EXPECT_THAT(refusal([] { friction_cone_support({}); }), HasSubstr("mass_matrix is empty"));
}

TEST(LibraryInput, ConesOfBadNumbersAreNamed) {
  ImpactProblem problem = block();
  problem.mass_matrix(0, 0) = not_a_number;
  EXPECT_THAT(refusal([&] { friction_cone_support(problem); }), HasSubstr("mass_matrix"));
  problem = block();
  problem.friction(0) = -1.0;
  EXPECT_THAT(refusal([&] { friction_cone_support(problem); }), HasSubstr("friction is -1"));
}

TEST(LibraryInput, UnknownKindsAndCountsAreNamed) {
  const ImpactProblem problem = block();
  SamplingOptions options;
  std::get<law::SetValued>(options.law).caps =
      CapsDistribution{{{.kind = static_cast<CapsKind>(42), .scale = {}}}};
  EXPECT_THAT(refusal([&] { sample(problem, options); }),
              HasSubstr("of kind 42 (must be one of uniform"));
  EXPECT_THAT(refusal([&] { outer_bound(problem, {.scope = static_cast<BoundScope>(9)}); }),
              HasSubstr("scope"));
  EXPECT_THAT(refusal([&] { outer_bound(problem, {.rounds = 1'000'000'000}); }),
              HasSubstr("rounds is 1000000000 (must be"));
  EXPECT_THAT(refusal([&] { outer_bound(problem, {.programs = 0}); }), HasSubstr("programs is 0"));
  for (const double tolerance : {not_a_number, -1.0}) {
    EXPECT_THAT(
        refusal([&] { compare_laws(problem, {.termination_tolerance = tolerance, .orders = {}}); }),
        HasSubstr("termination_tolerance is "));
  }
  EXPECT_THAT(refusal([&] { compare_laws(problem, {.max_stages = 0, .orders = {}}); }),
              HasSubstr("max_stages is 0 (must be >= 1)"));
  EXPECT_THAT(refusal([&] { compare_laws(problem, {.random_orders = -5, .orders = {}}); }),
              HasSubstr("random_orders is -5 (must be >= 0)"));
}

TEST(LibraryInput, CountsOfModesNeedAProblem) {
  ImpactProblem problem = load_scenario("rocking_block").problem;
  problem.friction.resize(0);
  EXPECT_THROW(mode_count(problem), InputError);
}

TEST(LibraryInput, RowsBeyondAnyMemoryAreBadAllocations) {
  SampleSet rows;
  EXPECT_THROW(rows.resize(std::size_t{1} << 60), std::bad_alloc);
}

TEST(LibraryInput, NetsRefuseWhatIsNoNumber) {
  EpsilonNet net(2, 0.1);
  EXPECT_THAT(refusal([&] { net.add({0}, {1.0, not_a_number}); }), HasSubstr("no number"));
  EXPECT_EQ(net.size(), 0u);
}

TEST(LibraryInput, MotionsNeedTheirFunctions) {
  const Eigen::Vector2d start(1.0, 0.0);
  EXPECT_THAT(refusal([&] { derivative(Motion{}, start, 1.0, start); }),
              HasSubstr("mass is missing (must be a function)"));
}

TEST(LibraryInput, FirstImpactsNeedADurationAndAWindow) {
  const Scenario scenario = load_scenario("rocking_block");
  const PlanarWorld world = std::get<PlanarWorld>(*scenario.world);
  for (const double duration : {HUGE_VAL, not_a_number, -1.0, 0.0}) {
    EXPECT_THAT(refusal([&] { find_first_impact(world, duration); }), HasSubstr("duration is "));
  }
  for (const double window : {not_a_number, -1.0}) {
    EXPECT_THAT(refusal([&] { first_impact(world, 1.0, window); }), HasSubstr("window is "));
  }
}

/// The distance of a sought outcome is that to the outcomes of the run: others that were sought do
/// not count.
TEST(LibraryInput, SoughtOutcomesAreFarFromTheNetBeforeTheSearch) {
  Scenario scenario = load_scenario("compass_gait");
  scenario.sampling.trajectories = 200;
  scenario.sampling.seed = 3;
  resolve(scenario);
  const PostImpactSet plain = post_impact_set(scenario.problem, scenario.sampling);
  PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  EvidenceOptions evidence;
  evidence.seek_extremes = 0;
  evidence.hold_out = 0;
  evidence.comparison = false;
  add_evidence(scenario.problem, scenario.sampling, evidence, set);
  ASSERT_FALSE(set.sought.empty());
  for (const SoughtOutcome& outcome : set.sought) {
    EXPECT_DOUBLE_EQ(outcome.net_distance, plain.net.distance(outcome.velocity.data()));
  }
}

TEST(LibraryInput, ContactsWithoutFrictionNeedNoTangents) {
  ImpactProblem given = block();
  given.friction.setZero();
  ImpactProblem bare = given;
  bare.tangent_jacobian.resize(0, 0);
  bare.friction.resize(0);
  const ImpactProblem problem = validated(bare);
  EXPECT_EQ(problem.tangent_jacobian, Eigen::MatrixXd::Zero(2, 3));
  EXPECT_EQ(problem.friction, Eigen::Vector2d::Zero());
  EXPECT_EQ(validated(given).tangent_jacobian, given.tangent_jacobian);
  SamplingOptions options;
  options.trajectories = 16;
  EXPECT_EQ(post_impact_set(bare, options).summary.outcomes(), 16u);
  bare.friction = Eigen::VectorXd::Zero(7);
  EXPECT_THAT(refusal([&] { validated(bare); }), HasSubstr("friction has 7 entries"));
  bare.friction = Eigen::Vector2d(0.5, 0.0);
  EXPECT_THAT(refusal([&] { validated(bare); }), HasSubstr("tangent_jacobian is 0 x 0"));
}

}  // namespace
}  // namespace carom
