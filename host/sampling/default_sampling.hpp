#pragma once

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Default h: the stopping impulse of the problem, 1 N·s where no contact approaches.
double default_impulse_step(double stopping_impulse);

/// Chooses h and epsilon of a single trajectory of a problem with this stopping impulse, where they
/// are not stated: there, epsilon only sets the cap of the final step, and a pilot would cost more
/// than the trajectory.
void choose_steps(double stopping_impulse, SamplingOptions& options);

}  // namespace carom
