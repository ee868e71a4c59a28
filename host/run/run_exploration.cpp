#include <algorithm>
#include <chrono>
#include <utility>

#include "carom/exploration_io.hpp"
#include "carom/progress_bar.hpp"
#include "carom/run_sampling.hpp"

namespace carom {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point moment) {
  return std::chrono::duration<double>(Clock::now() - moment).count();
}

}  // namespace

Exploration run_exploration(const Scenario& scenario, std::optional<Exploration> start,
                            const std::filesystem::path& file, const RunControl& control) {
  // A checkpoint ends the search, writes it and continues it, in at most a twentieth of the time.
  constexpr double parts = 20.0;
  const ExploreOptions& options = *scenario.explore;
  ProgressBar bar(start ? start->lcps : 0, options.budget, control.shows_progress, "exploring");
  double interval = control.checkpoint_seconds;
  bool stopped = false;
  for (Clock::time_point ended = Clock::now();;) {
    std::optional<Clock::time_point> begun;
    const auto goes_on = [&](std::uint64_t done, std::uint64_t) {
      bar.update(done, 0);
      stopped = control.stop && control.stop();
      if (!begun) {  // writing and restoring are over
        begun = Clock::now();
        interval = std::max(control.checkpoint_seconds, parts * seconds_since(ended));
      }
      const bool is_due = !file.empty() && interval > 0.0 && seconds_since(*begun) > interval;
      return !stopped && !is_due;
    };
    Exploration found =
        explore(scenario.problem, scenario.sampling, options, goes_on, std::move(start));
    ended = Clock::now();
    if (!file.empty()) write_exploration(file, scenario, found);
    if (found.complete || stopped) return found;
    start = std::move(found);
  }
}

}  // namespace carom
