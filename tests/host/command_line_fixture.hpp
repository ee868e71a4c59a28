#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace carom {

/// What a finished program left.
struct ProgramRun {
  int exit_code = -1;
  std::string out;
  std::string err;
};

inline std::string read_text(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Runs the real program in a folder of its own.
class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "carom_cli_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::string text_path(const std::string& name) const { return path(name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return text_path(name);
  }

  pid_t start(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), CAROM_EXECUTABLE);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    const std::string out = text_path("stdout");
    const std::string err = text_path("stderr");
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), flags, 0600);
    pid_t child = -1;
    EXPECT_EQ(posix_spawn(&child, CAROM_EXECUTABLE, &files, nullptr, pointers.data(), environ), 0);
    posix_spawn_file_actions_destroy(&files);
    return child;
  }

  ProgramRun finish(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(path("stdout")),
            read_text(path("stderr"))};
  }

  ProgramRun run(const std::vector<std::string>& arguments) const {
    return finish(start(arguments));
  }

  /// Sends SIGINT to a run as soon as it has begun to write `file`.
  ProgramRun interrupt(pid_t child, const std::string& file) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!std::filesystem::exists(file + ".part") &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    const bool begun = std::filesystem::exists(file + ".part");
    kill(child, begun ? SIGINT : SIGKILL);
    ProgramRun outcome = finish(child);
    EXPECT_TRUE(begun) << "no result was begun: " << outcome.err;
    return outcome;
  }

  nlohmann::json run_json(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    const ProgramRun outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }

  std::filesystem::path folder_;
};

// A point mass that falls at 1 m/s on one contact without friction: it stops or it does not.
inline constexpr const char* falling_mass = R"(
system = "matrices"
[problem]
mass_matrix = [[2.0, 0.0], [0.0, 2.0]]
normal_jacobian = [[0.0, 1.0]]
tangent_jacobian = [[1.0, 0.0]]
friction = [0.0]
pre_impact_velocity = [0.5, -1.0]
[sampling]
trajectories = 100
impulse_step = 1.0
epsilon = 0.01
)";

inline void expect_bad_input(const ProgramRun& outcome, const std::string& message) {
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
}

}  // namespace carom
