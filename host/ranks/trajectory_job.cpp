#include "host/ranks/trajectory_job.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "carom/scenario.hpp"
#include "host/evidence/hold_out.hpp"
#include "host/ranks/at_place.hpp"
#include "host/ranks/trajectory_orders.hpp"
#include "kernels/launch.hpp"

namespace carom {
namespace {

class TrajectoryWorker {
 public:
  TrajectoryWorker(const Scenario& scenario, const Place& place)
      : problem_(scenario.problem),
        options_(at_place(scenario.sampling, place)),
        sampler_(std::span(&problem_, 1), options_),
        net_(problem_.velocities(), options_.epsilon, net_metric(problem_, options_.norm)),
        arena_(usable_threads(options_.threads)) {}

  SamplerInfo info() const {
    return {sampler_.backend(), sampler_.device_name(), sampler_.backend_note(), sampler_.table(),
            sampler_.chunk()};
  }

  Bytes carry_out(const TrajectoryOrder& order) {
    net_.restore(order.member_index, order.member_velocity);
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    if (order.kind == TrajectoryOrder::Kind::trial) {
      TrialDigest trials = test(order);
      trials.seconds = seconds();
      return pack(trials);
    }
    TrajectoryDigest digest = sample(order);
    digest.seconds = seconds();
    return pack(digest);
  }

 private:
  /// In launches of the sampler's size: an order may be longer than the device's memory.
  template <class Use>
  void for_each_launch(const Sampler& sampler, const TrajectoryOrder& order, const Use& use) {
    for (std::uint64_t done = 0; done < order.count; done += chunk_.size()) {
      sampler.sample(order.first + done, std::min(sampler.chunk(), order.count - done), chunk_);
      arena_.execute(use);
    }
  }

  TrajectoryDigest sample(const TrajectoryOrder& order) {
    TrajectoryDigest digest;
    digest.first = order.first;
    OutcomeModes modes(problem_);
    for_each_launch(sampler_, order, [&] {
      digest.summary.join(summarize(problem_, chunk_));
      modes.add(chunk_);
      const auto nv = static_cast<std::size_t>(chunk_.velocities);
      for (const std::size_t row : net_.uncovered(chunk_, options_.threads)) {
        const double* velocity = &chunk_.velocity[row * nv];
        digest.open_index.push_back(chunk_.first + row);
        digest.open_velocity.insert(digest.open_velocity.end(), velocity, velocity + nv);
      }
    });
    digest.modes = modes.table();
    if (order.with_rows) digest.rows = std::move(chunk_);  // of one launch
    return digest;
  }

  TrialDigest test(const TrajectoryOrder& order) {
    const CapsDistribution caps = independent_caps(options_.caps);
    if (!fresh_ && to_text(caps) != to_text(options_.caps)) {
      SamplingOptions fresh = options_;
      fresh.caps = caps;
      fresh_.emplace(std::span(&problem_, 1), fresh);
    }
    HoldOut counted;
    for_each_launch(fresh_ ? *fresh_ : sampler_, order,
                    [&] { count_trials(chunk_, net_, counted); });
    return {counted.trials, counted.misses, counted.failures, 0.0};
  }

  ImpactProblem problem_;
  SamplingOptions options_;
  Sampler sampler_;
  std::optional<Sampler> fresh_;  // of trials, where they need other caps
  EpsilonNet net_;                // as far as rank 0 has told
  oneapi::tbb::task_arena arena_;
  SampleSet chunk_;
};

StartedJob start(const Bytes& setup, const Place& place) {
  std::string scenario;
  Unpacker(setup).get(scenario);
  const auto worker = std::make_shared<TrajectoryWorker>(parse_scenario(scenario), place);
  return {[worker](const Bytes& order) { return worker->carry_out(unpack_order(order)); },
          pack(worker->info())};
}

}  // namespace

Job trajectory_job() { return {trajectory_job_name, start}; }

Bytes trajectory_setup(const ImpactProblem& problem, const SamplingOptions& options) {
  Scenario scenario;
  scenario.system = "matrices";  // numbers, not formulas: they need no library's sine
  scenario.problem = problem;
  scenario.sampling = options;
  return Packer().put(to_toml(scenario)).take();
}

}  // namespace carom
