#include "carom/post_impact_set.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "carom/error.hpp"
#include "host/contact_dynamics.hpp"
#include "host/evidence/evidence.hpp"
#include "host/run_engine.hpp"
#include "host/sample_digest.hpp"
#include "kernels/launch.hpp"

namespace carom {
namespace {

/// The mode table that goes on from where `set` ends; a fresh one where nothing was sampled yet.
void continue_modes(const ImpactProblem& problem, PostImpactSet& set) {
  if (set.summary.trajectories == 0) set.modes = OutcomeModes(problem);
  if (set.modes.outcomes() == set.summary.outcomes()) return;
  throw InputError(fmt::format("the run to continue has {} outcomes by mode (must be its {})",
                               set.modes.outcomes(), set.summary.outcomes()));
}

class ThisProcess : public RunEngine {
 public:
  explicit ThisProcess(std::uint64_t kept_rows) : kept_rows_(kept_rows) {}

  PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                     PostImpactSet start, const ChunkObserver& observer) override;
  std::optional<HoldOut> test(const ImpactProblem& problem, const SamplingOptions& options,
                              const EpsilonNet& net, const HoldOutPlan& plan,
                              const StageObserver& observer) override {
    return run_hold_out(problem, options, net, plan, observer);
  }

 private:
  std::uint64_t kept_rows_;
};

PostImpactSet ThisProcess::grow(const ImpactProblem& given, const SamplingOptions& options,
                                PostImpactSet start, const ChunkObserver& observer) {
  ImpactProblem problem = given;
  validate(problem);
  const Sampler sampler(std::span(&problem, 1), options);
  PostImpactSet set = std::move(start);
  prepare_growth(problem, options, set);
  set.backend = sampler.backend();
  set.device = sampler.device_name();
  set.backend_note = sampler.backend_note();
  const TableInfo table = sampler.table();
  if (table.bases > 0) set.table = table;  // else the one that served what `start` holds, if any

  oneapi::tbb::task_arena arena(usable_threads(options.threads));
  DigestSampler digester(problem, options, sampler);
  SampleSet chunk;
  const auto add_rows = [&](std::uint64_t first, std::uint64_t count) {
    sampler.sample(first, std::min(sampler.chunk(), count), chunk);
    arena.execute([&] {
      set.net.add(chunk, options.threads);
      set.summary.add(problem, chunk);
      set.modes.add(chunk);
    });
  };
  const auto add_digest = [&](std::uint64_t first, std::uint64_t count) {
    // While the net is nearly empty most outcomes leave the device.
    constexpr std::uint64_t first_slice = std::uint64_t{1} << 14;
    const SampleDigest digest =
        digester.sample(first, std::min(std::max(first, first_slice), count), set.net);
    set.net.add(digest.open_index, digest.open_velocity, options.threads);
    set.summary.join(digest.summary);
    for (const OutcomeMode& mode : digest.modes) set.modes.join(mode);
    chunk = {};
    chunk.first = first;
  };
  bool go_on = true;
  while (go_on && set.summary.trajectories < options.trajectories) {
    const auto start_time = std::chrono::steady_clock::now();
    const std::uint64_t first = set.summary.trajectories;
    const std::uint64_t left = options.trajectories - first;
    if (!digester.stays_on_device()) {
      add_rows(first, left);
    } else if (first < kept_rows_) {
      add_rows(first, std::min(left, kept_rows_ - first));
    } else {
      add_digest(first, left);
    }
    set.summary.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_time).count();
    if (observer) go_on = observer(chunk, set);
  }
  set.complete = set.summary.trajectories >= options.trajectories;
  return set;
}

}  // namespace

std::unique_ptr<RunEngine> this_process(std::uint64_t kept_rows) {
  return std::make_unique<ThisProcess>(kept_rows);
}

void prepare_growth(const ImpactProblem& problem, const SamplingOptions& options,
                    PostImpactSet& set) {
  drop_evidence(problem, options, set);  // it was about fewer trajectories
  continue_modes(problem, set);
  set.psi = psi(problem, options.norm);
  set.final_cap = final_cap(options.epsilon, set.psi);
  // A histogram of fixed length, whatever was met so far.
  set.summary.lcp_histogram.resize(static_cast<std::size_t>(options.max_steps) + 1, 0);
}

PostImpactSet continue_post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                                       PostImpactSet start, const ChunkObserver& observer) {
  // An observer is handed every row.
  const std::uint64_t kept_rows = observer ? options.trajectories : 0;
  return this_process(kept_rows)->grow(problem, options, std::move(start), observer);
}

PostImpactSet empty_set(const ImpactProblem& problem, const SamplingOptions& options) {
  return {
      .net = EpsilonNet(problem.velocities(), options.epsilon, net_metric(problem, options.norm)),
      .summary = {},
      .modes = OutcomeModes(problem),
      .complete = false,
      .psi = 0.0,
      .final_cap = 0.0,
      .backend = Backend::cpu,
      .device = {},
      .backend_note = {},
      .table = {},
      .sought = {},
      .certificate = {},
      .comparison = {},
      .selection = {},
      .net_check = {}};
}

PostImpactSet post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                              const ChunkObserver& observer) {
  validate(options);
  return continue_post_impact_set(problem, options, empty_set(problem, options), observer);
}

}  // namespace carom
