#include "host/ranks/many_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "carom/error.hpp"
#include "host/ranks/trajectory_job.hpp"

namespace carom {
namespace {

using Clock = std::chrono::steady_clock;

// A chunk shall take long beside a message, some 0.1 ms, and short beside what one waits for.
constexpr double chunk_seconds = 0.25;
constexpr std::uint64_t first_chunk = 1024;
constexpr std::uint64_t least_chunk = 256;
constexpr std::uint64_t most_row_bytes = std::uint64_t{64} << 20;  // per message
// Chunks that may wait for an earlier one before rank 0 stops to hand out more, per worker.
constexpr std::size_t chunks_waiting = 4;

// Trajectories after which a net is good enough for orders of whole shards.
constexpr std::uint64_t shard_ramp = std::uint64_t{1} << 16;

std::size_t at(int worker) { return static_cast<std::size_t>(worker); }

}  // namespace

void ManyRanks::begin(const ImpactProblem& problem, const SamplingOptions& options) {
  known_members_.assign(at(crew_.size()), 0);
  rates_.assign(at(crew_.size()), 0.0);
  info_ =
      unpack_info(crew_.begin(trajectory_job_name, trajectory_setup(problem, options, shards_)));
}

Bytes ManyRanks::with_members(TrajectoryOrder order, int worker, const EpsilonNet& net) {
  const std::size_t known = std::exchange(known_members_[at(worker)], net.size());
  const auto from = static_cast<std::ptrdiff_t>(known);
  if (net.size() > known) {
    const auto nv = static_cast<std::ptrdiff_t>(net.velocity().size() / net.size());
    order.member_index.assign(net.index().begin() + from, net.index().end());
    order.member_velocity.assign(net.velocity().begin() + from * nv, net.velocity().end());
  }
  return pack(order);
}

std::uint64_t ManyRanks::chunk_for(int worker, std::uint64_t done, std::uint64_t left) const {
  const auto workers = static_cast<std::uint64_t>(crew_.size());
  const double rate = rates_[at(worker)];
  std::uint64_t count = first_chunk;
  if (rate > 0.0) count = static_cast<std::uint64_t>(rate * chunk_seconds);
  // While the net is nearly empty most outcomes travel; near the end all shall end together.
  count = std::min(count, std::max(first_chunk, done / workers));
  count = std::min(count, left / (2 * workers));
  return std::min(std::max(count, least_chunk), left);
}

void ManyRanks::learn_rate(int worker, std::uint64_t trajectories, double seconds) {
  constexpr double shortest = 1e-6;
  rates_[at(worker)] = static_cast<double>(trajectories) / std::max(seconds, shortest);
}

PostImpactSet ManyRanks::grow(const ImpactProblem& given, const SamplingOptions& options,
                              PostImpactSet start, const ChunkObserver& observer) {
  ImpactProblem problem = given;
  validate(problem);
  validate(options);
  PostImpactSet set = std::move(start);
  const bool loses_members = !set.sought.empty();
  prepare_growth(problem, options, set);
  if (!info_ || loses_members) begin(problem, options);
  set.backend = info_->backend;
  set.device = fmt::format("{}, {} ranks", info_->device, crew_.size());
  set.backend_note = info_->note;
  if (info_->table.bases > 0) set.table = info_->table;

  Summary& summary = set.summary;
  std::uint64_t next_first = summary.trajectories;
  std::map<std::uint64_t, TrajectoryDigest> waiting;  // for those before them
  const std::uint64_t rows_per_message = std::max(most_row_bytes / row_bytes(problem), least_chunk);
  const auto next = [&](int worker) -> std::optional<Bytes> {
    if (next_first >= options.trajectories) return std::nullopt;
    if (waiting.size() >= chunks_waiting * at(crew_.size())) return std::nullopt;
    TrajectoryOrder order;
    order.first = next_first;
    order.count = chunk_for(worker, summary.trajectories, options.trajectories - next_first);
    order.with_rows = next_first < stored_rows_;
    if (order.with_rows && shards_.rows > 0) {
      // While the net is nearly empty most outcomes travel: some short shards come first.
      const bool early = next_first < shard_ramp;
      if (!early && summary.trajectories < std::min(shard_ramp, next_first)) return std::nullopt;
      order.count =
          std::min({early ? order.count : shards_.rows, shards_.rows - next_first % shards_.rows,
                    stored_rows_ - next_first, options.trajectories - next_first});
    } else if (order.with_rows) {
      order.count = std::min({order.count, stored_rows_ - next_first, rows_per_message});
    }
    next_first += order.count;
    return with_members(std::move(order), worker, set.net);
  };

  Clock::time_point since = Clock::now();
  const auto fold = [&](const TrajectoryDigest& digest) {
    set.net.add(digest.open_index, digest.open_velocity, options.threads);
    summary.join(digest.summary);
    for (const OutcomeMode& mode : digest.modes) set.modes.join(mode);
    const Clock::time_point now = Clock::now();
    summary.seconds += std::chrono::duration<double>(now - std::exchange(since, now)).count();
    if (!observer) return true;
    const bool go_on = observer(digest.rows, set);
    since = Clock::now();  // what the observer does is not sampling
    return go_on;
  };
  const auto take = [&](int worker, const Bytes& result) {
    TrajectoryDigest digest = unpack_digest(result);
    if (!digest.whole) return false;
    learn_rate(worker, digest.summary.trajectories, digest.seconds);
    const std::uint64_t first = digest.first;
    digest.rows.first = first;
    waiting.emplace(first, std::move(digest));
    while (!waiting.empty() && waiting.begin()->first == summary.trajectories) {
      const TrajectoryDigest due = std::move(waiting.begin()->second);
      waiting.erase(waiting.begin());
      if (!fold(due)) return false;
    }
    return true;
  };
  crew_.run(next, take);
  set.complete = summary.trajectories >= options.trajectories;
  return set;
}

std::optional<HoldOut> ManyRanks::test(const ImpactProblem& given, const SamplingOptions& options,
                                       const EpsilonNet& net, const HoldOutPlan& plan,
                                       const StageObserver& observer) {
  check_hold_out(plan);
  ImpactProblem problem = given;
  validate(problem);
  if (!info_) begin(problem, options);
  HoldOut test;
  test.trajectories = plan.trajectories;
  test.first = plan.first;
  test.confidence = plan.confidence;
  std::uint64_t handed_out = 0;
  const auto next = [&](int worker) -> std::optional<Bytes> {
    if (handed_out == plan.trials) return std::nullopt;
    TrajectoryOrder order;
    order.kind = TrajectoryOrder::Kind::trial;
    order.first = plan.first + handed_out;
    order.count = chunk_for(worker, test.trials, plan.trials - handed_out);
    handed_out += order.count;
    return with_members(std::move(order), worker, net);
  };
  const auto go_on = [&] { return !observer || observer("hold-out", test.trials, plan.trials); };
  const auto take = [&](int worker, const Bytes& result) {
    const TrialDigest found = unpack_trials(result);
    learn_rate(worker, found.trials, found.seconds);
    test.trials += found.trials;
    test.misses += found.misses;
    test.failures += found.failures;
    return go_on();
  };
  if (!go_on() || !crew_.run(next, take)) return std::nullopt;
  test.miss_bound = clopper_pearson_upper(test.misses, test.trials, plan.confidence);
  return test;
}

}  // namespace carom
