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
#include "host/interrupt.hpp"
#include "host/ranks/at_place.hpp"
#include "host/ranks/trajectory_orders.hpp"
#include "host/result/result_layout.hpp"
#include "host/result/row_shard_writer.hpp"
#include "kernels/launch.hpp"

namespace carom {
namespace {

class TrajectoryWorker {
 public:
  TrajectoryWorker(const Scenario& scenario, RowShardPlan shards, const Place& place)
      : problem_(scenario.problem),
        shards_(std::move(shards)),
        options_(at_place(scenario.sampling, place)),
        sampler_(std::span(&problem_, 1), options_),
        net_(problem_.velocities(), options_.epsilon, net_metric(problem_, options_.norm)),
        arena_(usable_threads(options_.threads)) {}

  SamplerInfo info() const {
    return {sampler_.backend(), sampler_.device_name(), sampler_.backend_note(), sampler_.table()};
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
  /// Whether the order's rows go to rank 0.
  bool travels(const TrajectoryOrder& order) const { return order.with_rows && shards_.rows == 0; }

  /// In launches of the sampler's size, since an order may be longer than the device's memory; in
  /// one where its rows shall travel, which are few. False if a signal ended it.
  template <class Use>
  bool for_each_launch(const Sampler& sampler, const TrajectoryOrder& order, const Use& use) {
    for (std::uint64_t done = 0; done < order.count; done += chunk_.size()) {
      if (interrupted()) return false;
      const std::uint64_t most = travels(order) ? order.count : sampler.chunk();
      sampler.sample(order.first + done, std::min(most, order.count - done), chunk_);
      arena_.execute(use);
    }
    return true;
  }

  TrajectoryDigest sample(const TrajectoryOrder& order) {
    TrajectoryDigest digest;
    digest.first = order.first;
    OutcomeModes modes(problem_);
    std::optional<RowShardWriter> shard;
    if (order.with_rows && !travels(order)) {
      shard.emplace(shards_, order.first, layout::empty_samples(problem_));
    }
    digest.whole = for_each_launch(sampler_, order, [&] {
      if (shard) shard->append(chunk_, 0, chunk_.size());
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
    if (shard && digest.whole) {
      shard->finish();
    } else if (travels(order)) {
      digest.rows = std::move(chunk_);  // of one launch
    }
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
  RowShardPlan shards_;
  SamplingOptions options_;
  Sampler sampler_;
  std::optional<Sampler> fresh_;  // of trials, where they need other caps
  EpsilonNet net_;                // as far as rank 0 has told
  oneapi::tbb::task_arena arena_;
  SampleSet chunk_;
};

StartedJob start(const Bytes& setup, const Place& place) {
  std::string scenario;
  std::string folder;
  RowShardPlan shards;
  Unpacker(setup).get(scenario).get(folder).get(shards.run).get(shards.rows);
  shards.folder = folder;
  const auto worker = std::make_shared<TrajectoryWorker>(parse_scenario(scenario), shards, place);
  return {[worker](const Bytes& order) { return worker->carry_out(unpack_order(order)); },
          pack(worker->info())};
}

}  // namespace

Job trajectory_job() { return {trajectory_job_name, start}; }

Bytes trajectory_setup(const ImpactProblem& problem, const SamplingOptions& options,
                       const RowShardPlan& shards) {
  Scenario scenario;
  scenario.system = "matrices";  // numbers, not formulas: they need no library's sine
  scenario.problem = problem;
  scenario.sampling = options;
  const bool has_shards = shards.rows > 0;  // absolute() does not take an empty path
  return Packer()
      .put(to_toml(scenario))
      .put(has_shards ? std::filesystem::absolute(shards.folder).string() : std::string())
      .put(shards.run)
      .put(shards.rows)
      .take();
}

}  // namespace carom
