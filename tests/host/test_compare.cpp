#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "carom/carom.hpp"
#include "host/result/compare_results.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using enum ContactMode;
using test::small_scenario;

/// Writes a result whose outcomes are `velocities` (3 numbers each).
void write_outcomes(const std::filesystem::path& file, Scenario scenario,
                    const std::vector<std::vector<double>>& velocities,
                    std::optional<NetSearch> search = {}) {
  SampleSet samples = test::made_up_samples(0, velocities.size());
  for (std::size_t row = 0; row < velocities.size(); ++row) {
    samples.status[row] = Status::separated;
    std::copy(velocities[row].begin(), velocities[row].end(), &samples.velocity[3 * row]);
  }
  scenario.sampling.trajectories = velocities.size();
  PostImpactSet set = test::empty_set(scenario);
  set.net = EpsilonNet(3, *scenario.sampling.epsilon,
                       net_metric(scenario.problem, scenario.sampling.norm));
  set.modes = OutcomeModes(scenario.problem);
  set.modes.add(samples);
  ResultWriter writer(file, scenario);
  writer.append(samples);
  test::add_rows(set, scenario, samples);
  set.search = std::move(search);
  writer.finish(set);
}

class CompareResults : public testing::Test {
 protected:
  ResultComparison compare() const { return compare_results(a_, b_); }
  void expect_refused(const std::string& message) const {
    EXPECT_THAT([&] { compare(); }, ThrowsMessage<InputError>(HasSubstr(message)));
  }
  test::TemporaryFolder folder_;
  std::filesystem::path a_ = folder_.path() / "a.h5";
  std::filesystem::path b_ = folder_.path() / "b.h5";
  Scenario scenario_ = small_scenario(0);
};

TEST_F(CompareResults, FindsAResultEqualToItself) {
  write_outcomes(a_, scenario_, {{0, 0, 0}, {3, 4, 0}, {0, 0.5, 0}});
  const ResultComparison comparison = compare_results(a_, a_);
  EXPECT_TRUE(comparison.differences.empty());
  EXPECT_EQ(comparison.nets.a_to_b, 0.0);
  EXPECT_EQ(comparison.nets.b_to_a, 0.0);
  EXPECT_EQ(comparison.outcomes->a_to_b, 0.0);
  for (const ComparedMode& mode : comparison.modes) EXPECT_EQ(mode.a, mode.b);
}

TEST_F(CompareResults, OutcomesOfASearchCountToo) {
  write_outcomes(a_, scenario_, {{0, 0, 0}}, NetSearch{.members = 1, .velocity = {3, 4, 0}});
  write_outcomes(b_, scenario_, {{0, 0, 0}});
  const ResultComparison comparison = compare();
  EXPECT_EQ(comparison.outcomes->a_to_b, 5.0);
  EXPECT_EQ(comparison.outcomes->b_to_a, 0.0);
  EXPECT_EQ(comparison.a.searched, 1u);
}

TEST_F(CompareResults, MeasuresDistancesBothWaysByHand) {
  scenario_.sampling.epsilon = 0.1;
  write_outcomes(a_, scenario_, {{0, 0, 0}, {0, 0.05, 0}});  // the net has the first only
  write_outcomes(b_, scenario_, {{0, 0, 0}, {3, 4, 0}});
  const ResultComparison comparison = compare();
  EXPECT_EQ(comparison.nets.a_to_b, 0.0);
  EXPECT_EQ(comparison.nets.b_to_a, 5.0);
  EXPECT_DOUBLE_EQ(comparison.outcomes_to_net.a_to_b, 0.1);
  EXPECT_DOUBLE_EQ(comparison.outcomes_to_net.b_to_a, 5.1);
  EXPECT_DOUBLE_EQ(comparison.outcomes->a_to_b, 0.05);
  EXPECT_DOUBLE_EQ(comparison.outcomes->b_to_a, std::hypot(3.0, 3.95));
}

