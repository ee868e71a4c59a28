#include <algorithm>
#include <utility>

#include "carom/error.hpp"
#include "carom/progress_bar.hpp"
#include "carom/roll_io.hpp"
#include "host/base/clock.hpp"
#include "host/files/output_lock.hpp"

namespace carom {
Rollouts run_roll(const Scenario& scenario, const std::filesystem::path& file,
                  const RunControl& control, Rollouts start, RollPart part) {
  constexpr double parts = 20.0;  // a checkpoint takes at most this part of the time
  check_motion(scenario);
  const OutputLock lock(file);
  const std::uint64_t wanted = scenario.roll->rollouts;
  if (!part) {
    part = [&](std::uint64_t first, std::uint64_t count, const SampleObserver& observer) {
      RollOptions options = *scenario.roll;
      options.rollouts = count;
      return roll(scenario, options, observer, first);
    };
  }
  ProgressBar bar(start.size(), wanted, control.shows_progress, "rolling");
  bar.update(start.size(), 0);
  Rollouts all = std::move(start);
  double interval = control.checkpoint_seconds;
  for (bool stopped = false; all.size() < wanted && !stopped;) {
    const Clock::time_point begun = Clock::now();
    const std::uint64_t before = all.size();
    bool pauses = false;
    const auto goes_on = [&](std::uint64_t done, std::uint64_t) {
      bar.update(before + done, 0);
      if (control.stop && control.stop()) return false;
      pauses = !file.empty() && interval > 0.0 && seconds_since(begun) >= interval;
      return !pauses;
    };
    append(part(before, wanted - before, goes_on), all);
    stopped = !all.complete && !pauses;
    const Clock::time_point ended = Clock::now();
    all.notes = notes_on_rollouts(scenario, all);
    if (!file.empty()) write_rollouts(file, scenario, all);
    interval = std::max(control.checkpoint_seconds, parts * seconds_since(ended));
  }
  return all;
}

}  // namespace carom
