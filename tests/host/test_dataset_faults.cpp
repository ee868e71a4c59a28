#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>
#include <thread>

#include "carom/dataset.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/dataset_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace test;

std::string larger_dataset(const std::string& problems) {
  return replaced(replaced(small_dataset, "problems = 10", "problems = " + problems),
                  "problems = 3", "problems = 25");
}

class DatasetFaults : public CommandLine {};

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

TEST_F(DatasetFaults, DamagedFilesAreToldAndMadeAgain) {
  const std::string spec = write("spec.toml", larger_dataset("100"));
  ASSERT_EQ(run({"dataset", spec, "-o", text_path("set")}).exit_code, 0);
  const auto whole = bytes_of(path("set"));
  fs::resize_file(path("set") / shard_name(2), 5000);
  fs::remove(path("set") / shard_name(1));
  const ProgramRun again = run({"dataset", spec, "-o", text_path("set")});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("4, 2 of them found, 1 damaged and made again"));
  EXPECT_EQ(bytes_of(path("set")), whole);
  // A specification that was damaged, and removed.
  std::ofstream(path("set") / "spec.json") << "{";
  const ProgramRun told = run({"dataset", spec, "-o", text_path("set")});
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.err, HasSubstr("its spec.json is damaged"));
  fs::remove(path("set") / "spec.json");
  EXPECT_EQ(run_json({"dataset", spec, "-o", text_path("set")})["shards_found"], 4);
  EXPECT_EQ(bytes_of(path("set")), whole);
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

TEST_F(DatasetFaults, AClosedTerminalIsAnInterruptUnlessItIsIgnored) {
  const auto before = std::signal(SIGHUP, SIG_DFL);  // the program inherits it
  const std::string spec = write("spec.toml", larger_dataset("20000"));
  const auto begin = [&](const std::string& folder) {
    const pid_t child =
        start({"dataset", spec, "-o", text_path(folder), "--threads", "1", "--json"});
    while (!fs::exists(path(folder) / shard_name(1))) std::this_thread::yield();
    return child;
  };
  pid_t child = begin("heard");
  kill(child, SIGHUP);
  const ProgramRun heard = finish(child);
  EXPECT_EQ(heard.exit_code, 1);
  EXPECT_THAT(heard.err, HasSubstr("of 800 shards; 'carom dataset " + spec));
  const auto counts = nlohmann::json::parse(heard.out);
  EXPECT_FALSE(counts["complete"]);
  EXPECT_GT(counts["shards"], 0);
  for (const char* unknown : {"problems", "skipped", "outcomes", "short_problems", "bytes"}) {
    EXPECT_TRUE(counts[unknown].is_null()) << unknown;
  }
  EXPECT_TRUE(counts["split"]["test"].is_null());

  std::signal(SIGHUP, SIG_IGN);  // as nohup does
  child = begin("ignored");
  std::signal(SIGHUP, before);
  kill(child, SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 1);
}

// As timeout(1), mpirun and batch systems send it: to the process, then to its group.
TEST_F(DatasetFaults, ASignalThatComesTwiceAtOnceIsOneRequest) {
  const std::string spec = write("spec.toml", larger_dataset("20000"));
  const pid_t child = start({"dataset", spec, "-o", text_path("set"), "--threads", "1"});
  while (!fs::exists(path("set") / shard_name(1))) std::this_thread::yield();
  kill(child, SIGTERM);
  kill(child, SIGINT);
  const ProgramRun outcome = finish(child);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("of 800 shards; 'carom dataset " + spec));
}

TEST_F(DatasetFaults, ASignalThatComesAgainOnTheWayOutIsTheSameRequest) {
  const std::string spec = write("spec.toml", larger_dataset("20000"));
  constexpr int attempts = 10;  // the way out takes milliseconds, which the second signal can miss
  for (int i = 0; i < attempts; ++i) {
    const std::string folder = "set" + std::to_string(i);
    const pid_t child = start({"dataset", spec, "-o", text_path(folder), "--threads", "1"});
    while (!fs::exists(path(folder) / shard_name(1))) std::this_thread::yield();
    kill(child, SIGTERM);
    while (read_text(path("stderr")).empty()) std::this_thread::yield();
    kill(child, SIGINT);
    const ProgramRun outcome = finish(child);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("of 800 shards; 'carom dataset " + spec));
  }
}

