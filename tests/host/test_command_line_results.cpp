#include <gmock/gmock.h>

#include "carom/result_io.hpp"
#include "host/files/hdf5_tools.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What must not depend on how a run was cut into pieces.
void expect_equal_results(const fs::path& one, const fs::path& other) {
  const Result a = read_result(one);
  const Result b = read_result(other);
  EXPECT_TRUE(a.set.complete);
  EXPECT_TRUE(b.set.complete);
  EXPECT_EQ(a.set.summary.trajectories, b.set.summary.trajectories);
  EXPECT_EQ(a.set.summary.checksum, b.set.summary.checksum);
  EXPECT_EQ(a.set.summary.lcp_histogram, b.set.summary.lcp_histogram);
  EXPECT_EQ(a.set.summary.energy_sum, b.set.summary.energy_sum);
  EXPECT_EQ(a.set.net.index(), b.set.net.index());
  EXPECT_EQ(a.set.net.velocity(), b.set.net.velocity());
  EXPECT_EQ(to_toml(a.scenario), to_toml(b.scenario));
  const std::uint64_t count = a.set.summary.trajectories;
  EXPECT_EQ(read_samples(one, 0, count).velocity, read_samples(other, 0, count).velocity);
}

TEST_F(CommandLine, WritesTheSameResultForEveryChunkAndThreadCount) {
  const auto sample = [&](const std::string& file, const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"sample", "rocking_block", "--trajectories", "3000",
                                          "-o",     text_path(file)};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run_json(arguments)["checksum"];
  };
  const json checksum = sample("one.h5", {"--threads", "1"});
  EXPECT_EQ(checksum, sample("two.h5", {"--threads", "2", "--chunk", "7"}));
  EXPECT_NE(checksum, sample("other.h5", {"--seed", "2"}));
}

TEST_F(CommandLine, QuietPrintsNothingWhenAllIsWell) {
  const ProgramRun outcome =
      run({"sample", "rocking_block", "--trajectories", "4096", "-q", "-o", text_path("a.h5")});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(fs::exists(path("a.h5")));
}

TEST_F(CommandLine, RefusesToOverwriteWhatIsNoResult) {
  const std::string scenario = write("falling.toml", falling_mass);
  expect_bad_input(run({"sample", scenario, "-o", scenario}), "must not overwrite");
  EXPECT_EQ(read_text(scenario), falling_mass);
  expect_bad_input(run({"sample", scenario, "-o", folder_.string()}), "folder");

  const std::string result = text_path("result.h5");
  EXPECT_EQ(run({"sample", scenario, "-o", result}).exit_code, 0);
  EXPECT_EQ(run({"sample", scenario, "-o", result}).exit_code, 0);
  const std::string other = write("other.txt", "not a result");
  expect_bad_input(run({"sample", scenario, "-o", other}), "--force overwrites it");
  EXPECT_EQ(run({"sample", scenario, "-o", other, "--force"}).exit_code, 0);
  EXPECT_TRUE(read_result(other).set.complete);
}

TEST_F(CommandLine, StoresTheRowsThatAreAskedFor) {
  const std::string file = text_path("a.h5");
  EXPECT_EQ(run({"sample", "rocking_block", "--trajectories", "500", "--samples", "20", "-o", file})
                .exit_code,
            0);
  EXPECT_EQ(read_samples(file, 0, 20).size(), 20U);
  EXPECT_EQ(read_result(file).set.summary.trajectories, 500U);
}

TEST_F(CommandLine, ResumeEqualsHavingAskedForAllAtFirst) {
  const std::string whole = text_path("whole.h5");
  const std::string part = text_path("part.h5");
  const std::string longer = text_path("longer.h5");
  const auto sample = [&](const std::string& count, const std::string& file) {
    EXPECT_EQ(run({"sample", "box_wall", "--trajectories", count, "-o", file}).exit_code, 0);
  };
  sample("1000", whole);
  sample("100", part);
  EXPECT_EQ(run({"resume", part, "--trajectories", "1000", "-o", longer}).exit_code, 0);
  expect_equal_results(whole, longer);
  EXPECT_EQ(read_result(part).set.summary.trajectories, 100U);
  EXPECT_EQ(run({"resume", part, "--trajectories", "1e3"}).exit_code, 0);
  expect_equal_results(whole, part);
}

TEST_F(CommandLine, ResumeIntoAnotherFileLeavesItsNeighboursAndLinksAlone) {
  const std::string file = text_path("a.h5");
  EXPECT_EQ(run({"sample", "rocking_block", "--trajectories", "100", "-o", file}).exit_code, 0);
  write("other.h5.resume", "somebody's");
  fs::create_symlink("real.h5", path("other.h5"));  // leads nowhere yet
  const std::string other = text_path("other.h5");
  for (const char* total : {"200", "300"}) {
    EXPECT_EQ(run({"resume", file, "--trajectories", total, "-o", other}).exit_code, 0);
    EXPECT_EQ(read_result(path("real.h5")).set.summary.trajectories, std::stoul(total));
  }
  EXPECT_TRUE(fs::is_symlink(other));
  EXPECT_EQ(read_text(path("other.h5.resume")), "somebody's");
  EXPECT_EQ(read_result(file).set.summary.trajectories, 100U);
  EXPECT_FALSE(fs::exists(path("real.h5.part")));
}

