// The program in a terminal that is closed: a signal, and then neither of its streams can be
// written to any more.
#include <pty.h>

#include <system_error>

#include "carom/dataset.hpp"
#include "carom/result_io.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/dataset_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;

class ClosedTerminal : public CommandLine {
 protected:
  void SetUp() override {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0) GTEST_SKIP() << "no pseudo-terminals here";
    close(terminal);
    CommandLine::SetUp();
  }
  void TearDown() override {
    if (!folder_.empty()) CommandLine::TearDown();
  }

  /// Exit code of the program whose terminal is closed some time after `begun` is there.
  int run_until(std::vector<std::string> arguments, const fs::path& begun) const {
    arguments.insert(arguments.begin(), CAROM_EXECUTABLE);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
      std::signal(SIGHUP, SIG_DFL);
      execv(CAROM_EXECUTABLE, pointers.data());
      _exit(127);
    }
    if (child < 0) throw std::system_error(errno, std::generic_category(), "forkpty");
    int status = 0;
    while (!fs::exists(begun) && waitpid(child, &status, WNOHANG) == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // its progress bar is drawn
    close(terminal);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
};

TEST_F(ClosedTerminal, ARunLeavesAFileToResume) {
  const fs::path file = path("stack.h5");
  EXPECT_EQ(run_until({"sample", "disk_stack", "--trajectories", "1e9", "--samples", "none", "-o",
                       file.string()},
                      path("stack.h5.part")),
            1);
  EXPECT_FALSE(fs::exists(path("stack.h5.part")));
  const Result result = read_result(file);
  EXPECT_FALSE(result.set.complete);
  EXPECT_GT(result.set.summary.trajectories, 0u);
}

TEST_F(ClosedTerminal, ADataSetLosesNoFinishedShard) {
  const std::string spec =
      write("spec.toml", test::replaced(test::small_dataset, "problems = 10", "problems = 60000"));
  EXPECT_EQ(run_until({"dataset", spec, "-o", text_path("set"), "--threads", "1"},
                      path("set") / shard_name(1)),
            1);
  for (const auto& entry : fs::directory_iterator(path("set"))) {
    EXPECT_NE(entry.path().extension(), ".part");
  }
}

}  // namespace
}  // namespace carom
