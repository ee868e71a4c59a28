#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "carom/certificate.hpp"
#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "host/run/certified_set.hpp"
#include "host/run/hold_out.hpp"
#include "tests/support/random_problem.hpp"

namespace carom {
namespace {

/// P(X <= k) for X of n trials with probability p.
double binomial_tail(std::uint64_t k, std::uint64_t n, double p) {
  const boost::math::binomial_distribution<> count(static_cast<double>(n), p);
  return boost::math::cdf(count, static_cast<double>(k));
}

TEST(ClopperPearson, WithoutASuccessIsOneMinusDeltaToTheOneOverN) {
  EXPECT_NEAR(clopper_pearson_upper(0, 1, 0.95), 0.95, 1e-15);
  EXPECT_NEAR(clopper_pearson_upper(0, 10, 0.95), 1.0 - std::pow(0.05, 0.1), 1e-14);
  EXPECT_NEAR(clopper_pearson_upper(0, 4096, 0.999), 1.6850e-3, 1e-7);
}

TEST(ClopperPearson, AgreesWithPublishedIntervals) {
  // Two-sided 95 % intervals, as binom.test of R prints them, have 97.5 % on either side.
  EXPECT_NEAR(clopper_pearson_upper(10, 100, 0.975), 0.1762, 5e-5);
  EXPECT_NEAR(clopper_pearson_lower(10, 100, 0.975), 0.0490, 5e-5);
  EXPECT_NEAR(clopper_pearson_upper(5, 10, 0.975), 0.8129, 5e-5);
  EXPECT_NEAR(clopper_pearson_lower(5, 10, 0.975), 0.1871, 5e-5);
}

TEST(ClopperPearson, IsWhereSoFewSuccessesHaveProbabilityDelta) {
  const std::pair<std::uint64_t, std::uint64_t> counts[] = {
      {1, 2}, {3, 17}, {40, 50}, {7, 100'000}, {16, 50'000'000}};
  for (const auto& [successes, trials] : counts) {
    for (const double confidence : {0.5, 0.95, 0.9995}) {
      const double bound = clopper_pearson_upper(successes, trials, confidence);
      EXPECT_NEAR(binomial_tail(successes, trials, bound) / (1.0 - confidence), 1.0, 1e-6)
          << successes << " of " << trials << " at " << confidence;
      // The lower bound is the upper bound of the failures.
      EXPECT_NEAR(clopper_pearson_lower(trials - successes, trials, confidence), 1.0 - bound,
                  1e-12);
    }
  }
}

TEST(ClopperPearson, ClaimsNothingWithoutTrialsOrFailures) {
  EXPECT_EQ(clopper_pearson_upper(0, 0, 0.999), 1.0);
  EXPECT_EQ(clopper_pearson_upper(5, 5, 0.999), 1.0);
  EXPECT_EQ(clopper_pearson_lower(0, 5, 0.999), 0.0);
  EXPECT_THROW(clopper_pearson_upper(6, 5, 0.9), InputError);
  EXPECT_THROW(clopper_pearson_upper(1, 5, 1.0), InputError);
  EXPECT_THROW(clopper_pearson_upper(1, 5, 0.0), InputError);
}

TEST(TrialsWithoutMiss, IsTheLeastNumberWhoseBoundHolds) {
  EXPECT_EQ(trials_without_miss(0.05, 0.95), 59u);  // 0.95^59 = 0.0485, 0.95^58 = 0.0510
  EXPECT_EQ(trials_without_miss(0.5, 0.75), 2u);    // 0.5^2 = 0.25: exactly
  EXPECT_EQ(trials_without_miss(0.999, 0.5), 1u);
  EXPECT_GT(trials_without_miss(1e-15, 0.9), std::uint64_t{1} << 50);
  EXPECT_THROW(trials_without_miss(1e-19, 0.999), InputError);
  for (const double miss : {0.3, 1e-2, 1e-4, 1e-7}) {
    for (const double confidence : {0.9, 0.999, 0.9999995}) {
      const std::uint64_t trials = trials_without_miss(miss, confidence);
      EXPECT_LE(clopper_pearson_upper(0, trials, confidence), miss);
      if (trials > 1) {
        EXPECT_GT(clopper_pearson_upper(0, trials - 1, confidence), miss);
      }
    }
  }
  EXPECT_THROW(trials_without_miss(0.0, 0.9), InputError);
  EXPECT_THROW(trials_without_miss(1.0, 0.9), InputError);
}

TEST(TrialsWithMisses, AllowThatManyAndNoMore) {
  for (const std::uint64_t misses : {1u, 2u, 8u, 16u}) {
    const std::uint64_t trials = trials_with_misses(misses, 1e-3, 0.9995);
    EXPECT_LE(clopper_pearson_upper(misses, trials, 0.9995), 1e-3);
    EXPECT_GT(clopper_pearson_upper(misses, trials - 1, 0.9995), 1e-3);
    EXPECT_GT(clopper_pearson_upper(misses + 1, trials, 0.9995), 1e-3);
  }
}

TEST(PromisingTrials, GrowWithTheRateAndEndBelowTheWantedBound) {
  const double confidence = 0.9995;
  const auto without = promising_trials(1e-7, 1e-3, confidence);
  const auto with_some = promising_trials(2e-4, 1e-3, confidence);
  ASSERT_TRUE(without && with_some);
  EXPECT_EQ(*without, trials_without_miss(1e-3, confidence));
  EXPECT_GT(*with_some, *without);
  EXPECT_FALSE(promising_trials(9e-4, 1e-3, confidence));
  // A larger run can afford the longer test that a rate near to the bound needs.
  const auto longer = promising_trials(7e-4, 1e-3, confidence, 1'000'000);
  ASSERT_TRUE(longer);
  EXPECT_LE(*longer, 1'000'000u);
  EXPECT_GT(*longer, *with_some);
  EXPECT_FALSE(promising_trials(1e-3, 1e-3, confidence));
}

TEST(TestConfidence, SharesDeltaAmongAllTests) {
  EXPECT_DOUBLE_EQ(test_confidence(0.98, 1), 0.99);  // 0.02 / 2
  EXPECT_NEAR(test_confidence(0.98, 2), 1.0 - 0.02 / 6.0, 1e-15);
  double shares = 0.0;
  for (std::uint64_t j = 1; j <= 1000; ++j) shares += 1.0 - test_confidence(0.98, j);
  EXPECT_NEAR(shares, 0.02 * 1000.0 / 1001.0, 1e-12);
}

TEST(IndependentCaps, PutUniformInThePlaceOfSobol) {
  CapsDistribution caps;
  caps.components = {CapsComponent{}, CapsComponent{}, CapsComponent{}};
  caps.components[0].weight = 0.5;
  caps.components[1].kind = CapsKind::sobol;
  caps.components[1].weight = 0.25;
  caps.components[2].kind = CapsKind::simplex;
  const CapsDistribution drawn = std::get<law::SetValued>(independent(law::SetValued{caps})).caps;
  ASSERT_EQ(drawn.components.size(), 2u);
  EXPECT_EQ(drawn.components[0].kind, CapsKind::uniform);
  EXPECT_EQ(drawn.components[0].weight, 0.75);
  EXPECT_EQ(drawn.components[1].kind, CapsKind::simplex);
  EXPECT_FALSE(drawn.uses(CapsKind::sobol));
}

/// Rows of which a known share misses a net of the single point 0 with epsilon = 1: half of them
/// because they end at 2, half without an outcome.
SampleSet rows_that_miss(test::Random& random, std::size_t count, double miss) {
  SampleSet samples;
  samples.velocities = 1;
  samples.resize(count);
  for (std::size_t row = 0; row < count; ++row) {
    const double u = random.uniform();
    samples.velocity[row] = u < miss / 2.0 ? 2.0 : 0.5;
    samples.status[row] = u >= miss / 2.0 && u < miss ? Status::step_limit : Status::separated;
  }
  return samples;
}

EpsilonNet net_of_zero() {
  EpsilonNet net(1, 1.0);
  net.restore({0}, {0.0});
  return net;
}

TEST(CountTrials, CountsTheFarAndTheFailedAsMisses) {
  SampleSet samples;
  samples.velocities = 1;
  samples.resize(5);
  samples.velocity = {0.0, 1.0, 1.001, 0.0, std::numeric_limits<double>::max()};
  samples.status = {Status::separated, Status::separated, Status::separated, Status::ray,
                    Status::step_limit};
  HoldOut test;
  count_trials(samples, net_of_zero(), test);
  count_trials(samples, net_of_zero(), test);
  EXPECT_EQ(test.trials, 10u);
  EXPECT_EQ(test.misses, 6u);  // at epsilon exactly is not farther
  EXPECT_EQ(test.failures, 4u);
}

TEST(CountTrials, CountsEverythingAgainstAnEmptyNet) {
  SampleSet samples;
  samples.velocities = 1;
  samples.resize(3);
  HoldOut test;
  count_trials(samples, EpsilonNet(1, 1.0), test);
  EXPECT_EQ(test.misses, 3u);
  EXPECT_EQ(test.failures, 0u);
}

/// Greatest number of failures among `repetitions` that a test which fails with probability
/// `delta` shows, but for one time in a million.
double most_failures(int repetitions, double delta) {
  const double mean = repetitions * delta;
  constexpr double deviations = 4.75;  // one-sided, of a normal distribution
  return mean + deviations * std::sqrt(mean);
}

TEST(Certificate, IsWrongNoMoreOftenThanDeltaAllows) {
  test::Random random(11);
  const EpsilonNet net = net_of_zero();
  constexpr int repetitions = 4000;
  for (const double miss : {0.02, 0.1}) {
    constexpr double confidence = 0.9;
    int wrong = 0;
    for (int i = 0; i < repetitions; ++i) {
      HoldOut test;
      count_trials(rows_that_miss(random, 120, miss), net, test);
      wrong += clopper_pearson_upper(test.misses, test.trials, confidence) < miss ? 1 : 0;
    }
    EXPECT_LE(wrong, most_failures(repetitions, 1.0 - confidence)) << miss;
    EXPECT_GE(wrong, repetitions / 100) << miss << ": the check itself would not notice anything";
  }
}

// A growing run whose net never improves: every test after a failed one is another chance to be
// wrong. The miss probability is a little above the wanted bound, which is the worst case.
TEST(Certificate, OfAGrowingRunIsWrongNoMoreOftenThanDeltaAllows) {
  test::Random random(12);
  const EpsilonNet net = net_of_zero();
  constexpr int repetitions = 3000;
  constexpr double confidence = 0.8;
  constexpr double wanted = 0.1;
  constexpr double miss = 0.1001;
  int wrong = 0;
  int wrong_without_split = 0;
  for (int i = 0; i < repetitions; ++i) {
    bool reached = false;
    bool reached_without_split = false;
    for (std::uint64_t j = 1; j <= 6; ++j) {
      HoldOut test;
      count_trials(rows_that_miss(random, 100, miss), net, test);
      const double share = test_confidence(confidence, j);
      reached = reached || clopper_pearson_upper(test.misses, test.trials, share) <= wanted;
      reached_without_split = reached_without_split ||
                              clopper_pearson_upper(test.misses, test.trials, confidence) <= wanted;
    }
    wrong += reached ? 1 : 0;
    wrong_without_split += reached_without_split ? 1 : 0;
  }
  EXPECT_LE(wrong, most_failures(repetitions, 1.0 - confidence));
  EXPECT_GE(wrong, repetitions / 100);
  // That the split is needed: without it, many more runs claim what is not so.
  EXPECT_GT(wrong_without_split, most_failures(repetitions, 1.0 - confidence));
}

Certificate example() {
  Certificate certificate;
  certificate.epsilon = 0.01;
  certificate.confidence = 0.999;
  certificate.law = law::SetValued{.caps = CapsDistribution{}, .solutions = Solutions::all};
  certificate.impulse_step = 0.3;
  certificate.max_steps = 10;
  certificate.tests.push_back({.trajectories = 16384,
                               .first = 16384,
                               .trials = 4096,
                               .confidence = 0.999,
                               .miss_bound = clopper_pearson_upper(0, 4096, 0.999)});
  return certificate;
}

TEST(CertificateSentence, SaysWhatIsClaimedAndUnderWhat) {
  EXPECT_EQ(example().sentence(),
            "With confidence 99.9 %, a new trajectory (caps uniform, solutions all, h = 0.3 N·s, N "
            "= 10) ends farther than epsilon = 0.01 (Euclidean norm) from the net, or without an "
            "outcome, with probability at most 1.7e-03 (0 misses in 4096 fresh trajectories). This "
            "bounds probability mass under these draws; it does not bound how far the last unseen "
            "outcome lies.");
}

TEST(CertificateSentence, RoundsTheBoundUpwards) {
  Certificate certificate = example();
  certificate.tests[0].miss_bound = 1.61e-3;  // 1.6e-03 would claim too much
  EXPECT_NE(certificate.sentence().find("at most 1.7e-03"), std::string::npos);
  certificate.tests[0].miss_bound = 9.91e-4;
  EXPECT_NE(certificate.sentence().find("at most 1.0e-03"), std::string::npos);
  certificate.tests[0].miss_bound = 1.0;
  EXPECT_NE(certificate.sentence().find("at most 1 ("), std::string::npos);
}

TEST(CertificateSentence, TellsFailuresAndABoundThatWasNotReached) {
  Certificate certificate = example();
  certificate.miss = 1e-4;
  certificate.reached = false;
  certificate.norm = Norm::kinetic;
  certificate.tests.push_back(certificate.tests.front());
  certificate.tests.back().misses = 3;
  certificate.tests.back().failures = 1;
  const std::string text = certificate.sentence();
  for (const char* part : {"(kinetic norm)",
                           "(3 misses, 1 of them without an outcome, in 4096 fresh trajectories; "
                           "test 2 of a growing run",
                           "The wanted bound, 0.0001, was not reached."}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(Certificate{}.sentence(),
            "Nothing is claimed: no fresh trajectory has tested the net.");
}

}  // namespace
}  // namespace carom