TEST_F(CompareResults, MeasuresInTheNormOfTheFirst) {
  // M = diag(1, 1, 0.5): a step of 2 along the third coordinate has the kinetic norm sqrt(2).
  scenario_.sampling.norm = Norm::kinetic;
  write_outcomes(a_, scenario_, {{0, 0, 0}});
  scenario_.sampling.norm = Norm::euclidean;
  write_outcomes(b_, scenario_, {{0, 0, 2}});
  ResultComparison comparison = compare();
  EXPECT_DOUBLE_EQ(comparison.nets.a_to_b, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(comparison.epsilon_b, 0.01);  // |x|_M <= |x|: the greatest mass is 1
  comparison = compare_results(b_, a_);
  EXPECT_DOUBLE_EQ(comparison.nets.a_to_b, 2.0);
  EXPECT_DOUBLE_EQ(comparison.epsilon_b, 0.01 * std::sqrt(2.0));  // |x| <= |x|_M / sqrt(0.5)
}

TEST_F(CompareResults, PutsTheModesSideBySideTheMostFrequentFirst) {
  // Normal speeds are v2 -+ v3 / 2, tangential ones v1 + v3.
  write_outcomes(a_, scenario_, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1, 0}});
  write_outcomes(b_, scenario_, {{0, 1, 0}, {1, 0, 0}});
  const ResultComparison comparison = compare();
  ASSERT_EQ(comparison.modes.size(), 3U);
  EXPECT_THAT(comparison.modes[0].contacts, ElementsAre(sticks, sticks));  // 0.75 of A
  EXPECT_EQ(comparison.modes[0].a, 3U);
  EXPECT_EQ(comparison.modes[0].b, 0U);
  EXPECT_THAT(comparison.modes[1].contacts, ElementsAre(separates, separates));  // 0.5 of B
  EXPECT_EQ(comparison.modes[1].a, 1U);
  EXPECT_EQ(comparison.modes[1].b, 1U);
  EXPECT_THAT(comparison.modes[2].contacts, ElementsAre(slides, slides));
}

TEST_F(CompareResults, LeavesOutcomesOutThatAreNotStored) {
  write_outcomes(a_, scenario_, {{0, 0, 0}});
  scenario_.storage.samples = 0;
  write_outcomes(b_, scenario_, {{1, 0, 0}});
  const ResultComparison comparison = compare();
  EXPECT_FALSE(comparison.outcomes.has_value());
  EXPECT_EQ(comparison.nets.a_to_b, 1.0);
}

TEST_F(CompareResults, RefusesAnotherMechanism) {
  write_outcomes(a_, scenario_, {{0, 0, 0}});
  scenario_.problem.mass_matrix(0, 0) = 1.5;
  write_outcomes(b_, scenario_, {{0, 0, 0}});
  expect_refused("the mass matrices of the results differ by up to 0.5");
  scenario_ = small_scenario(0);
  scenario_.problem.normal_jacobian(1, 2) = 0.25;
  write_outcomes(b_, scenario_, {{0, 0, 0}});
  expect_refused("the normal Jacobians of the results differ by up to 0.25");
  scenario_ = small_scenario(0);
  scenario_.problem.normal_jacobian.conservativeResize(1, 3);
  scenario_.problem.tangent_jacobian.conservativeResize(1, 3);
  scenario_.problem.friction.conservativeResize(1);
  scenario_.problem.contact_names = {"left"};
  SampleSet samples;
  samples.velocities = 3;
  samples.contacts = 1;
  samples.resize(1);
  scenario_.sampling.trajectories = 1;
  PostImpactSet set = test::empty_set(scenario_);
  ResultWriter writer(b_, scenario_);
  writer.append(samples);
  test::add_rows(set, scenario_, samples);
  writer.finish(set);
  expect_refused("the results have 2 and 1 contacts");
}

TEST_F(CompareResults, AcceptsRoundingOfTheMatricesAndNamesWhatElseDiffers) {
  write_outcomes(a_, scenario_, {{0, 0, 0}});
  scenario_.problem.mass_matrix(0, 0) *= 1.0 + 1e-14;
  scenario_.problem.friction(1) = 0.75;
  write_outcomes(b_, scenario_, {{0, 0, 0}});
  EXPECT_THAT(compare().differences, ElementsAre("friction is [1, 0.5] in A, [1, 0.75] in B"));
}

class CompareCommand : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    Scenario scenario = small_scenario(0);
    write_outcomes(path("a.h5"), scenario, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1, 0}});
    scenario.sampling.seed = 8;
    write_outcomes(path("b.h5"), scenario, {{0, 1, 0}, {3, 5, 0}});
  }
};

