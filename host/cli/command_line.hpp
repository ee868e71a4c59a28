#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

// CLI11 reads the command line. One file of Carom includes it: it takes a compiler ten seconds.
namespace carom::cli {

inline constexpr int exit_success = 0;
inline constexpr int exit_run_failed = 1;
inline constexpr int exit_bad_input = 2;

/// What a command does once the command line is read; returns the exit code.
using Action = std::function<int()>;

/// The arguments, options and flags of one command. What each is read into must live until the
/// command line has been read.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// One that is known by its place and must be given.
  void argument(const char* name, std::string& value, const char* help);
  /// @param names "-o,--output"
  /// @param type what the help calls its value
  void option(const char* names, std::string& value, const char* type, const char* help);
  void option(const char* names, std::optional<std::string>& value, const char* type,
              const char* help);
  /// One that may be repeated, with one value each time.
  void option(const char* names, std::vector<std::string>& values, const char* type,
              const char* help);
  void flag(const char* names, bool& value, const char* help);

  /// -o, --output; refuses an empty name and one that looks like a flag.
  void output(std::string& file, const char* type, const char* help);
  /// Options and flags from here on stand under this title in the help.
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

  Command add(const char* name, const char* help, Action action);
  /// Does what the command line says. @throws InputError if it says nothing that makes sense
  int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  std::string footer_;
  Action chosen_;
};

}  // namespace carom::cli
