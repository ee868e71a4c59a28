#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

// CLI11 reads the command line. Only one file of Carom includes CLI11, since its compilation takes
// ten seconds.
namespace carom::cli {

inline constexpr int exit_success = 0;
inline constexpr int exit_run_failed = 1;
inline constexpr int exit_bad_input = 2;

/// Runs a command after the command line is read; returns the exit code.
using Action = std::function<int()>;

/// The arguments, options and flags of one command. The variables that receive them must live until
/// the command line is read.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// A positional argument, which is required.
  void argument(const char* name, std::string& value, const char* help);
  /// A positional argument of one value or more.
  void arguments(const char* name, std::vector<std::string>& values, const char* help);
  /// @param names "-o,--output"
  /// @param type placeholder of the value in the help
  void option(const char* names, std::string& value, const char* type, const char* help);
  void option(const char* names, std::optional<std::string>& value, const char* type,
              const char* help);
  /// An option that may be repeated, with one value each time.
  void option(const char* names, std::vector<std::string>& values, const char* type,
              const char* help);
  void flag(const char* names, bool& value, const char* help);

  /// -o, --output; refuses an empty name and a name that looks like a flag.
  void output(std::string& file, const char* type, const char* help);
  /// Options and flags that are added later have this title in the help.
  void group(const char* title) { group_ = title; }
  void require(const char* name);
  void exclude(const char* name, const char* other);

 private:
  template <class Value>
  void add(const char* names, Value& value, const char* type, const char* help);

  CLI::App* app_;
  const char* group_ = "Options";
};

class CommandLine {
 public:
  CommandLine(const char* name, const char* description, const char* footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// @param example arguments of the program, the name first; the help ends with them
  Command add(const char* name, const char* help, const char* example, Action action);
  /// Runs the command of the command line. @throws InputError if the command line is not valid
  int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  std::string footer_;
  Action chosen_;
};

}  // namespace carom::cli
