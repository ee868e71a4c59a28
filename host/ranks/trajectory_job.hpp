#pragma once

#include "carom/sampling_options.hpp"
#include "host/ranks/job.hpp"
#include "host/result/row_shard_plan.hpp"

namespace carom {

inline constexpr const char* trajectory_job_name = "trajectories";

/// The job of a set's trajectories: orders and results are those of trajectory_orders.hpp.
Job trajectory_job();
/// @param shards where workers write the rows of orders that have rows; none: they send them
Bytes trajectory_setup(const ImpactProblem& problem, const SamplingOptions& options,
                       const RowShardPlan& shards);

}  // namespace carom