TEST_F(DatasetFaults, ASecondSignalLaterEndsAtOnceAndSaysSo) {
  const std::string file = text_path("stack.h5");
  const pid_t child =
      start({"sample", "disk_stack", "--trajectories", "1000000", "--chunk", "1000000", "--threads",
             "1", "--samples", "none", "--quiet", "-o", file});
  while (!fs::exists(file + ".part")) std::this_thread::yield();
  kill(child, SIGINT);  // is heard of after the chunk
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  kill(child, SIGINT);
  const ProgramRun outcome = finish(child);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("carom: ended at once by a second signal"));
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(DatasetFaults, AFullDiskLosesNothingThatWasFinished) {
  const std::string file = write("spec.toml", larger_dataset("200"));
  const std::vector<std::string> command = {"dataset", file, "-o", text_path("disk/set")};
  ASSERT_EQ(run({"dataset", file, "-o", text_path("whole")}).exit_code, 0);
  fs::create_directory(path("disk"));
  const auto work = [&] {
    if (!mount_small_disk(path("disk"), "size=256k")) return not_possible_here;
    const ProgramRun full = run(command);
    std::fprintf(stderr, "%s", full.err.c_str());
    const DatasetSpec spec = read_dataset_spec(file);
    std::uint64_t finished = 0;
    for (std::uint64_t number = 0; number < spec.shards(); ++number) {
      if (find_shard(spec, number, path("disk") / "set")) ++finished;
    }
    if (full.exit_code != 1 || finished == 0 || fs::exists(path("disk") / "set/index.json")) {
      return 1;
    }
    if (mount("tmpfs", path("disk").c_str(), "tmpfs", MS_REMOUNT, "size=8m") != 0) return 2;
    const ProgramRun resumed = run(command);
    const std::string found = "shards            8, " + std::to_string(finished) + " of them found";
    if (resumed.exit_code != 0 || resumed.out.find(found) == std::string::npos) return 3;
    return bytes_of(path("disk") / "set") == bytes_of(path("whole")) ? 0 : 4;
  };
  const Ended ended = run_in_child(work);
  if (ended.exit_code == not_possible_here) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(ended.exit_code, 0) << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("cannot write " + (path("disk") / "set/shard-").string()));
  EXPECT_THAT(ended.said, HasSubstr("of 8 shards are finished and stay"));
}

// Every limit hits another write: HDF5's, the header's or a text file's.
class DatasetSizeLimit : public DatasetFaults, public testing::WithParamInterface<int> {};

TEST_P(DatasetSizeLimit, EndsInARunErrorAndGoesOnLater) {
  const std::string file = write("spec.toml", small_dataset);
  ASSERT_EQ(run({"dataset", file, "-o", text_path("whole")}).exit_code, 0);
  const auto shard = fs::file_size(path("whole") / shard_name(0));
  rlimit all{};
  getrlimit(RLIMIT_FSIZE, &all);
  rlimit low = all;
  low.rlim_cur = shard * static_cast<std::uintmax_t>(GetParam()) / 100;
  setrlimit(RLIMIT_FSIZE, &low);  // the program inherits it
  const ProgramRun limited = run({"dataset", file, "-o", text_path("set")});
  setrlimit(RLIMIT_FSIZE, &all);
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_THAT(limited.err, HasSubstr("File too large"));
  EXPECT_EQ(run({"dataset", file, "-o", text_path("set")}).exit_code, 0);
  EXPECT_EQ(bytes_of(path("set")), bytes_of(path("whole")));
}

INSTANTIATE_TEST_SUITE_P(PercentOfAShard, DatasetSizeLimit, testing::Values(4, 30, 70, 99));

TEST_F(DatasetFaults, AFolderThatCannotBeWrittenIsBadInput) {
  const std::string spec = write("spec.toml", small_dataset);
  fs::create_directory(path("locked"));
  constexpr auto for_all = static_cast<fs::perms>(0555);  // group too: root's stays the child's
  fs::permissions(folder_, for_all | fs::perms::owner_write);
  fs::permissions(path("locked"), for_all);
  fs::permissions(spec, for_all);
  for (const char* name : {"locked", "locked/set"}) {
    const std::string folder = text_path(name);
    const Ended ended = run_in_child([&] {
      constexpr uid_t nobody = 65534;  // root may write everywhere
      if (geteuid() == 0 && setuid(nobody) != 0) return not_possible_here;
      execl(CAROM_EXECUTABLE, "carom", "dataset", spec.c_str(), "-o", folder.c_str(), nullptr);
      return errno == EACCES ? not_possible_here : 1;  // the program itself is out of reach
    });
    if (ended.exit_code == not_possible_here) GTEST_SKIP() << "cannot run as another user";
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.said, HasSubstr("data set folder is " + folder));
    EXPECT_THAT(ended.said, HasSubstr("Permission denied"));
  }
  fs::permissions(path("locked"), fs::perms::owner_all);
}

TEST_F(DatasetFaults, AReadOnlyDiskIsBadInputForRootToo) {
  const std::string spec = write("spec.toml", small_dataset);
  fs::create_directory(path("disk"));
  const Ended ended = run_in_child([&] {
    if (!mount_small_disk(path("disk"), "size=1m")) return not_possible_here;
    fs::create_directory(path("disk") / "set");
    constexpr unsigned long read_only = MS_REMOUNT | MS_RDONLY;
    if (mount("tmpfs", path("disk").c_str(), "tmpfs", read_only, nullptr) != 0) {
      return not_possible_here;
    }
    const ProgramRun refused = run({"dataset", spec, "-o", text_path("disk/set")});
    std::fprintf(stderr, "%s", refused.err.c_str());
    return refused.exit_code;
  });
  if (ended.exit_code == not_possible_here) GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(ended.exit_code, 2);
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
                   "cannot open the file");
}

}  // namespace
}  // namespace carom
