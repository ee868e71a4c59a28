#include "host/run/run_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "carom/error.hpp"
#include "host/base/clock.hpp"
#include "host/laws/law_list.hpp"
#include "host/run/evidence.hpp"

namespace carom {
namespace {

/// The mode counts of `set`, to be continued; new ones if there are no trajectories yet.
void continue_modes(const ImpactProblem& problem, PostImpactSet& set) {
  if (set.summary.trajectories == 0) set.modes = OutcomeModes(problem);
  if (set.modes.outcomes() == set.summary.outcomes()) return;
  throw InputError(fmt::format("the run to continue has {} outcomes by mode (must be its {})",
                               set.modes.outcomes(), set.summary.outcomes()));
}

class ThisProcess : public RunEngine {
 public:
  explicit ThisProcess(std::uint64_t kept_rows) : kept_rows_(kept_rows) {}

 private:
  struct Sampling {
    Sampling(const ImpactProblem& its_problem, const SamplingOptions& options)
        : problem(its_problem),
          sampler(std::span(&problem, 1), options),
          digester(problem, options, sampler) {}

    ImpactProblem problem;
    Sampler sampler;
    DigestSampler digester;
  };

  void begin(const ImpactProblem& problem, const SamplingOptions& options,
             bool /*other_net*/) override {
    trials_.reset();
    sampling_ = std::make_unique<Sampling>(problem, options);
  }

  bool sample(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
              std::vector<TrajectoryDigest>& digests) override {
    digests.resize(1);
    auto& [counted, rows, info] = digests.front();
    const Sampler& sampler = sampling_->sampler;
    DigestSampler& digester = sampling_->digester;
    const std::uint64_t repeated_before = sampler.repeated_trajectories();
    if (digester.stays_on_device() && first >= kept_rows_) {
      // While the net is nearly empty, most outcomes are copied from the device.
      constexpr std::uint64_t first_slice = std::uint64_t{1} << 14;
      counted = digester.sample(first, std::min(most, std::max(first, first_slice)), net);
      rows = {};
      rows.first = first;
    } else {
      if (digester.stays_on_device()) most = std::min(most, kept_rows_ - first);
      counted = digester.sample_rows(first, std::min(most, sampler.chunk()), net, rows);
    }
    info = {sampler.backend(), sampler.device_name(), sampler.backend_note(), sampler.table(),
            sampler.repeated_trajectories() - repeated_before};
    return true;
  }

  void begin_trials(const ImpactProblem& problem, const SamplingOptions& options) override {
    SamplingOptions fresh = options;
    fresh.law = independent(options.law);
    trial_problem_ = problem;
    if (sampling_ && law_options(fresh.law) == law_options(options.law)) {
      trials_.emplace(trial_problem_, options, sampling_->sampler);
    } else {
      trials_.emplace(trial_problem_, fresh);
    }
  }

  bool add_trials(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                  HoldOut& test) override {
    trials_->add(first, most, net, test);
    return true;
  }

  std::uint64_t kept_rows_;
  std::unique_ptr<Sampling> sampling_;
  ImpactProblem trial_problem_;
  std::optional<TrialSampler> trials_;
};

}  // namespace

PostImpactSet RunEngine::grow(const ImpactProblem& problem, const SamplingOptions& options,
                              PostImpactSet set, const ChunkObserver& observer) {
  const std::size_t members = set.net.size();
  drop_evidence(problem, options, set);
  const bool loses_members = set.net.size() < members;
  continue_modes(problem, set);
  Summary& summary = set.summary;
  std::vector<TrajectoryDigest> digests;
  begin(problem, options, loses_members);
  bool go_on = true;
  while (go_on && summary.trajectories < options.trajectories) {
    Clock::time_point since = Clock::now();
    const std::uint64_t left = options.trajectories - summary.trajectories;
    go_on = sample(summary.trajectories, left, set.net, digests);
    for (auto digest = digests.begin(); go_on && digest != digests.end(); ++digest) {
      const auto& [counted, rows, info] = *digest;
      set.backend = info.backend;
      set.device = info.device;
      set.backend_note = info.note;
      set.repeated_on_cpu += info.repeated;
      // Keeps the information about the table that `start` used.
      if (info.table.bases > 0) set.table = info.table;
      set.net.add(counted.open_index, counted.open_velocity, options.threads);
      summary.join(counted.summary);
      for (const OutcomeMode& mode : counted.modes) set.modes.join(mode);
      summary.seconds += seconds_since(since);
      if (observer) go_on = observer(rows, set);
      since = Clock::now();  // the observer's time is not sampling time
    }
  }
  set.complete = summary.trajectories >= options.trajectories;
  return set;
}

std::optional<HoldOut> RunEngine::test(const ImpactProblem& problem, const SamplingOptions& options,
                                       const EpsilonNet& net, const HoldOutPlan& plan,
                                       const StageObserver& observer) {
  check_hold_out(plan);
  HoldOut test;
  test.trajectories = plan.trajectories;
  test.first = plan.first;
  test.confidence = plan.confidence;
  const auto go_on = [&] { return !observer || observer("hold-out", test.trials, plan.trials); };
  begin_trials(problem, options);
  while (go_on()) {
    const std::uint64_t left = plan.trials - test.trials;
    if (left == 0) {
      test.miss_bound = clopper_pearson_upper(test.misses, test.trials, plan.confidence);
      return test;
    }
    if (!add_trials(plan.first + test.trials, left, net, test)) break;
  }
  return std::nullopt;
}

std::unique_ptr<RunEngine> this_process(std::uint64_t kept_rows) {
  return std::make_unique<ThisProcess>(kept_rows);
}

}  // namespace carom
