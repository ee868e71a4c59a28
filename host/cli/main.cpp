#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "carom/error.hpp"
#include "carom/version.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/terminal.hpp"
#include "host/nearest_name.hpp"
#include "host/ranks/dataset_job.hpp"
#include "host/ranks/grid_job.hpp"
#include "host/ranks/trajectory_job.hpp"
#include "host/ranks/worker.hpp"

namespace {

using namespace carom;

constexpr const char* footer =
    "Exit codes: 0 done, 1 the run failed or was interrupted, 2 bad input.\n"
    "Example: carom sample rocking_block --trajectories 1e6 -o rocking_block.h5";

void complain(const std::string& message) {
  fmt::print(stderr, "{} {}\n", cli::Ink(STDERR_FILENO).error("carom: error:"), message);
}

/// The problem with a command line, with the nearest name for one that is not known.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const std::vector<std::string> unknown = app.remaining(true);
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || unknown.empty()) {
    return fmt::format("{} (carom {}--help tells more)", error.what(),
                       parsed.empty() ? "" : parsed.front()->get_name() + " ");
  }
  std::vector<std::string> known;
  if (parsed.empty()) {
    for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
    return fmt::format("command is \"{}\" (must be one of {}){}", unknown.front(),
                       fmt::join(known, ", "), suggestion(unknown.front(), known));
  }
  for (const CLI::Option* option : parsed.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  return fmt::format("{} is no option or argument of carom {}{} (its --help lists them)", word,
                     parsed.front()->get_name(), suggestion(word, known));
}

int run(int argc, char** argv, Crew* crew) {
  CLI::App app("Carom samples the outcomes of frictional impacts with several contacts.", "carom");
  cli::Command selected;
  cli::add_sample_command(app, selected, crew);
  cli::add_resume_command(app, selected, crew);
  cli::add_step_command(app, selected);
  cli::add_solutions_command(app, selected);
  cli::add_describe_command(app, selected);
  cli::add_systems_command(app, selected);
  cli::add_compare_command(app, selected);
  cli::add_plot_command(app, selected);
  cli::add_dataset_command(app, selected, crew);
  cli::add_grid_command(app, selected, crew);
  const std::string version_line = fmt::format("carom {}", version());
  app.set_version_flag("--version", version_line);
  app.footer(footer);
  for (CLI::App* command : app.get_subcommands({})) {
    command->set_version_flag("--version", version_line);
    command->footer(footer);
  }
  app.require_subcommand(0, 1);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (asked) return app.exit(error);  // --help, --version
    complain(explain(app, error));
    return cli::exit_bad_input;
  }
  if (!selected) {
    fmt::print(stderr, "{}", app.help());
    return cli::exit_bad_input;
  }
  return selected();
}

/// What ranks are ordered to do.
Jobs jobs() { return {trajectory_job(), dataset_job(), grid_job()}; }

/// Exit code of `work`; tells what it throws.
template <class Work>
int guarded(const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    complain(error.what());
    return cli::exit_bad_input;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::length_error&) {  // more than a vector can ever hold
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return cli::exit_run_failed;
}

/// One of many ranks: rank 0 is the program, the others do what it orders.
int run_rank(int argc, char** argv, Ranks& ranks) {
  const Jobs known = jobs();
  if (ranks.place().rank > 0) {
    serve(ranks, known);
    return cli::exit_success;
  }
  Crew crew(ranks, known);
  return guarded([&] { return run(argc, argv, &crew); });
}

}  // namespace

int main(int argc, char** argv) {
  return guarded([&] {
    const std::unique_ptr<Ranks> ranks = start_ranks(argc, argv);
    return ranks ? run_rank(argc, argv, *ranks) : run(argc, argv, nullptr);
  });
}
