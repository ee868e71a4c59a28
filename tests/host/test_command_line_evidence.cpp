#include <fmt/core.h>

#include <regex>

#include "carom/carom.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;

void expect_equal(const Certificate& one, const Certificate& other) {
  EXPECT_EQ(one.sentence(), other.sentence());
  ASSERT_EQ(one.tests.size(), other.tests.size());
  for (std::size_t j = 0; j < one.tests.size(); ++j) {
    EXPECT_EQ(one.tests[j].trajectories, other.tests[j].trajectories);
    EXPECT_EQ(one.tests[j].first, other.tests[j].first);
    EXPECT_EQ(one.tests[j].trials, other.tests[j].trials);
    EXPECT_EQ(one.tests[j].misses, other.tests[j].misses);
    EXPECT_EQ(one.tests[j].failures, other.tests[j].failures);
    EXPECT_EQ(one.tests[j].confidence, other.tests[j].confidence);
    EXPECT_EQ(one.tests[j].miss_bound, other.tests[j].miss_bound);
  }
}

TEST_F(CommandLine, TestsTheNetOnFreshTrajectories) {
  const std::string file = text_path("a.h5");
  ASSERT_EQ(run({"sample", "rocking_block", "--trajectories", "1000", "-o", file}).exit_code, 0);
  const Result result = read_result(file);
  ASSERT_TRUE(result.set.certificate);
  ASSERT_EQ(result.set.certificate->tests.size(), 1u);
  const HoldOut& test = result.set.certificate->tests[0];
  EXPECT_EQ(test.first, 1000u);
  EXPECT_EQ(test.trials, 1024u);
  const HoldOut again = hold_out(result.scenario.problem, result.scenario.sampling, result.set.net,
                                 1000, 1000, 1024, 0.999);
  EXPECT_EQ(test.misses, again.misses);
  EXPECT_EQ(test.miss_bound, again.miss_bound);
}

TEST_F(CommandLine, GrowsARunUntilTheWantedBoundHolds) {
  const std::string grown = text_path("grown.h5");
  const ProgramRun outcome = run({"sample", "rocking_block", "--trajectories", "100", "--miss",
                                  "0.02", "--confidence", "0.99", "--hold-out", "1", "-o", grown});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Result result = read_result(grown);
  const std::uint64_t count = result.set.summary.trajectories;
  EXPECT_GT(count, 100u);
  EXPECT_EQ(result.scenario.sampling.trajectories, count);
  ASSERT_TRUE(result.set.certificate);
  EXPECT_TRUE(result.set.certificate->reached);
  EXPECT_LE(result.set.certificate->tests.back().miss_bound, 0.02);

  const std::string plain = text_path("plain.h5");
  ASSERT_EQ(run({"sample", "rocking_block", "--trajectories", std::to_string(count), "-o", plain})
                .exit_code,
            0);
  const Result other = read_result(plain);
  EXPECT_EQ(result.set.summary.checksum, other.set.summary.checksum);
  EXPECT_EQ(result.set.net.index(), other.set.net.index());
  EXPECT_EQ(read_samples(grown, 0, count).velocity, read_samples(plain, 0, count).velocity);
}

TEST_F(CommandLine, ABudgetThatEndsTooEarlyIsAFailureWithAWholeFile) {
  const std::string file = text_path("a.h5");
  const ProgramRun outcome =
      run({"sample", "rocking_block", "--trajectories", "100", "--epsilon", "1e-4", "--miss",
           "0.01", "--hold-out", "1", "--max-trajectories", "2000", "-o", file});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("the budget ended before"), std::string::npos) << outcome.err;
  const Result result = read_result(file);
  EXPECT_TRUE(result.set.complete);
  ASSERT_TRUE(result.set.certificate);
  EXPECT_FALSE(result.set.certificate->reached);
}