TEST_F(CompareCommand, PrintsDistancesModesAndWhatIsSampledOtherwise) {
  const ProgramRun outcome = run({"compare", text_path("a.h5"), text_path("b.h5")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text :
       {"2 members, epsilon = 0.01 (euclidean norm)",
        "A to B           1          <= 1.01                     1",
        "B to A           5          <= 5.01                     5", "left sticks, right sticks",
        "75 % ± 33", "seed is 7 in A, 8 in B", "trajectories is 4 in A, 2 in B"}) {
    EXPECT_THAT(outcome.out, HasSubstr(text));
  }
}

TEST_F(CompareCommand, NamesLawsThatDiffer) {
  const std::vector<std::string> laws = {"set_valued", "sequential", "plus"};
  for (const std::string& law : laws) {
    run_json({"sample", "rocking_block", "--trajectories", "16", "--hold-out", "0", "--law", law,
              "-o", text_path(law + ".h5")});
  }
  for (const std::string& a : laws) {
    for (const std::string& b : laws) {
      const json document = run_json({"compare", text_path(a + ".h5"), text_path(b + ".h5")});
      const std::string note = fmt::format("law is {} in A, {} in B", a, b);
      const auto notes = document["notes"].get<std::vector<std::string>>();
      EXPECT_EQ(std::ranges::count(notes, note), a == b ? 0 : 1) << note;
    }
  }
}

TEST_F(CompareCommand, PrintsTheSameAsJson) {
  const json document = run_json({"compare", text_path("a.h5"), text_path("b.h5")});
  EXPECT_EQ(document["norm"], "euclidean");
  EXPECT_EQ(document["a"]["outcomes"], 4);
  EXPECT_EQ(document["net_to_net"]["a_to_b"], 1.0);
  EXPECT_EQ(document["net_to_net"]["both"], 5.0);
  EXPECT_EQ(document["outcomes_to_net"]["b_to_a"], 5.01);
  EXPECT_EQ(document["outcomes_to_outcomes"]["b_to_a"], 5.0);
  ASSERT_EQ(document["modes"].size(), 2U);
  const json& separated = document["modes"][0];
  EXPECT_EQ(separated["contacts"], json({"separates", "separates"}));
  EXPECT_EQ(separated["a"]["count"], 1);
  EXPECT_EQ(separated["b"]["share"], 1.0);
  EXPECT_NEAR(document["modes"][1]["a"]["low"].get<double>(), wilson_interval(3, 4).low, 1e-15);
  EXPECT_THAT(document["notes"].get<std::vector<std::string>>(),
              testing::Contains("seed is 7 in A, 8 in B"));
}

TEST_F(CompareCommand, TakesExplorations) {
  run_json({"sample", "compass_gait", "-o", text_path("sampled.h5")});
  run_json({"sample", "compass_gait", "--explore", "-o", text_path("explored.h5")});
  const json document = run_json({"compare", text_path("sampled.h5"), text_path("explored.h5")});
  EXPECT_EQ(document["a"]["explored"], false);
  EXPECT_EQ(document["b"]["explored"], true);
  EXPECT_GT(document["b"]["outcomes"], 1000);
  EXPECT_GT(document["net_to_net"]["both"], 0.001);  // two epsilon-nets of one set
  EXPECT_LT(document["net_to_net"]["both"], 0.02);
  EXPECT_TRUE(document["outcomes_to_outcomes"].is_null());
  EXPECT_TRUE(document["modes"].empty());
  const auto notes = document["notes"].get<std::vector<std::string>>();
  EXPECT_THAT(notes, testing::Contains(HasSubstr("B is an exploration")));
}

TEST_F(CompareCommand, RefusesWhatIsNoResultOrAnotherMechanism) {
  expect_bad_input(run({"compare", text_path("a.h5"), text_path("none.h5")}), "none.h5");
  expect_bad_input(run({"compare", text_path("a.h5")}), "B is required");
  Scenario scenario = small_scenario(0);
  scenario.problem.mass_matrix(0, 0) = 1.5;
  write_outcomes(path("c.h5"), scenario, {{0, 0, 0}});
  expect_bad_input(run({"compare", text_path("a.h5"), text_path("c.h5")}), "mass matrices");
}

}  // namespace
}  // namespace carom
