#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "carom/error.hpp"
#include "host/cli/commands.hpp"

#ifndef CAROM_DATADIR
#define CAROM_DATADIR "../share/carom"
#endif

namespace carom::cli {
namespace {

namespace fs = std::filesystem;

struct PlotArguments {
  std::vector<std::string> files;
  std::string output;
  std::vector<std::string> axes;
  std::string title, paths, max_points;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string python_program() {
  if (std::string chosen = environment("CAROM_PYTHON"); !chosen.empty()) return chosen;
#ifdef CAROM_PYTHON_EXECUTABLE
  // An installed Carom may run on a machine without the Python of its build.
  std::string configured = CAROM_PYTHON_EXECUTABLE;
  if (configured.find('/') == std::string::npos || fs::exists(configured)) return configured;
#endif
  return "python3";
}

/// The folder that holds the Python package `carom`: chosen, installed, or in the source tree.
fs::path python_folder() {
  std::vector<fs::path> candidates;
  if (std::string chosen = environment("CAROM_PYTHONPATH"); !chosen.empty()) {
    candidates.emplace_back(chosen);
  } else {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    candidates.push_back((program.parent_path() / CAROM_DATADIR / "python").lexically_normal());
#ifdef CAROM_PYTHON_SOURCE
    candidates.emplace_back(CAROM_PYTHON_SOURCE);
#endif
  }
  std::string tried;
  for (const fs::path& folder : candidates) {
    if (fs::exists(folder / "carom" / "plot.py")) return folder;
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  throw RunError(fmt::format(
      "carom/plot.py was not found in {}; set CAROM_PYTHONPATH to the folder that holds it",
      tried));
}

/// Python looks for modules in the current folder first, where a user may have a queue.py of her
/// own.
constexpr const char* start_of_plot =
    "import sys; sys.path = [folder for folder in sys.path if folder]; "
    "import carom.plot; sys.exit(carom.plot.main())";

/// The environment with `folder` as the first entry of PYTHONPATH.
std::vector<std::string> child_environment(const fs::path& folder) {
  const std::string key = "PYTHONPATH=";
  std::string path = key + folder.string();
  if (std::string old = environment("PYTHONPATH"); !old.empty()) path += ":" + old;
  std::vector<std::string> variables = {path};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, key.c_str(), key.size()) != 0) variables.emplace_back(*variable);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

/// Runs a program and waits for it; returns its exit code, or 128 + signal.
int run_program(std::vector<std::string> command, std::vector<std::string> variables) {
  pid_t child = 0;
  const int error = posix_spawnp(&child, command.front().c_str(), nullptr, nullptr,
                                 pointers(command).data(), pointers(variables).data());
  if (error != 0) {
    throw RunError(
        fmt::format("cannot start {} ({}); set CAROM_PYTHON to a Python 3 with h5py "
                    "and matplotlib",
                    command.front(), std::strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw RunError(fmt::format("cannot wait for {} ({})", command.front(), std::strerror(errno)));
    }
  }
  constexpr int signal_offset = 128;  // convention of shells
  return WIFEXITED(status) ? WEXITSTATUS(status) : signal_offset + WTERMSIG(status);
}

int run_plot(const PlotArguments& arguments) {
  std::vector<std::string> command = {python_program(), "-c", start_of_plot};
  for (const std::string& file : arguments.files) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
      if (fs::is_directory(file, error)) {
        throw InputError(
            fmt::format("\"{}\" is a folder (must be a file: data sets have no "
                        "picture, and Python's carom.dataset reads them)",
                        file));
      }
      const bool missing = !error || error == std::errc::no_such_file_or_directory;
      throw InputError(
          fmt::format("result file \"{}\" does not exist (must be a file that -o of carom sample, "
                      "laws, grid or roll wrote{})",
                      file, missing ? "" : ": " + error.message()));
    }
    command.push_back(fs::absolute(file).string());  // so that no name looks like an option
  }
  if (!arguments.output.empty()) {
    command.insert(command.end(), {"-o", fs::absolute(arguments.output).string()});
  }
  // With "=", so that no value looks like an option.
  for (const std::string& pair : arguments.axes) command.push_back("--axes=" + pair);
  const std::pair<const char*, const std::string&> others[] = {
      {"--title=", arguments.title},
      {"--paths=", arguments.paths},
      {"--max-points=", arguments.max_points}};
  for (const auto& [flag, value] : others) {
    if (!value.empty()) command.push_back(flag + value);
  }
  const int code = run_program(command, child_environment(python_folder()));
  if (code == exit_success || code == exit_bad_input) return code;
  throw RunError(fmt::format("carom.plot in {} failed with exit code {}", command.front(), code));
}

}  // namespace

void add_plot_command(CommandLine& line) {
  auto arguments = std::make_shared<PlotArguments>();
  Command command = line.add(
      "plot", "Draw the post-impact sets of result files (Python with h5py and matplotlib)",
      "plot rocking_block.h5 -o rocking_block.png", [arguments] { return run_plot(*arguments); });
  command.arguments("FILE", arguments->files,
                    "result of 'carom sample' or 'carom grid', or what 'carom outcomes --json' "
                    "printed; several results of the same contacts "
                    "share one picture");
  command.output(arguments->output, "PNG",
                 "picture; default: FILE with .png, of several ONE+OTHER.png");
  command.option("--axes", arguments->axes, "X,Y",
                 "a panel, as \"normal A,normal B\" or \"tangential A,normal A\"; of motions a "
                 "coordinate; may be repeated; default: panels that suit what is drawn");
  command.option("--paths", arguments->paths, "K",
                 "draw the velocities on the way of at most this many trajectories");
  command.option("--title", arguments->title, "TEXT", "replaces the first line of the title");
  command.option("--max-points", arguments->max_points, "N", "draw at most this many outcomes");
}

}  // namespace carom::cli
