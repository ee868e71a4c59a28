#include <algorithm>
#include <utility>

#include "carom/exploration_io.hpp"
#include "carom/progress_bar.hpp"
#include "host/base/clock.hpp"
#include "host/evidence/bound_check.hpp"
#include "host/files/output_lock.hpp"
#include "host/run/run_exploration.hpp"
#include "host/sampling/observed_stages.hpp"

namespace carom {
namespace {

/// The bound that the scenario asks for, if any, and nothing has stopped the run.
std::optional<BoundCheck> bound_of(const Scenario& scenario, const RunControl& control) {
  if (!scenario.evidence.bound) return std::nullopt;
  SamplingOptions none = scenario.sampling;
  none.trajectories = 0;
  std::optional<ProgressBar> bar;
  try {
    return check_bound(scenario.problem, none, *scenario.evidence.bound, scenario.evidence.outputs,
                       [&](const std::string&, std::uint64_t done, std::uint64_t total) {
                         if (!bar) bar.emplace(done, total, control.shows_progress, "proof");
                         bar->update(done, 0);
                         return !control.stop || !control.stop();
                       });
  } catch (const StageStopped&) {
    return std::nullopt;
  }
}

/// The steps that lead to an outcome.
std::uint64_t steps_of(const Scenario& scenario, const Exploration& found,
                       const ExplorationOrigin& origin) {
  const std::vector<double> script = found.script(origin);
  if (found.most_repeats == 1) return script.size() / found.step_size;
  std::uint64_t steps = 0;
  for (const ReplayedStep& step : replay(scenario.problem, scenario.sampling, script)) {
    steps += step.repeats;
  }
  return steps;
}

/// Compares members and ends with the bound, but for those of more steps than it holds for.
void compare(const Scenario& scenario, const BoundCheck& bound, Exploration& found) {
  const ImpactProblem& problem = scenario.problem;
  const double allowance = bound_allowance(problem);
  found.bound = bound;
  const auto add = [&](const double* velocity, const ExplorationOrigin& origin) {
    if (bound.bound.status == BoundStatus::n_steps &&
        steps_of(scenario, found, origin) > static_cast<std::uint64_t>(bound.bound.steps)) {
      return;
    }
    found.bound->add({velocity, 1, problem.velocities()}, allowance);
  };
  const RowMatrixView members = found.net.velocity_rows();
  for (std::size_t i = 0; i < found.origins.size(); ++i) {
    add(members.row(static_cast<Eigen::Index>(i)).data(), found.origins[i]);
  }
  for (const ExploredEnd& end : found.ends) add(end.velocity.data(), end.origin);
  if (const auto note = note_on(*found.bound)) found.notes.push_back(*note);
}

}  // namespace

Exploration run_exploration(const Scenario& scenario, std::optional<Exploration> start,
                            const std::filesystem::path& file, const RunControl& control) {
  return run_exploration(scenario, std::move(start), file, control, {});
}

Exploration run_exploration(const Scenario& scenario, std::optional<Exploration> start,
                            const std::filesystem::path& file, const RunControl& control,
                            const RunSlots& run) {
  // A checkpoint ends the search, writes it and continues it, in at most a twentieth of the time.
  constexpr double parts = 20.0;
  ExploreOptions options = *scenario.explore;
  options.outputs = scenario.evidence.outputs;
  const OutputLock lock(file);
  double interval = control.checkpoint_seconds;
  bool stopped = false;
  const std::optional<BoundCheck> bound = bound_of(scenario, control);
  ProgressBar bar(start ? start->lcps : 0, options.budget, control.shows_progress, "exploring");
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
    Exploration found = explore(scenario.problem, scenario.sampling, options, goes_on,
                                std::move(start), bound ? &bound->bound : nullptr, run);
    if (bound) compare(scenario, *bound, found);
    ended = Clock::now();
    if (!file.empty()) write_exploration(file, scenario, found);
    if (found.complete || stopped || (control.stop && control.stop())) return found;
    start = std::move(found);
  }
}

}  // namespace carom
