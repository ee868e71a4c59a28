#pragma once

#include <memory>

#include "carom/impact_problem.hpp"
#include "carom/sampler.hpp"
#include "host/modes/mode_table.hpp"
#include "kernels/laws/plan_list.hpp"

namespace carom {

/// The contact modes of Lemke's solutions along trajectories of a pilot run, most frequent first,
/// ties in the order of occurrence. The table depends only on the problem, the seed and the options
/// of the trajectories. The run's own trajectories are not those of the pilot.
/// @param plan of this one problem, under the set-valued law
std::unique_ptr<ModeTable> find_pilot_table(const ImpactProblem& problem, SamplingPlan plan,
                                            TableInfo& info);

}  // namespace carom
