#pragma once

#include <optional>

#include "carom/epsilon_net.hpp"
#include "carom/impact_problem.hpp"
#include "carom/note.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// The note on outcomes of much smaller steps outside the net. Caps up to h have those up to h/30
/// among them, but hardly ever many in a row, so that a net may lack what these lead to: nearly
/// continuous impulses, whose random caps average out. Looks at a few trajectories, some tenth of
/// the run's LCPs, a third at most.
/// @param options resolved, with the set-valued law
/// @param needed default_impulse_step() of the problem and law
/// @param mean_lcps of a trajectory of the run
std::optional<Note> note_on_small_steps(const ImpactProblem& problem,
                                        const SamplingOptions& options, double needed,
                                        const EpsilonNet& net, double mean_lcps);

}  // namespace carom
