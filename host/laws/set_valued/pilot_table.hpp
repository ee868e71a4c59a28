#pragma once

#include <memory>

#include "carom/impact_problem.hpp"
#include "carom/sampler.hpp"
#include "host/modes/mode_table.hpp"
#include "kernels/laws/plan_list.hpp"

namespace carom {

/// The contact modes of Lemke's solutions along trajectories of a pilot run, most frequent first,
/// then as they were met: a function of problem, seed and what the trajectories depend on. The
/// run's own trajectories are others.
/// @param plan of this one problem, under the set-valued law
std::unique_ptr<ModeTable> find_pilot_table(const ImpactProblem& problem, SamplingPlan plan,
                                            TableInfo& info);

}  // namespace carom
