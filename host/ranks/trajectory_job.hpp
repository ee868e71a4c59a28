#pragma once

#include "carom/sampling_options.hpp"
#include "host/ranks/job.hpp"

namespace carom {

inline constexpr const char* trajectory_job_name = "trajectories";

/// The job of a set's trajectories: orders and results are those of trajectory_orders.hpp.
Job trajectory_job();
Bytes trajectory_setup(const ImpactProblem& problem, const SamplingOptions& options);

}  // namespace carom
