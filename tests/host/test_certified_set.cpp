#include <gtest/gtest.h>

#include "carom/carom.hpp"
#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"
#include "host/run/certified_set.hpp"
#include "host/run/evidence.hpp"
#include "host/run/hold_out.hpp"

namespace carom {
namespace {

Scenario rocking_block(std::uint64_t trajectories) {
  Scenario scenario = parse_scenario("system = \"rocking_block\"\n");
  scenario.sampling.trajectories = trajectories;
  scenario.sampling.backend = Backend::cpu;
  return scenario;
}

/// Evidence of a run that grows until `miss` holds, and nothing else.
EvidenceOptions growing(double miss) {
  EvidenceOptions evidence;
  evidence.hold_out = 1;
  evidence.confidence = 0.99;
  evidence.miss = miss;
  evidence.comparison = false;
  return evidence;
}

PostImpactSet grow(const Scenario& scenario, const EvidenceOptions& evidence) {
  return grow(scenario.problem, scenario.sampling, {}, evidence);
}

TEST(CertifiedSet, GrowsUntilTheBoundHolds) {
  const Scenario scenario = rocking_block(64);
  const PostImpactSet set = grow(scenario, growing(1e-2));
  ASSERT_TRUE(set.certificate);
  const Certificate& certificate = *set.certificate;
  EXPECT_TRUE(certificate.reached);
  EXPECT_TRUE(set.complete);
  EXPECT_GT(set.summary.trajectories, 64u);
  ASSERT_FALSE(certificate.tests.empty());
  const HoldOut& last = certificate.tests.back();
  EXPECT_LE(last.miss_bound, 1e-2);
  EXPECT_EQ(last.trajectories, set.summary.trajectories);
  EXPECT_EQ(last.miss_bound, clopper_pearson_upper(last.misses, last.trials, last.confidence));
  EXPECT_EQ(law_words(certificate.law, "0.3 N·s"), "caps uniform, solutions all, h = 0.3 N·s");
}

TEST(CertifiedSet, IsThePlainRunWithItsFinalNumberOfTrajectories) {
  Scenario scenario = rocking_block(64);
  const PostImpactSet grown = grow(scenario, growing(1e-2));
  scenario.sampling.trajectories = grown.summary.trajectories;
  const PostImpactSet plain = post_impact_set(scenario.problem, scenario.sampling);
  EXPECT_EQ(grown.summary.checksum, plain.summary.checksum);
  EXPECT_EQ(grown.net.index(), plain.net.index());
  EXPECT_EQ(grown.summary.lcp_histogram, plain.summary.lcp_histogram);
  EXPECT_EQ(grown.modes.outcomes(), plain.modes.outcomes());
}

TEST(CertifiedSet, DoesNotDependOnChunksOrThreads) {
  Scenario scenario = rocking_block(64);
  const PostImpactSet one = grow(scenario, growing(1e-2));
  scenario.sampling.chunk = 37;
  scenario.sampling.threads = 1;
  const PostImpactSet other = grow(scenario, growing(1e-2));
  ASSERT_EQ(one.certificate->tests.size(), other.certificate->tests.size());
  for (std::size_t j = 0; j < one.certificate->tests.size(); ++j) {
    EXPECT_EQ(one.certificate->tests[j].misses, other.certificate->tests[j].misses);
    EXPECT_EQ(one.certificate->tests[j].trials, other.certificate->tests[j].trials);
  }
  EXPECT_EQ(one.net.index(), other.net.index());
}

// The net that the run starts with has lost all members but one: nothing in it tells that the first
// test must fail.
TEST(CertifiedSet, TestsEveryNetOnTrajectoriesOfItsOwn) {
  const Scenario scenario = rocking_block(100);
  PostImpactSet start = post_impact_set(scenario.problem, scenario.sampling);
  const int nv = scenario.problem.velocities();
  const std::vector<double> all = start.net.velocity();
  start.net = EpsilonNet(nv, *scenario.sampling.epsilon);
  start.net.restore({0}, {all.begin(), all.begin() + nv});  // it lacks all other members
  const PostImpactSet set =
      grow(scenario.problem, scenario.sampling, std::move(start), growing(0.05));
  const Certificate& certificate = *set.certificate;
  ASSERT_GE(certificate.tests.size(), 2u);
  EXPECT_GT(certificate.tests[0].miss_bound, 0.05);
  std::uint64_t end = 0;  // of the trajectories that a net or a test has used
  for (std::size_t j = 0; j < certificate.tests.size(); ++j) {
    const HoldOut& test = certificate.tests[j];
    EXPECT_GE(test.first, test.trajectories) << "the net has seen them";
    EXPECT_GE(test.first, end) << "an earlier test has";
    EXPECT_EQ(test.confidence, test_confidence(certificate.confidence, j + 1));
    end = test.first + test.trials;
  }
  EXPECT_TRUE(certificate.reached);
}

TEST(CertifiedSet, SaysThatTheBudgetEndedTooEarly) {
  Scenario scenario = rocking_block(500);
  scenario.sampling.epsilon = 1e-4;  // far more members than 500 trajectories can find
  EvidenceOptions evidence = growing(1e-2);
  evidence.max_trajectories = 4000;
  const PostImpactSet set = grow(scenario, evidence);
  ASSERT_TRUE(set.certificate);
  EXPECT_FALSE(set.certificate->reached);
  EXPECT_TRUE(set.complete);
  std::uint64_t used = set.summary.trajectories;
  for (const HoldOut& test : set.certificate->tests) used += test.trials;
  EXPECT_LE(used, 4000u);
  EXPECT_GE(set.summary.trajectories, 2000u) << "the budget allows two doublings";
  ASSERT_FALSE(set.certificate->tests.empty());
  EXPECT_GT(set.certificate->tests.back().miss_bound, 1e-2);
  EXPECT_EQ(set.certificate->tests.back().trajectories, set.summary.trajectories);
}

TEST(CertifiedSet, RefusesABudgetThatCannotHoldASingleTest) {
  const Scenario scenario = rocking_block(500);
  EvidenceOptions evidence = growing(1e-2);
  // One test without a miss at confidence 0.995: ln 0.005 / ln 0.99 = 527.2 trials.
  evidence.max_trajectories = 500 + 527;
  EXPECT_THROW(grow(scenario, evidence), FieldError);
  evidence.max_trajectories = 500 + 528;
  EXPECT_NO_THROW(grow(scenario, evidence));
}

TEST(CertifiedSet, EndsWithTheTimeAndStillTests) {
  Scenario scenario = rocking_block(1000);
  scenario.sampling.epsilon = 1e-4;
  scenario.sampling.chunk = 100;
  EvidenceOptions evidence = growing(1e-3);
  evidence.max_seconds = 1e-9;  // over after the first chunk
  const PostImpactSet set = grow(scenario, evidence);
  EXPECT_EQ(set.summary.trajectories, 100u);
  EXPECT_TRUE(set.complete);
  ASSERT_TRUE(set.certificate);
  EXPECT_FALSE(set.certificate->reached);
  EXPECT_EQ(set.certificate->tests.size(), 1u);
}

TEST(CertifiedSet, GivesUpWhereTrajectoriesWithoutAnOutcomeAloneAreTooMany) {
  Scenario scenario = rocking_block(2000);
  scenario.sampling.max_steps = 1;  // most of the trajectories still collide
  const PostImpactSet set = grow(scenario, growing(1e-3));
  EXPECT_EQ(set.summary.trajectories, 2000u) << "growing cannot help";
  ASSERT_TRUE(set.certificate);
  EXPECT_FALSE(set.certificate->reached);
  EXPECT_GT(set.certificate->tests.back().failures, 0u);
}

TEST(CertifiedSet, LeavesNoCertificateWhereAnObserverStopsIt) {
  Scenario scenario = rocking_block(1000);
  scenario.sampling.chunk = 100;
  int chunks = 0;
  const PostImpactSet cut =
      grow(scenario.problem, scenario.sampling, {}, growing(1e-2),
           [&](const SampleSet&, const PostImpactSet&) { return ++chunks < 3; });
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.summary.trajectories, 300u);
  EXPECT_FALSE(cut.certificate);
  const PostImpactSet untested = grow(
      scenario.problem, scenario.sampling, {}, growing(1e-2), {},
      [](const std::string& stage, std::uint64_t, std::uint64_t) { return stage != "hold-out"; });
  EXPECT_TRUE(untested.complete);
  EXPECT_FALSE(untested.certificate);
}

TEST(CertifiedSet, IsAPlainRunWhereNoMissIsWanted) {
  const Scenario scenario = rocking_block(500);
  std::vector<std::string> stages;
  const PostImpactSet set = grow(scenario.problem, scenario.sampling, {}, {}, {},
                                 [&](const std::string& stage, std::uint64_t, std::uint64_t total) {
                                   stages.push_back(stage);
                                   return total == 500;
                                 });
  EXPECT_EQ(stages, std::vector<std::string>{"sampling"});
  EXPECT_EQ(set.summary.trajectories, 500u);
  EXPECT_TRUE(set.complete);
  EXPECT_FALSE(set.certificate);
  const PostImpactSet stopped =
      grow(scenario.problem, scenario.sampling, {}, {}, {}, [](const auto&...) { return false; });
  EXPECT_EQ(stopped.summary.trajectories, 0u);
  EXPECT_FALSE(stopped.complete);
}

TEST(EstimatedMiss, IsTheShareOfNewMembersAndFailuresLately) {
  PostImpactSet set = post_impact_set(rocking_block(1).problem, rocking_block(1).sampling);
  set.net = EpsilonNet(1, 1.0);
  set.net.restore({0, 1, 5, 70, 80, 99}, {0.0, 2.0, 4.0, 6.0, 8.0, 10.0});
  set.summary.trajectories = 100;
  set.summary.status_counts = {90, 10, 0, 0, 0};
  EXPECT_DOUBLE_EQ(estimated_miss(set), 4.0 / 51.0 + 0.1);  // 3 members in the second 50
}

TEST(HoldOutTest, DrawsIndependentCapsForASobolRun) {
  Scenario scenario = rocking_block(256);
  const PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  const auto test_with = [&](const char* caps) {
    SamplingOptions options = scenario.sampling;
    options.set_valued().caps = parse_caps(caps);
    return hold_out(scenario.problem, options, set.net, 256, 256, 3000, 0.99);
  };
  const HoldOut uniform = test_with("uniform");
  const HoldOut sobol = test_with("sobol");
  EXPECT_EQ(uniform.misses, sobol.misses);  // the same trajectories
  EXPECT_GT(uniform.misses, 0u);
  EXPECT_EQ(uniform.trials, 3000u);
  EXPECT_EQ(uniform.first, 256u);
}

TEST(HoldOutTest, FindsNoMissAmongTheTrajectoriesOfTheNet) {
  const Scenario scenario = rocking_block(1000);
  const PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  const HoldOut seen = hold_out(scenario.problem, scenario.sampling, set.net, 1000, 0, 1000, 0.99);
  EXPECT_EQ(seen.misses, 0u);
}

// 2 kg at 1 m/s and a single step with a cap uniform on (0, 4 N·s]: it stops if the cap is above
// 2 N·s, and else is dropped. The final step, of epsilon / (3 psi) = 0.0022 N·s, shifts that by a
// hair.
TEST(HoldOutTest, OfAKnownMissProbabilityIsWrongNoMoreOftenThanDeltaAllows) {
  Scenario scenario = parse_scenario(
      "system = \"matrices\"\n[problem]\nmass_matrix = [[2.0, 0.0], [0.0, 2.0]]\n"
      "normal_jacobian = [[0.0, 1.0]]\ntangent_jacobian = [[1.0, 0.0]]\nfriction = 0.0\n"
      "pre_impact_velocity = [0.5, -1.0]\n[sampling]\ntrajectories = 100\nmax_steps = 1\n"
      "impulse_step = 4.0\nepsilon = 0.01\nbackend = \"cpu\"\nthreads = 1\n");
  resolve(scenario);
  const PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  ASSERT_EQ(set.net.size(), 1u);
  const double miss = (2.0 - set.final_cap) / 4.0;
  constexpr int tests = 1000;
  constexpr std::uint64_t trials = 100;
  int wrong = 0;
  std::uint64_t misses = 0;
  for (std::uint64_t i = 0; i < tests; ++i) {
    const HoldOut test =
        hold_out(scenario.problem, scenario.sampling, set.net, 100, 100 + i * trials, trials, 0.95);
    EXPECT_EQ(test.misses, test.failures);
    misses += test.misses;
    wrong += test.miss_bound < miss ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(misses) / (tests * trials), miss, 0.007);  // 4.4 errors
  EXPECT_LE(wrong, 83);  // 50 are allowed; 83 are 4.75 standard deviations more
  EXPECT_GE(wrong, 10) << "the check itself would not notice anything";
}

TEST(Evidence, IsTakenBackBeforeARunGoesOn) {
  Scenario scenario = rocking_block(500);
  PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  const std::vector<std::uint64_t> members = set.net.index();
  const double far[3] = {10.0, 10.0, 10.0};
  set.net.add_found(EpsilonNet::sought_index, far);
  set.sought.resize(1);
  set.certificate = Certificate{};
  ASSERT_EQ(set.net.size(), members.size() + 1);
  drop_evidence(scenario.problem, scenario.sampling, set);
  EXPECT_EQ(set.net.index(), members);
  EXPECT_FALSE(set.certificate);

  set.net.add_found(EpsilonNet::sought_index, far);
  scenario.sampling.trajectories = 900;
  const PostImpactSet resumed = grow(scenario.problem, scenario.sampling, std::move(set));
  const PostImpactSet whole = post_impact_set(scenario.problem, scenario.sampling);
  EXPECT_EQ(resumed.net.index(), whole.net.index());
  EXPECT_EQ(resumed.net.velocity(), whole.net.velocity());
}

TEST(Evidence, ComesAfterACompleteRunOnly) {
  Scenario scenario = rocking_block(300);
  EvidenceOptions evidence;
  evidence.hold_out = 700;
  PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  set.complete = false;
  EXPECT_THROW(add_evidence(scenario.problem, scenario.sampling, evidence, set), InputError);
  set.complete = true;
  add_evidence(scenario.problem, scenario.sampling, evidence, set);
  ASSERT_TRUE(set.certificate);
  ASSERT_EQ(set.certificate->tests.size(), 1u);
  const HoldOut& test = set.certificate->tests[0];
  EXPECT_EQ(test.first, 300u);
  EXPECT_EQ(test.trials, 700u);
  EXPECT_EQ(test.confidence, 0.999);
  EXPECT_EQ(set.certificate->impulse_step, *scenario.sampling.impulse_step);
  EXPECT_EQ(set.certificate->max_steps, scenario.sampling.max_steps);
  EXPECT_EQ(set.certificate->epsilon, *scenario.sampling.epsilon);
  EXPECT_EQ(set.certificate->norm, scenario.sampling.norm);
  EXPECT_STREQ(law_name(set.certificate->law), "set_valued");
  EXPECT_TRUE(missing_evidence(scenario.sampling, evidence, set).empty());
}

TEST(Evidence, ThatWasStoppedIsNamedAsMissing) {
  const Scenario scenario = rocking_block(300);
  PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  add_evidence(
      scenario.problem, scenario.sampling, {}, set,
      [](const std::string& stage, std::uint64_t, std::uint64_t) { return stage == "hold-out"; });
  EXPECT_TRUE(set.certificate);
  EXPECT_EQ(missing_evidence(scenario.sampling, {}, set),
            std::vector<std::string>{"comparison laws"});
}

struct BrokenRule {
  const char* field;
  EvidenceOptions options;
};

TEST(EvidenceOptions, NameTheFieldThatBreaksARule) {
  const auto options = [](auto change) {
    EvidenceOptions changed;
    change(changed);
    return changed;
  };
  const BrokenRule rules[] = {
      {"evidence.confidence", options([](auto& o) { o.confidence = 1.0; })},
      {"evidence.confidence", options([](auto& o) { o.confidence = 0.0; })},
      {"evidence.confidence", options([](auto& o) { o.confidence = 0.49; })},
      {"evidence.miss", options([](auto& o) { o.miss = -0.1; })},
      {"evidence.miss", options([](auto& o) { o.miss = 1e-12; })},
      {"evidence.miss", options([](auto& o) { o.miss = 1.0; })},
      {"evidence.hold_out", options([](auto& o) { o.miss = 0.1, o.hold_out = 0; })},
      {"evidence.max_seconds", options([](auto& o) { o.max_seconds = -1.0; })},
      {"evidence.seek_extremes", options([](auto& o) { o.seek_extremes = -2; })},
      {"evidence.seek_extremes", options([](auto& o) { o.seek_extremes = 1001; })},
      {"evidence.net_size", options([](auto& o) { o.net_size = UINT64_MAX; })},
  };
  for (const BrokenRule& rule : rules) {
    try {
      validate(rule.options);
      ADD_FAILURE() << rule.field;
    } catch (const FieldError& error) {
      EXPECT_EQ(error.path(), rule.field);
    }
  }
  EXPECT_NO_THROW(validate(EvidenceOptions{}));
}

}  // namespace
}  // namespace carom
