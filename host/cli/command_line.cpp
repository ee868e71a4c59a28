#include "host/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "carom/error.hpp"
#include "carom/version.hpp"
#include "host/base/nearest_name.hpp"
#include "host/base/standard_error.hpp"

namespace carom::cli {
namespace {

/// The fault of a command line, with the nearest name for an unknown name.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const std::vector<std::string> unknown = app.remaining(true);
  const bool is_success = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
  const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  const std::string text = error.what();
  const std::size_t twice = text.find(": At Most 1 required");
  if (twice != std::string::npos) {
    return fmt::format("{} is given more than once (must be once)", text.substr(0, twice));
  }
  if (!(is_success || is_extra) || unknown.empty()) {
    return fmt::format("{} (carom {}--help tells more)", text,
                       parsed.empty() ? "" : parsed.front()->get_name() + " ");
  }
  std::vector<std::string> known;
  if (parsed.empty()) {
    std::string hint;
    for (const CLI::App* command : app.get_subcommands({})) {
      known.push_back(command->get_name());
      const std::string option = "--" + unknown.front();
      if (!hint.empty() || command->get_option_no_throw(option) == nullptr) continue;
      hint = fmt::format("; {} is an option of carom {}", option, command->get_name());
    }
    return fmt::format("command is \"{}\" (must be one of {}){}", unknown.front(),
                       fmt::join(known, ", "),
                       hint.empty() ? suggestion(unknown.front(), known) : hint);
  }
  for (const CLI::Option* option : parsed.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  return fmt::format("{} is no option or argument of carom {}{} (its --help lists them)", word,
                     parsed.front()->get_name(), suggestion(word, known));
}

}  // namespace

void Command::argument(const char* name, std::string& value, const char* help) {
  app_->add_option(name, value, help)->required();
}

void Command::arguments(const char* name, std::vector<std::string>& values, const char* help) {
  app_->add_option(name, values, help)->required();
}

template <class Value>
void Command::add(const char* names, Value& value, const char* type, const char* help) {
  app_->add_option(names, value, help)->type_name(type)->group(group_);
}

void Command::option(const char* names, std::string& value, const char* type, const char* help) {
  add(names, value, type, help);
}

void Command::option(const char* names, std::optional<std::string>& value, const char* type,
                     const char* help) {
  add(names, value, type, help);
}

void Command::option(const char* names, std::vector<std::string>& values, const char* type,
                     const char* help) {
  app_->add_option(names, values, help)->type_name(type)->group(group_)->allow_extra_args(false);
}

void Command::flag(const char* names, bool& value, const char* help) {
  app_->add_flag(names, value, help)->group(group_);
}

void Command::output(std::string& file, const char* type, const char* help) {
  const auto rule = [](const std::string& name) {
    const bool likely_slip = name.empty() || name.front() == '-';
    return std::string(likely_slip ? "\"" + name + "\" (must be a file name; ./ before it allows -)"
                                   : "");
  };
  app_->add_option("-o,--output", file, help)->type_name(type)->check(rule);
}

void Command::require(const char* name) { app_->get_option(name)->required(); }

void Command::exclude(const char* name, const char* other) {
  app_->get_option(name)->excludes(app_->get_option(other));
}

CommandLine::CommandLine(const char* name, const char* description, const char* footer)
    : app_(std::make_unique<CLI::App>(description, name)), footer_(footer) {}

CommandLine::~CommandLine() = default;

Command CommandLine::add(const char* name, const char* help, const char* example, Action action) {
  CLI::App& command = *app_->add_subcommand(name, help);
  command.footer(fmt::format("{}\nExample: {} {}", footer_, app_->get_name(), example));
  command.callback([this, action = std::move(action)] { chosen_ = action; });
  return Command(command);
}

int CommandLine::run(int argc, char** argv) {
  const std::string version_line = fmt::format("carom {}", version());
  std::vector<CLI::App*> all = app_->get_subcommands({});
  app_->footer(all.front()->get_footer());
  all.push_back(app_.get());
  for (CLI::App* command : all) {
    command->set_version_flag("--version", version_line);
  }
  app_->require_subcommand(0, 1);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    const bool unknown_command = app_->get_subcommands().empty() && app_->remaining_size() > 0;
    if (asked && !unknown_command) return app_->exit(error);  // --help, --version
    throw InputError(explain(*app_, error));
  }
  if (chosen_) return chosen_();
  tell(app_->help());
  return exit_bad_input;
}

}  // namespace carom::cli
