#pragma once

#include <cstdint>
#include <vector>

#include "carom/sample_set.hpp"
#include "carom/sampling_options.hpp"
#include "kernels/impact/worlds_plan.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

/// Runs worlds [first, first + count) of a plan in host memory into rows 0, 1, ... of `out`, on the
/// calling thread. Worlds that no program of kernels/impact takes are prepared as by sample().
/// @param options of the plan, of a run of one trajectory
void run_on_host(const SamplingOptions& options, const WorldsPlan& plan, std::uint64_t first,
                 std::uint64_t count, const SampleView& out);

/// The row of a world of a plan, prepared as by sample(), with its active contacts alone.
/// @param contacts their numbers
/// @throws InputError if the world breaks a rule
SampleSet sample_world(const SamplingOptions& options, const WorldsPlan& plan, std::uint64_t index,
                       std::vector<int>& contacts);

}  // namespace carom
