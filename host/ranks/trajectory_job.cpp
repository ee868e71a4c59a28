#include "host/ranks/trajectory_job.hpp"
#include "host/laws/law_list.hpp"

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
#include "host/sample_digest.hpp"

namespace carom {
namespace {

class TrajectoryWorker {
 public:
  TrajectoryWorker(const Scenario& scenario, RowShardPlan shards, const Place& place)
      : problem_(scenario.problem),
        shards_(std::move(shards)),
        options_(at_place(scenario.sampling, place)),
        sampler_(std::span(&problem_, 1), options_),
        digester_(problem_, options_, sampler_),
        net_(problem_.velocities(), options_.epsilon, net_metric(problem_, options_.norm)) {}

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

  /// Calls add(first, most), which says how many trajectories it took, until all of the order's are
  /// taken: it may be longer than the device's memory. False if a signal ended it.
  template <class Add>
  bool for_each_launch(const TrajectoryOrder& order, const Add& add) {
    for (std::uint64_t done = 0; done < order.count;) {
      if (interrupted()) return false;
      done += add(order.first + done, order.count - done);
    }
    return true;
  }

  TrajectoryDigest sample(const TrajectoryOrder& order) {
    TrajectoryDigest digest;
    digest.first = order.first;
    OutcomeModes modes(problem_);
    std::optional<RowShardWriter> shard;
    if (order.with_rows && !travels(order)) {
      shard.emplace(shards_, order.first, sampler_.row_shape());
    }
    digest.whole = for_each_launch(order, [&](std::uint64_t first, std::uint64_t most) {
      const SampleDigest part =
          order.with_rows
              ? with_rows(first, travels(order) ? most : std::min(most, sampler_.chunk()))
              : digester_.sample(first, most, net_);
      if (shard) shard->append(chunk_, 0, chunk_.size());
      digest.summary.join(part.summary);
      for (const OutcomeMode& mode : part.modes) modes.join(mode);
      append(part.open_index, digest.open_index);
      append(part.open_velocity, digest.open_velocity);
      return part.summary.trajectories;
    });
    digest.modes = modes.table();
    if (shard && digest.whole) {
      shard->finish();
    } else if (travels(order)) {
      digest.rows = std::move(chunk_);  // of one launch
    }
    return digest;
  }

  SampleDigest with_rows(std::uint64_t first, std::uint64_t count) {
    sampler_.sample(first, count, chunk_);
    return digest_rows(problem_, chunk_, net_, options_.threads);
  }

  template <class T>
  static void append(const std::vector<T>& from, std::vector<T>& to) {
    to.insert(to.end(), from.begin(), from.end());
  }

  TrialDigest test(const TrajectoryOrder& order) {
    if (!trials_) {
      SamplingOptions fresh = options_;
      fresh.law = independent(options_.law);
      if (law_options(fresh.law) == law_options(options_.law)) {
        trials_.emplace(problem_, options_, sampler_);
      } else {
        trials_.emplace(problem_, fresh);
      }
    }
    HoldOut counted;
    for_each_launch(order, [&](std::uint64_t first, std::uint64_t most) {
      const std::uint64_t before = counted.trials;
      trials_->add(first, most, net_, counted);
      return counted.trials - before;
    });
    return {counted.trials, counted.misses, counted.failures, 0.0};
  }

  ImpactProblem problem_;
  RowShardPlan shards_;
  SamplingOptions options_;
  Sampler sampler_;
  DigestSampler digester_;
  std::optional<TrialSampler> trials_;
  EpsilonNet net_;  // as far as rank 0 has told
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