TEST_F(CommandLine, ARunWithoutAnOutcomeHasFailedAndSaysWhy) {
  // One step of at most 0.1 N·s cannot stop 2 kg m/s: all are dropped.
  const std::string scenario = write("falling.toml", falling_mass);
  const std::string file = text_path("a.h5");
  const ProgramRun sampled =
      run({"sample", scenario, "--max-steps", "1", "--impulse-step", "0.1", "-o", file});
  EXPECT_EQ(sampled.exit_code, 1);
  EXPECT_THAT(sampled.err,
              testing::HasSubstr("carom: error: no outcome: of 100 trajectories 100 still "
                                 "collided after 1 step; max_steps = "));
  EXPECT_THAT(sampled.out, testing::Not(testing::HasSubstr("Coverage")));
  EXPECT_FALSE(read_result(file).set.certificate);
  test::edit_result(file, [](hid_t opened) {
    const hdf5::Handle summary = hdf5::open_group(opened, "summary");
    const std::uint64_t counts[] = {0, 99, 1, 0, 0, 0, 0};  // one failed with a ray
    hdf5::write_array(summary, "status_counts", H5T_NATIVE_UINT64, {7}, counts);
  });
  const ProgramRun outcome = run({"resume", file, "--trajectories", "200"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err,
              testing::HasSubstr("199 still collided after 1 step, 1 had a step that was not "
                                 "solved (1 with ray)"));
  EXPECT_TRUE(read_result(file).set.complete);
}

TEST_F(CommandLine, ResumeAsksForMoreThanThereIs) {
  const std::string file = text_path("a.h5");
  EXPECT_EQ(run({"sample", "rocking_block", "--trajectories", "100", "-o", file}).exit_code, 0);
  expect_bad_input(run({"resume", file, "--trajectories", "100"}),
                   "--trajectories is 100 (must be above the 100");
  expect_bad_input(run({"resume", file}), "--trajectories is missing");
  expect_bad_input(run({"resume", text_path("none.h5"), "--trajectories", "200"}), "none.h5");
}

TEST_F(CommandLine, AnInterruptLeavesAnIncompleteFileThatResumeFinishes) {
  const std::string file = text_path("a.h5");
  // Far more than can be sampled before the signal arrives; small chunks answer it soon.
  const pid_t child = start({"sample", "rocking_block", "--trajectories", "1e12", "--samples",
                             "1000", "--chunk", "1000", "-o", file});
  const ProgramRun outcome = interrupt(child, file);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("interrupted after"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(file + ".part"));
  const Result result = read_result(file);
  EXPECT_FALSE(result.set.complete);
  const std::uint64_t done = result.set.summary.trajectories;
  EXPECT_GT(done, 0U);

  const std::string total = std::to_string(done + 1500);
  EXPECT_EQ(run({"resume", file, "--trajectories", total}).exit_code, 0);
  const json whole = run_json({"sample", "rocking_block", "--trajectories", total});
  std::ostringstream checksum;
  checksum << std::hex << read_result(file).set.summary.checksum;
  EXPECT_NE(whole["checksum"].get<std::string>().find(checksum.str()), std::string::npos);
}

/// Few trajectories are tested by few fresh ones, and more of them by more, however they came
/// about.
TEST_F(CommandLine, ResumedRunsAreTestedAsThoseAskedForAtFirst) {
  const std::string file = text_path("a.h5");
  const auto trials = [](const json& found) {
    return found["evidence"]["certificate"]["tests"].back()["trials"];
  };
  EXPECT_EQ(trials(run_json({"sample", "rocking_block", "--trajectories", "100", "-o", file})),
            1024);
  EXPECT_EQ(trials(run_json({"resume", file, "--trajectories", "2000"})), 2000);
  const json resumed = run_json({"resume", file, "--trajectories", "5000"});
  const json whole = run_json({"sample", "rocking_block", "--trajectories", "5000"});
  EXPECT_EQ(trials(resumed), 4096);
  const auto miss_bound = [](const json& found) {
    return found["evidence"]["certificate"]["miss_bound"];
  };
  EXPECT_GE(miss_bound(resumed), miss_bound(whole));  // the resumed run has been tested before
}

TEST_F(CommandLine, RefusesAnOutputNameThatLooksLikeAFlag) {
  expect_bad_input(run({"sample", "rocking_block", "-o", "--json"}), "must be a file name");
  expect_bad_input(run({"sample", "rocking_block", "-o", ""}), "must be a file name");
}

}  // namespace
}  // namespace carom
