#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "host/ranks/crew.hpp"
#include "host/ranks/trajectory_orders.hpp"
#include "host/result/row_shard_plan.hpp"
#include "host/run_engine.hpp"

namespace carom {

/// Runs a set's trajectories on all ranks of a crew. Rank 0 owns the net and offers it the outcomes
/// in the order of their trajectories, as one process does. Workers leave out those that a member
/// covers that they know; a member's trajectory comes before their own, so the net would not have
/// taken them either. What is left is a superset of the members: the net is that of one process.
class ManyRanks : public RunEngine {
 public:
  /// @param stored_rows rows of the first trajectories that the observer shall see, or that the
  /// ranks shall write to shards: then an order is one shard
  ManyRanks(Crew& crew, std::uint64_t stored_rows, RowShardPlan shards = {})
      : crew_(crew), stored_rows_(stored_rows), shards_(std::move(shards)) {}

  PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                     PostImpactSet start, const ChunkObserver& observer) override;
  std::optional<HoldOut> test(const ImpactProblem& problem, const SamplingOptions& options,
                              const EpsilonNet& net, const HoldOutPlan& plan,
                              const StageObserver& observer) override;

 private:
  void begin(const ImpactProblem& problem, const SamplingOptions& options);
  /// The order with the members that the worker does not know yet.
  Bytes with_members(TrajectoryOrder order, int worker, const EpsilonNet& net);
  /// Trajectories for a worker: what takes it about a quarter of a second, less at both ends of a
  /// run of which `done` are done and `left` are left.
  std::uint64_t chunk_for(int worker, std::uint64_t done, std::uint64_t left) const;
  void learn_rate(int worker, std::uint64_t trajectories, double seconds);

  Crew& crew_;
  std::uint64_t stored_rows_;
  RowShardPlan shards_;
  std::optional<SamplerInfo> info_;         // of rank 0, once the job has begun
  std::vector<std::size_t> known_members_;  // by each worker
  std::vector<double> rates_;               // trajectories per second of each worker; 0: not known
};

}  // namespace carom
