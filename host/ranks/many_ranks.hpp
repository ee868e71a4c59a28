#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "host/ranks/crew.hpp"
#include "host/result/row_shard_plan.hpp"
#include "host/run/run_engine.hpp"

namespace carom {

struct TrajectoryOrder;

/// Runs a set's trajectories on all ranks of a crew, slice by slice: each rank samples its share of
/// a slice, in the order of the ranks. Rank 0 owns the net and offers outcomes to it in the order
/// of their trajectories, as a single process does. A rank leaves out outcomes that a member known
/// to the rank covers: the member's trajectory precedes those of the rank, so the net would not
/// take these outcomes either. The remaining outcomes are a superset of the new members, so the net
/// is that of a single process.
class ManyRanks : public RunEngine {
 public:
  /// @param stored_rows number of first trajectories whose rows go to the observer, or which the
  /// ranks write to shards; a share is then one shard
  ManyRanks(Crew& crew, std::uint64_t stored_rows, RowShardPlan shards = {})
      : crew_(crew), stored_rows_(stored_rows), shards_(std::move(shards)) {}

  void begin(const ImpactProblem& problem, const SamplingOptions& options, bool other_net) override;
  bool sample(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
              std::vector<TrajectoryDigest>& digests) override;
  void begin_trials(const ImpactProblem& problem, const SamplingOptions& options) override;
  bool add_trials(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                  HoldOut& test) override;

 private:
  /// Gives an order; sets the shares and the members that the ranks do not know yet.
  std::optional<std::vector<Bytes>> ask(TrajectoryOrder order, const EpsilonNet& net);

  Crew& crew_;
  std::uint64_t stored_rows_;
  RowShardPlan shards_;
  std::uint64_t row_bytes_ = 1;
  bool begun_ = false;
  Bytes setup_;                    // that the ranks do not know yet
  std::uint64_t share_ = 0;        // trajectories of a rank in the next slice
  std::size_t known_members_ = 0;  // by all ranks
};

/// The task of each rank.
Tasks::value_type trajectory_task(const Place& place);

}  // namespace carom
