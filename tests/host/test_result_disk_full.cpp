#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>

#include "carom/error.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace test;

/// Writes a result until that fails; prints the RunError, then checks that what was there before
/// is still whole, and that the process can go on and write another one.
int write_until_full(const fs::path& file, std::uint64_t trajectories, const fs::path& elsewhere,
                     const std::function<void()>& make_full) {
  write_result(file, small_scenario(10), 10);
  int failures = 0;
  try {
    Scenario scenario = small_scenario(trajectories);
    ResultWriter writer(file, scenario);
    make_full();
    PostImpactSet set = empty_set(scenario);
    write_rows(writer, set, scenario, trajectories, 1000);
  } catch (const RunError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ++failures;
  }
  const bool part_left = fs::exists(file.string() + ".part");
  const bool old_whole = read_result(file).set.summary.trajectories == 10;
  write_result(elsewhere, small_scenario(10), 10);
  const bool goes_on = read_result(elsewhere).set.summary.trajectories == 10;
  return failures == 1 && !part_left && old_whole && goes_on ? 0 : 1;
}

TEST(FullDisk, EndsInARunErrorWithTheReasonAndAProcessThatGoesOn) {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  const auto work = [&] {
    if (!mount_small_disk(folder.path(), "size=1m")) return not_possible_here;
    const auto fill = [&] {
      std::ofstream rest(folder.path() / "rest");
      const std::string block(4096, 'x');
      while (rest.write(block.data(), 4096).flush()) {
      }
    };
    return write_until_full(folder.path() / "r.h5", 3000, elsewhere.path() / "r.h5", fill);
  };
  const Ended ended = run_in_child(work);
  if (ended.exit_code == not_possible_here) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(ended.exit_code, 0) << ended.said;
  EXPECT_EQ(ended.said,
            "cannot write " + (folder.path() / "r.h5").string() + ": No space left on device\n");
}

TEST(FullDisk, IsForeseenFromTheSizeOfTheRows) {
  const TemporaryFolder folder;
  const auto work = [&] {
    if (!mount_small_disk(folder.path(), "size=200k")) return not_possible_here;
    try {
      ResultWriter(folder.path() / "r.h5", small_scenario(100'000));
    } catch (const RunError& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    return fs::is_empty(folder.path()) ? 0 : 1;
  };
  const Ended ended = run_in_child(work);
  if (ended.exit_code == not_possible_here) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.said, HasSubstr("bytes (0.2 MiB) free"));
}

// Every limit hits another write: within the rows, the net, the summary or while closing.
class FileSizeLimit : public testing::TestWithParam<int> {};

TEST_P(FileSizeLimit, EndsInARunErrorWithTheReasonAndAProcessThatGoesOn) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "r.h5";
  const auto work = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    write_result(folder.path() / "whole.h5", small_scenario(20'000), 20'000);
    const auto whole = fs::file_size(folder.path() / "whole.h5");
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const auto set_limit = [&](rlim_t bytes) {
      limit.rlim_cur = bytes;
      setrlimit(RLIMIT_FSIZE, &limit);
    };
    const auto share = static_cast<std::uintmax_t>(GetParam());
    return write_until_full(file, 20'000, folder.path() / "other.h5", [&] {
      set_limit(std::max<rlim_t>(whole * share / 100, 100'000));  // others must still fit
    });
  };
  const Ended ended = run_in_child(work);
  EXPECT_EQ(ended.exit_code, 0) << ended.said;
  EXPECT_EQ(ended.said, "cannot write " + file.string() + ": File too large\n");
}

INSTANTIATE_TEST_SUITE_P(PercentOfTheFile, FileSizeLimit, testing::Values(1, 30, 60, 90, 97, 99));

TEST(UnwritableFolder, IsAnInputErrorBeforeSampling) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec |
                                     fs::perms::others_read | fs::perms::others_exec);
  const Ended ended = run_in_child([&] {
    constexpr uid_t nobody = 65534;  // root may write everywhere
    if (geteuid() == 0 && setuid(nobody) != 0) return not_possible_here;
    try {
      ResultWriter(folder.path() / "r.h5", small_scenario(10));
    } catch (const InputError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 0;
    }
    return 1;
  });
  fs::permissions(folder.path(), fs::perms::owner_all);
  if (ended.exit_code == not_possible_here) GTEST_SKIP() << "cannot become another user";
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.said, HasSubstr("(its folder must be writable: Permission denied)"));
}

}  // namespace
}  // namespace carom
