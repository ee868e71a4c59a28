#include <algorithm>
#include <chrono>
#include <utility>

#include "carom/error.hpp"
#include "carom/progress_bar.hpp"
#include "carom/roll_io.hpp"

namespace carom {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point moment) {
  return std::chrono::duration<double>(Clock::now() - moment).count();
}

/// Adds the rows of `more` behind those of `rollouts`.
void append(const Rollouts& more, Rollouts& rollouts) {
  if (rollouts.size() == 0) {
    rollouts = more;
    return;
  }
  for_each_rollout_column(
      [](const RolloutColumnInfo&, auto& column, const auto& added) {
        column.insert(column.end(), added.begin(), added.end());
      },
      rollouts, more);
  rollouts.complete = more.complete;
}

}  // namespace

Rollouts run_roll(const Scenario& scenario, const std::filesystem::path& file,
                  const RunControl& control, Rollouts start) {
  constexpr double parts = 20.0;  // a checkpoint takes at most this part of the time
  if (scenario.sampling.backend == Backend::cuda) {
    throw InputError("backend is cuda (must be auto or cpu: motions in time run on the CPU)");
  }
  const PlanarWorld world = world_of(scenario);
  const SamplingOptions sampling = sampling_in_time(scenario);
  const std::uint64_t wanted = scenario.roll->rollouts;
  ProgressBar bar(start.size(), wanted, control.shows_progress, "rolling");
  Rollouts all = std::move(start);
  double interval = control.checkpoint_seconds;
  for (bool stopped = false; all.size() < wanted && !stopped;) {
    const Clock::time_point begun = Clock::now();
    const std::uint64_t before = all.size();
    RollOptions options = *scenario.roll;
    options.rollouts = wanted - before;
    const auto goes_on = [&](std::uint64_t done, std::uint64_t) {
      bar.update(before + done, 0);
      stopped = control.stop && control.stop();
      return !stopped && (file.empty() || interval <= 0.0 || seconds_since(begun) < interval);
    };
    append(roll(world, sampling, options, goes_on, before), all);
    all.notes = notes_on_rollouts(sampling, all);
    const Clock::time_point ended = Clock::now();
    if (!file.empty()) write_rollouts(file, scenario, all);
    interval = std::max(control.checkpoint_seconds, parts * seconds_since(ended));
  }
  return all;
}

}  // namespace carom