TEST_F(CommandLine, ResumeMakesTheEvidenceAnew) {
  const std::string whole = text_path("whole.h5");
  const std::string part = text_path("part.h5");
  const auto sample = [&](const std::string& count, const std::string& file) {
    const ProgramRun outcome =
        run({"sample", "rocking_block", "--trajectories", count, "--hold-out", "500",
             "--seek-extremes", "1", "--net-size", "3", "--verify-net", "-o", file});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  };
  sample("900", whole);
  sample("300", part);
  EXPECT_EQ(read_result(part).set.certificate->tests.at(0).first, 300u);
  const ProgramRun resumed = run({"resume", part, "--trajectories", "900"});
  ASSERT_EQ(resumed.exit_code, 0);
  EXPECT_NE(resumed.err.find("had been tested before"), std::string::npos) << resumed.err;
  const PostImpactSet one = read_result(whole).set;
  const PostImpactSet other = read_result(part).set;
  EXPECT_EQ(one.net.index(), other.net.index());  // sought members, too
  EXPECT_EQ(one.net.velocity(), other.net.velocity());
  expect_equal(*one.certificate, *other.certificate);
  ASSERT_EQ(one.sought.size(), other.sought.size());
  for (std::size_t i = 0; i < one.sought.size(); ++i) {
    EXPECT_EQ(one.sought[i].objective, other.sought[i].objective);
    EXPECT_EQ(one.sought[i].velocity, other.sought[i].velocity);
    EXPECT_EQ(one.sought[i].net_distance, other.sought[i].net_distance);
  }
  EXPECT_EQ(one.selection->index, other.selection->index);
  EXPECT_EQ(one.net_check->cover, other.net_check->cover);
  EXPECT_TRUE(one.net_check->holds);
}

