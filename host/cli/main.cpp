#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "carom/error.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/terminal.hpp"
#include "host/ranks/family_jobs.hpp"
#include "host/ranks/many_ranks.hpp"
#include "host/ranks/rollouts_on_ranks.hpp"
#include "host/ranks/slots_on_ranks.hpp"

namespace {

using namespace carom;

constexpr const char* footer =
    "Exit codes: 0 done, 1 the run failed or was interrupted, 2 bad input.";

void complain(const std::string& message) {
  tell(fmt::format("{} {}\n", cli::Ink(STDERR_FILENO).error("carom: error:"), message));
}

int run(int argc, char** argv, Crew* crew) {
  cli::CommandLine line(
      "carom", "Carom samples the outcomes of frictional impacts with several contacts.", footer);
  cli::add_sample_command(line, crew);
  cli::add_resume_command(line, crew);
  cli::add_step_command(line);
  cli::add_solutions_command(line);
  cli::add_describe_command(line);
  cli::add_bound_command(line);
  cli::add_laws_command(line);
  cli::add_outcomes_command(line);
  cli::add_derivative_command(line);
  cli::add_roll_command(line, crew);
  cli::add_systems_command(line);
  cli::add_compare_command(line);
  cli::add_replay_command(line);
  cli::add_plot_command(line);
  cli::add_dataset_command(line, crew);
  cli::add_grid_command(line, crew);
  return line.run(argc, argv);
}

constexpr const char* out_of_memory =
    "out of memory: what was asked for is too large (fewer trajectories or rollouts, or a larger "
    "epsilon)";

/// Exit code of `work`; prints the errors that it throws.
template <class Work>
int guarded(const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    complain(error.what());
    return cli::exit_bad_input;
  } catch (const std::bad_alloc&) {
    complain(out_of_memory);
  } catch (const std::length_error&) {  // more entries than a vector can have
    complain(out_of_memory);
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return cli::exit_run_failed;
}

/// One of many ranks: rank 0 runs the command, the others follow its orders.
int run_rank(int argc, char** argv, Ranks& ranks) {
  const Place& place = ranks.place();
  const Tasks tasks = {trajectory_task(place), grid_task(place), dataset_task(place),
                       slots_task(place), rollouts_task(place)};
  if (place.rank > 0) {
    follow(ranks, tasks);
    return cli::exit_success;
  }
  Crew crew(ranks, tasks);
  return guarded([&] { return run(argc, argv, &crew); });
}

}  // namespace

int main(int argc, char** argv) {
  // A file size limit (ulimit -f) then causes a write error, as a full disk does.
  std::signal(SIGXFSZ, SIG_IGN);
  return guarded([&] {
    const std::unique_ptr<Ranks> ranks = start_ranks(argc, argv);
    return ranks ? run_rank(argc, argv, *ranks) : run(argc, argv, nullptr);
  });
}
