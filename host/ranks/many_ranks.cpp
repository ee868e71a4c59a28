#include "host/ranks/many_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "carom/scenario.hpp"
#include "host/base/interrupt.hpp"
#include "host/problem/step_lcp.hpp"
#include "host/result/result_layout.hpp"
#include "host/result/row_shard_writer.hpp"
#include "host/sampling/sampling_plan.hpp"

namespace carom {

/// Rank 0's order to all ranks: trajectories [first, first + count), of which each rank takes a
/// share, and the new members of the net since the last order. Members of
/// trajectories come before `first`.
struct TrajectoryOrder {
  Bytes setup = {};    ///< for a new run: the arguments of a TrajectoryWorker
  bool trial = false;  ///< test of the net: the answer is a HoldOut, else TrajectoryDigests
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t share = 0;
  std::vector<std::uint64_t> member_index = {};
  std::vector<double> member_velocity = {};
};

// Conversion of messages to bytes.

static void each_field(TrajectoryOrder& order, Archive& archive) {
  archive(order.setup, order.trial, order.first, order.count, order.share, order.member_index,
          order.member_velocity);
}

static void each_field(Summary& summary, Archive& archive) {
  layout::for_each_count(summary, [&](const char*, auto& count) { archive(count); });
  archive(summary.status_counts, summary.lcp_histogram, summary.table_hits, summary.solution_steps,
          summary.energy_units, summary.energy, summary.normal_velocity,
          summary.tangential_velocity);
}

static void each_field(OutcomeMode& mode, Archive& archive) {
  archive(mode.contacts, mode.count, mode.example, mode.example_velocity);
}

static void each_field(SampleSet& rows, Archive& archive) {
  archive(rows.first, static_cast<RowShape&>(rows));
  for_each_column([&](const ColumnInfo&, auto& column) { archive(column); }, rows);
}

static void each_field(TrajectoryDigest& digest, Archive& archive) {
  SampleDigest& counted = digest.counted;
  SamplerInfo& info = digest.info;
  archive(counted.summary, counted.modes, counted.open_index, counted.open_velocity, digest.rows,
          info.backend, info.device, info.note, info.table, info.repeated);
}

namespace {

constexpr const char* trajectories_name = "trajectories";

// A slice should take much longer than a broadcast and a gathering (about 0.5 ms), but be short for
// the user. Slices begin short and double, because most outcomes are sent while the net is nearly
// empty.
constexpr double slice_seconds = 0.25;
constexpr std::uint64_t first_share = 1024;
constexpr double least_share = 256.0;
constexpr std::uint64_t most_row_bytes = std::uint64_t{64} << 20;  // sent per slice

// Number of trajectories after which the net is good enough for shares of whole shards.
constexpr std::uint64_t shard_ramp = std::uint64_t{1} << 16;

/// A rank's part of the job.
class TrajectoryWorker {
 public:
  TrajectoryWorker(const Bytes& setup, const Place& place)
      : rank_(static_cast<std::uint64_t>(place.rank)) {
    Archive in(setup);
    const Scenario scenario = parse_scenario(in.get<std::string>());
    problem_ = scenario.problem;
    options_ = at_place(scenario.sampling, place);
    in(stored_rows_);
    shards_.folder = in.get<std::string>();
    in(shards_.run, shards_.rows);
    net_.emplace(problem_.velocities(), *options_.epsilon, net_metric(problem_, options_.norm));
    engine_ = this_process(stored_rows_);
    engine_->begin(problem_, options_, true);
  }

  Bytes carry_out(const TrajectoryOrder& order) {
    net_->restore(order.member_index, order.member_velocity);
    const std::uint64_t before = std::min(rank_ * order.share, order.count);
    const std::uint64_t count = std::min(order.share, order.count - before);
    if (order.trial) return pack(test(order.first + before, count));
    return pack(sample(order.first + before, count));
  }

 private:
  /// Works launch by launch, since a share may not fit into the device's memory. If a signal ends
  /// the share, rank 0 drops its results.
  std::vector<TrajectoryDigest> sample(std::uint64_t first, std::uint64_t count) {
    const bool stored = first < stored_rows_;
    std::optional<RowShardWriter> shard;
    if (stored && shards_.rows > 0 && count > 0) {
      shard.emplace(shards_, first, rows_of(shape_of(problem_), options_));
    }
    std::vector<TrajectoryDigest> digests;
    std::vector<TrajectoryDigest> launch;
    for (std::uint64_t done = 0; done < count;) {
      if (interrupted()) return {};
      engine_->sample(first + done, count - done, *net_, launch);
      TrajectoryDigest& next = launch.front();
      done += next.counted.summary.trajectories;
      if (shard) shard->append(next.rows, 0, next.rows.size());
      if (stored && !shard) {
        digests.push_back(std::move(next));
      } else if (digests.empty()) {
        TrajectoryDigest& joined = digests.emplace_back();
        joined.counted = std::move(next.counted);
        joined.info = next.info;
        joined.rows.first = first;
      } else {
        join(problem_, next.counted, digests.back().counted);
        digests.back().info.repeated += next.info.repeated;
      }
    }
    if (shard) shard->finish();
    return digests;
  }

