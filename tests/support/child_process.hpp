#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace carom::test {

/// Exit code of a child that lacks the rights for its work.
inline constexpr int not_possible_here = 77;

struct Ended {
  int exit_code = -1;
  std::string said;  // on standard error, to the very end of the process
};

/// Runs `work` in a process of its own, which ends as a program does: HDF5 closes itself too.
inline Ended run_in_child(const std::function<int()>& work) {
  int ends[2] = {};
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::exit(work());
  }
  close(ends[1]);
  Ended ended;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    ended.said.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return ended;
}

/// Mounts a disk of its own, seen by this process only. @return whether that is allowed
inline bool mount_small_disk(const std::filesystem::path& folder, const char* size) {
  return unshare(CLONE_NEWNS) == 0 &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", 0, size) == 0;
}

}  // namespace carom::test