TEST_F(CommandLine, EveryEndIsToldWithTheSignOfItsQuantity) {
  // Without friction, the mass slides on at 0.5 m/s: both ends are that, and none has a gain.
  const std::string scenario = write("S.toml", falling_mass);
  const ProgramRun told = run({"sample", scenario, "--seek-extremes", "1"});
  EXPECT_NE(told.out.find("0 of 5 ends moved outwards"), std::string::npos) << told.out;
  const std::regex row("\n  least tangential velocity of A +0\\.5 +0\\.5 +0 ");
  EXPECT_TRUE(std::regex_search(told.out, row)) << told.out;
  const auto sought = run_json({"sample", scenario, "--seek-extremes", "1"})["evidence"]["sought"];
  EXPECT_EQ(sought[3]["objective"], "least tangential velocity of A");
  EXPECT_EQ(sought[3]["greatest"], false);
  EXPECT_EQ(sought[3]["direction"], (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(sought[3]["found"], 0.5);
  EXPECT_EQ(sought[4]["objective"], "greatest along random direction 1");
  const auto direction = sought[4]["direction"].get<std::vector<double>>();
  const std::string line = fmt::format("  random direction 1: ({:.3g}, {:.3g}) · velocity, in √J\n",
                                       direction[0], direction[1]);
  EXPECT_NE(told.out.find(line), std::string::npos) << told.out;
}

TEST_F(CommandLine, AnInterruptDuringTheEvidenceKeepsTheTrajectories) {
  const std::string file = text_path("a.h5");
  // The ten trajectories are one chunk, which is finished whenever the signal arrives.
  const pid_t child =
      start({"sample", "rocking_block", "--trajectories", "10", "--hold-out", "1e12", "-o", file});
  const ProgramRun outcome = interrupt(child, file);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("interrupted after the trajectories, without certificate"),
            std::string::npos)
      << outcome.err;
  const Result result = read_result(file);
  EXPECT_TRUE(result.set.complete);
  EXPECT_EQ(result.set.summary.trajectories, 10u);
  EXPECT_FALSE(result.set.certificate);
}

/// A result whose run was interrupted between the trajectories and the evidence.
void write_without_evidence(const std::string& file, const std::string& evidence) {
  const Scenario scenario = parse_scenario(
      "system = \"rocking_block\"\n[sampling]\ntrajectories = 200\n[evidence]\n" + evidence);
  ResultWriter writer(file, scenario);
  const auto append = [&](const SampleSet& chunk, const PostImpactSet&) {
    writer.append(chunk);
    return true;
  };
  writer.finish(post_impact_set(scenario.problem, scenario.sampling, append));
}

TEST_F(CommandLine, ResumeAddsEvidenceThatIsMissing) {
  const std::string file = text_path("a.h5");
  write_without_evidence(file, "hold_out = 300\n");
  ASSERT_FALSE(read_result(file).set.certificate);
  const ProgramRun outcome = run({"resume", file});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Result result = read_result(file);
  ASSERT_TRUE(result.set.certificate);
  EXPECT_EQ(result.set.certificate->tests.at(0).trials, 300u);
  EXPECT_EQ(result.set.summary.trajectories, 200u);
  EXPECT_FALSE(result.set.comparison.outcomes.empty());
  expect_bad_input(run({"resume", file}), "is complete");
}

TEST_F(CommandLine, ResumeGrowsARunOnAsIfItHadBegunThere) {
  const std::string file = text_path("a.h5");
  const std::string whole = text_path("whole.h5");
  write_without_evidence(file, "hold_out = 1\nmiss = 0.01\nconfidence = 0.99\n");
  EXPECT_EQ(run({"resume", file}).exit_code, 0);
  EXPECT_EQ(run({"sample", "rocking_block", "--trajectories", "200", "--hold-out", "1", "--miss",
                 "0.01", "--confidence", "0.99", "-o", whole})
                .exit_code,
            0);
  const Result one = read_result(file);
  const Result other = read_result(whole);
  EXPECT_GT(one.set.summary.trajectories, 200u);
  EXPECT_EQ(one.set.summary.checksum, other.set.summary.checksum);
  EXPECT_EQ(one.scenario.sampling.trajectories, other.scenario.sampling.trajectories);
  EXPECT_EQ(one.set.net.index(), other.set.net.index());
  ASSERT_TRUE(one.set.certificate && other.set.certificate);
  expect_equal(*one.set.certificate, *other.set.certificate);
}

TEST_F(CommandLine, AFailureOfTheEvidenceKeepsTheTrajectories) {
  const std::string file = text_path("a.h5");
  expect_bad_input(
      run({"sample", "rocking_block", "--trajectories", "50", "--net-size", "1000", "-o", file}),
      "1000");
  EXPECT_TRUE(read_result(file).set.complete);
  EXPECT_EQ(read_result(file).set.summary.trajectories, 50u);
}

TEST_F(CommandLine, NamesTheEvidenceFlagThatBreaksARule) {
  const auto refused = [&](const std::vector<std::string>& flags, const std::string& message) {
    std::vector<std::string> arguments = {"sample", "rocking_block"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expect_bad_input(run(arguments), message);
  };
  refused({"--confidence", "1"}, "--confidence is 1 (must be >= 0.5 and <= 1 - 1e-09)");
  refused({"--hold-out", "many"}, "--hold-out is \"many\" (must be an integer");
  refused({"--miss", "2"}, "--miss is 2 (must be 0, or");
  refused({"--miss", "0.1", "--hold-out", "0"}, "--hold-out is 0 (must be > 0 where miss");
  refused({"--max-seconds", "5"}, "--max-seconds is given (must be with --miss");
  refused({"--max-trajectories", "5e5"}, "--max-trajectories is given (must be with --miss");
  refused({"--seek-extremes", "some"}, "--seek-extremes is \"some\"");
  refused({"--miss", "1e-3", "--max-trajectories", "1e4"}, "max_trajectories is 10000 (must be");
}

TEST_F(CommandLine, DescribesTheoryForTheWantedEpsilon) {
  const auto coarse = run_json({"describe", "rocking_block"});
  const auto fine = run_json({"describe", "rocking_block", "--epsilon", "0.001"});
  EXPECT_EQ(fine["sampling"]["epsilon"], 0.001);
  EXPECT_GT(
      fine["theory"]["lemma_1"]["log10_trajectories"].get<double>(),
      coarse["theory"]["lemma_1"]["log10_trajectories"].get<double>() + 15.0);  // 20 dimensions
  EXPECT_GT(coarse["theory"]["theorem_8"]["lcps_within_99"].get<double>(),
            coarse["theory"]["measured"]["lcps_within_99"].get<double>());
  expect_bad_input(run({"describe", "rocking_block", "--epsilon", "-3"}), "--epsilon is -3");
  EXPECT_NE(run({"describe", "rocking_block"}).out.find("astronomically large"), std::string::npos);
}

}  // namespace
}  // namespace carom
