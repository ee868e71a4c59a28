#pragma once

#include <cstdint>

#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Trajectory `trajectory` of a problem under any law, prepared for it alone, on the calling
/// thread; with Solutions::all, a step's solutions can have another order than in a run. Steps and
/// epsilon that are not stated are those of a single trajectory.
/// @throws InputError if the problem or an option breaks a rule
SampleSet sample_one(const ImpactProblem& problem, SamplingOptions options,
                     std::uint64_t trajectory);

}  // namespace carom