  HoldOut test(std::uint64_t first, std::uint64_t count) {
    if (!std::exchange(tests_, true)) engine_->begin_trials(problem_, options_);
    HoldOut counted;
    while (counted.trials < count && !interrupted()) {
      engine_->add_trials(first + counted.trials, count - counted.trials, *net_, counted);
    }
    return counted;
  }

  std::uint64_t rank_;
  ImpactProblem problem_;
  SamplingOptions options_;
  std::uint64_t stored_rows_ = 0;
  RowShardPlan shards_;
  std::unique_ptr<RunEngine> engine_;
  std::optional<EpsilonNet> net_;  // the members that rank 0 has sent
  bool tests_ = false;
};

}  // namespace

Tasks::value_type trajectory_task(const Place& place) {
  return {trajectories_name,
          [place, worker = std::shared_ptr<TrajectoryWorker>()](const Bytes& bytes) mutable {
            const auto order = unpack<TrajectoryOrder>(bytes);
            if (!order.setup.empty())
              worker = std::make_shared<TrajectoryWorker>(order.setup, place);
            return worker->carry_out(order);
          }};
}

void ManyRanks::begin(const ImpactProblem& problem, const SamplingOptions& options,
                      bool other_net) {
  if (std::exchange(begun_, true) && !other_net) return;
  known_members_ = 0;
  share_ = first_share;
  row_bytes_ = row_bytes(rows_of(shape_of(problem), options));
  const bool has_shards = shards_.rows > 0;  // absolute() does not accept an empty path
  const std::filesystem::path folder =
      has_shards ? std::filesystem::absolute(shards_.folder) : shards_.folder;
  setup_ = pack(scenario_text(problem, options), stored_rows_, folder.string(), shards_.run,
                shards_.rows);
}

void ManyRanks::begin_trials(const ImpactProblem& problem, const SamplingOptions& options) {
  begin(problem, options, false);
}

std::optional<std::vector<Bytes>> ManyRanks::ask(TrajectoryOrder order, const EpsilonNet& net) {
  const auto ranks = static_cast<std::uint64_t>(crew_.size());
  order.setup = std::exchange(setup_, {});
  order.share = std::min(order.share, (order.count + ranks - 1) / ranks);
  order.count = std::min(order.count, order.share * ranks);
  const auto known = static_cast<std::ptrdiff_t>(std::exchange(known_members_, net.size()));
  order.member_index.assign(net.index().begin() + known, net.index().end());
  order.member_velocity.assign(net.velocity().begin() + known * net.velocity_rows().cols(),
                               net.velocity().end());
  const double share = static_cast<double>(order.share);
  const auto start = std::chrono::steady_clock::now();
  auto results = crew_.ask(trajectories_name, pack(std::move(order)));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  share_ = static_cast<std::uint64_t>(std::clamp(share * slice_seconds / seconds.count(),
                                                 least_share, 2.0 * static_cast<double>(share_)));
  return results;
}

bool ManyRanks::sample(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                       std::vector<TrajectoryDigest>& digests) {
  TrajectoryOrder order{.first = first, .count = most, .share = share_};
  if (first < stored_rows_) {
    order.count = std::min(most, stored_rows_ - first);
    if (shards_.rows > 0) {
      order.share = first < shard_ramp ? std::min(share_, shards_.rows) : shards_.rows;
    } else {
      order.count = std::min(order.count, std::max(first_share, most_row_bytes / row_bytes_));
    }
  }
  const auto results = ask(std::move(order), net);
  if (!results) return false;
  digests.clear();
  for (const Bytes& result : *results) {
    for (TrajectoryDigest& digest : unpack<std::vector<TrajectoryDigest>>(result)) {
      digest.info.device += fmt::format(", {} ranks", crew_.size());
      digests.push_back(std::move(digest));
    }
  }
  return true;
}

bool ManyRanks::add_trials(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                           HoldOut& test) {
  const auto results = ask({.trial = true, .first = first, .count = most, .share = share_}, net);
  if (!results) return false;
  for (const Bytes& result : *results) {
    const auto found = unpack<HoldOut>(result);
    test.trials += found.trials;
    test.misses += found.misses;
    test.failures += found.failures;
  }
  return true;
}

}  // namespace carom
