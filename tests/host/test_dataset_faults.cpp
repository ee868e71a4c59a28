#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>
#include <thread>

#include "carom/error.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/dataset_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;
using namespace test;

std::string larger_dataset(const std::string& problems) {
  return replaced(replaced(small_dataset, "problems = 10", "problems = " + problems),
                  "problems = 3", "problems = 25");
}

class DatasetFaults : public CommandLine {
 protected:
  DatasetSpec spec_of(const std::string& text) const {
    return read_dataset_spec(write("spec.toml", text));
  }
};

TEST_F(DatasetFaults, KilledAgainAndAgainItEndsAsIfItHadNotBeen) {
  const std::string spec = write("spec.toml", larger_dataset("1000"));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run({"dataset", spec, "-o", text_path("whole"), "--threads", "1"}).exit_code, 0);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;

  std::mt19937 random(20261121);
  std::uniform_real_distribution<double> part(0.02, 0.35);
  int killed_on_the_way = 0;
  constexpr int kills = 12;
  for (int i = 0; i < kills; ++i) {
    const pid_t child = start({"dataset", spec, "-o", text_path("parts"), "--threads", "1"});
    std::this_thread::sleep_for(part(random) * whole);
    kill(child, SIGKILL);
    finish(child);
    if (fs::exists(path("parts") / "spec.json") && !fs::exists(path("parts") / "index.json")) {
      ++killed_on_the_way;
    }
  }
  EXPECT_GE(killed_on_the_way, 2);
  const ProgramRun last = run({"dataset", spec, "-o", text_path("parts")});
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(bytes_of(path("parts")), bytes_of(path("whole")));
}

TEST_F(DatasetFaults, AnInterruptSaysHowItGoesOn) {
  const std::string spec = write("spec.toml", larger_dataset("20000"));
  const pid_t child = start({"dataset", spec, "-o", text_path("set"), "--threads", "1"});
  while (!fs::exists(path("set") / shard_name(1))) std::this_thread::yield();
  kill(child, SIGINT);
  const ProgramRun outcome = finish(child);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("of 800 shards; 'carom dataset " + spec + " -o " +
                                     text_path("set") + "' continues"));
  EXPECT_FALSE(fs::exists(path("set") / "index.json"));
  for (const auto& entry : fs::directory_iterator(path("set"))) {
    EXPECT_NE(entry.path().extension(), ".part");
  }
}

/// Makes a data set in a folder whose disk fills up, and prints the RunError; then, with more room,
/// goes on. Exit code 0 if that ends with the bytes of `whole`.
int generate_until_full(const DatasetSpec& spec, const fs::path& disk, const fs::path& whole) {
  try {
    generate_dataset(spec, disk / "set");
    return 1;
  } catch (const RunError& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::uint64_t finished = 0;
  for (std::uint64_t number = 0; number < spec.shards(); ++number) {
    if (find_shard(spec, number, disk / "set")) ++finished;
  }
  if (finished == 0 || fs::exists(disk / "set" / "index.json")) return 2;
  if (mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=8m") != 0) return not_possible_here;
  const DatasetSummary summary = generate_dataset(spec, disk / "set");
  if (summary.found != finished) return 3;
  return bytes_of(disk / "set") == bytes_of(whole) ? 0 : 4;
}

TEST_F(DatasetFaults, AFullDiskLosesNothingThatWasFinished) {
  const DatasetSpec spec = spec_of(larger_dataset("200"));
  generate_dataset(spec, path("whole"));
  fs::create_directory(path("disk"));
  const Ended ended = run_in_child([&] {
    if (!mount_small_disk(path("disk"), "size=256k")) return not_possible_here;
    return generate_until_full(spec, path("disk"), path("whole"));
  });
  if (ended.exit_code == not_possible_here) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(ended.exit_code, 0) << ended.said;
  EXPECT_THAT(ended.said, StartsWith("cannot write " + (path("disk") / "set/shard-").string()));
  EXPECT_THAT(ended.said, HasSubstr("of 8 shards are finished and stay"));
}

// Every limit hits another write: HDF5's, the header's or a text file's.
class DatasetSizeLimit : public DatasetFaults, public testing::WithParamInterface<int> {};

TEST_P(DatasetSizeLimit, EndsInARunErrorAndGoesOnLater) {
  const DatasetSpec spec = spec_of(small_dataset);
  generate_dataset(spec, path("whole"));
  const auto shard = fs::file_size(path("whole") / shard_name(0));
  const Ended ended = run_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t all = limit.rlim_cur;
    limit.rlim_cur = shard * static_cast<std::uintmax_t>(GetParam()) / 100;
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      generate_dataset(spec, path("set"));
      return 1;
    } catch (const RunError& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    limit.rlim_cur = all;
    setrlimit(RLIMIT_FSIZE, &limit);
    generate_dataset(spec, path("set"));
    return bytes_of(path("set")) == bytes_of(path("whole")) ? 0 : 2;
  });
  EXPECT_EQ(ended.exit_code, 0) << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("File too large"));
}

INSTANTIATE_TEST_SUITE_P(PercentOfAShard, DatasetSizeLimit, testing::Values(1, 30, 70, 99));

TEST_F(DatasetFaults, AFolderThatCannotBeWrittenIsBadInput) {
  const DatasetSpec spec = spec_of(small_dataset);
  fs::create_directory(path("locked"));
  fs::permissions(path("locked"), fs::perms::owner_read | fs::perms::owner_exec |
                                      fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  for (const char* name : {"locked", "locked/set"}) {
    const Ended ended = run_in_child([&] {
      constexpr uid_t nobody = 65534;  // root may write everywhere
      if (geteuid() == 0 && setuid(nobody) != 0) return not_possible_here;
      try {
        generate_dataset(spec, path(name));
      } catch (const InputError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 0;
      }
      return 1;
    });
    if (ended.exit_code == not_possible_here) GTEST_SKIP() << "cannot become another user";
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.said, HasSubstr("Permission denied"));
    EXPECT_THAT(ended.said, HasSubstr(text_path(name)));
  }
  fs::permissions(path("locked"), fs::perms::owner_all);
}

TEST_F(DatasetFaults, AReadOnlyDiskIsBadInputForRootToo) {
  const DatasetSpec spec = spec_of(small_dataset);
  fs::create_directory(path("disk"));
  const Ended ended = run_in_child([&] {
    if (!mount_small_disk(path("disk"), "size=1m")) return not_possible_here;
    fs::create_directory(path("disk") / "set");
    if (mount("tmpfs", path("disk").c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      return not_possible_here;
    }
    try {
      generate_dataset(spec, path("disk") / "set");
    } catch (const InputError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 0;
    }
    return 1;
  });
  if (ended.exit_code == not_possible_here) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.said, HasSubstr("writable: Read-only file system"));
}

TEST_F(DatasetFaults, TheCommandCountsInJson) {
  const std::string spec = write("spec.toml", small_dataset);
  const nlohmann::json first = run_json({"dataset", spec, "-o", text_path("set")});
  EXPECT_EQ(first["problems"], 10);
  EXPECT_EQ(first["outcomes"], 80);
  EXPECT_EQ(first["shards_found"], 0);
  EXPECT_EQ(run_json({"dataset", spec, "-o", text_path("set")})["shards_found"], 4);
  expect_bad_input(run({"dataset", spec}), "--output is required");
  expect_bad_input(run({"dataset", text_path("none.toml"), "-o", text_path("set")}),
                   "cannot open the scenario file");
}

}  // namespace
}  // namespace carom
