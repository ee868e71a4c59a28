#include <gtest/gtest.h>

#include <limits>

#include "host/laws/law_list.hpp"
#include "host/result/certificate_section.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

class CertificateSection : public ::testing::Test {
 protected:
  CertificateSection() : problem_(test::small_scenario(1).problem) {
    const std::string name = (folder_.path() / "file.h5").string();
    file_ = {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create a file"};
  }

  /// Two tests, every field set.
  static Certificate example() {
    Certificate certificate;
    certificate.epsilon = 0.01;
    certificate.confidence = 0.99;
    certificate.miss = 1e-3;
    certificate.reached = false;
    certificate.norm = Norm::kinetic;
    certificate.law = law::SetValued{parse_caps("0.7*uniform + 0.3*corners:4"), Solutions::all};
    certificate.impulse_step = 0.25;
    certificate.max_steps = 7;
    certificate.tests = {{.trajectories = 100,
                          .first = 100,
                          .trials = 50,
                          .misses = 9,
                          .failures = 2,
                          .confidence = 0.995,
                          .miss_bound = 0.3},
                         {.trajectories = 200,
                          .first = 200,
                          .trials = 5000,
                          .misses = 20,
                          .failures = 0,
                          .confidence = 1.0 - 0.01 / 6.0,
                          .miss_bound = 1.0 / 3.0}};
    return certificate;
  }

  test::TemporaryFolder folder_;
  ImpactProblem problem_;
  hdf5::Handle file_;
};

TEST_F(CertificateSection, ComesBackAsItWas) {
  const Certificate written = example();
  sections::write_certificate(file_, written);
  const std::optional<Certificate> read = sections::read_certificate(file_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sentence(), written.sentence());
  EXPECT_EQ(read->epsilon, written.epsilon);
  EXPECT_EQ(read->confidence, written.confidence);
  EXPECT_EQ(read->miss, written.miss);
  EXPECT_EQ(read->reached, written.reached);
  EXPECT_EQ(read->norm, written.norm);
  EXPECT_EQ(law_options(read->law), law_options(written.law));
  EXPECT_EQ(read->impulse_step, written.impulse_step);
  EXPECT_EQ(read->max_steps, written.max_steps);
  ASSERT_EQ(read->tests.size(), written.tests.size());
  for (std::size_t j = 0; j < written.tests.size(); ++j) {
    EXPECT_EQ(read->tests[j].trajectories, written.tests[j].trajectories);
    EXPECT_EQ(read->tests[j].first, written.tests[j].first);
    EXPECT_EQ(read->tests[j].trials, written.tests[j].trials);
    EXPECT_EQ(read->tests[j].misses, written.tests[j].misses);
    EXPECT_EQ(read->tests[j].failures, written.tests[j].failures);
    EXPECT_EQ(read->tests[j].confidence, written.tests[j].confidence);
    EXPECT_EQ(read->tests[j].miss_bound, written.tests[j].miss_bound);
  }
}

TEST_F(CertificateSection, IsReplacedOrRemovedByTheNextOne) {
  Certificate certificate = example();
  sections::write_certificate(file_, certificate);
  certificate.tests.resize(1);
  sections::write_certificate(file_, certificate);
  EXPECT_EQ(sections::read_certificate(file_)->tests.size(), 1u);
  sections::write_certificate(file_, std::nullopt);
  EXPECT_FALSE(sections::read_certificate(file_));
}

TEST_F(CertificateSection, RefusesTestsThatCannotBe) {
  const hdf5::Quiet quiet;
  for (const auto& spoil : {+[](HoldOut& test) { test.misses = test.trials + 1; },
                            +[](HoldOut& test) { test.failures = test.misses + 1; },
                            +[](HoldOut& test) { test.confidence = 1.0; },
                            +[](HoldOut& test) { test.miss_bound = 1.5; }}) {
    Certificate certificate = example();
    spoil(certificate.tests.back());
    sections::write_certificate(file_, certificate);
    EXPECT_THROW(sections::read_certificate(file_), hdf5::Error);
  }
}

TEST_F(CertificateSection, KeepsSoughtOutcomes) {
  std::vector<SoughtOutcome> written(2);
  written[0] = {.objective = "least normal velocity of left",
                .greatest = false,
                .direction = {0.0, 1.0, -0.5},
                .sampled = 1.0 / 3.0,
                .found = 0.25,
                .velocity = {0.1, 0.2, 0.3},
                .tolerance = 1e-4,
                .net_distance = 0.01,
                .evaluations = 4096};
  written[1] = {.objective = "greatest along random direction 1",
                .direction = {1.0, 0.0, 0.0},
                .sampled = -1.0,
                .found = -1.0,
                .velocity = {0.0, 0.0, 1e-17},
                .evaluations = 7};
  sections::write_sought(file_, written, problem_);
  const std::vector<SoughtOutcome> read = sections::read_sought(file_, problem_);
  ASSERT_EQ(read.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].objective, written[i].objective);
    EXPECT_EQ(read[i].greatest, written[i].greatest);
    EXPECT_EQ(read[i].direction, written[i].direction);
    EXPECT_EQ(read[i].sampled, written[i].sampled);
    EXPECT_EQ(read[i].found, written[i].found);
    EXPECT_EQ(read[i].velocity, written[i].velocity);
    EXPECT_EQ(read[i].tolerance, written[i].tolerance);
    EXPECT_EQ(read[i].gain(), written[i].gain());
    EXPECT_EQ(read[i].net_distance, written[i].net_distance);
    EXPECT_EQ(read[i].evaluations, written[i].evaluations);
  }
  sections::write_sought(file_, {}, problem_);
  EXPECT_TRUE(sections::read_sought(file_, problem_).empty());
}

TEST_F(CertificateSection, KeepsASearch) {
  NetSearch written{.lcps = 1000,
                    .outcomes = 300,
                    .members = 1,
                    .farthest = 1.0 / 3.0,
                    .islands_apart = 0.25,
                    .settled = true,
                    .velocity = {0.1, 0.2, 0.3, -1.0, 0.0, 1e-17}};
  sections::write_search(file_, written, problem_);
  const std::optional<NetSearch> read = sections::read_search(file_, problem_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->lcps, written.lcps);
  EXPECT_EQ(read->outcomes, written.outcomes);
  EXPECT_EQ(read->members, written.members);
  EXPECT_EQ(read->farthest, written.farthest);
  EXPECT_EQ(read->settled, written.settled);
  EXPECT_EQ(read->islands_apart, written.islands_apart);
  EXPECT_EQ(read->velocity, written.velocity);
  written.velocity.back() = std::numeric_limits<double>::quiet_NaN();
  sections::write_search(file_, written, problem_);
  EXPECT_THROW(sections::read_search(file_, problem_), hdf5::Error);
  sections::write_search(file_, std::nullopt, problem_);
  EXPECT_FALSE(sections::read_search(file_, problem_));
}

}  // namespace
}  // namespace carom
