#pragma once

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "kernels/problem/default_steps.hpp"

namespace carom {

/// Chooses h and epsilon of a single trajectory of a problem with this stopping impulse, where they
/// are not stated.
void choose_steps(double stopping_impulse, SamplingOptions& options);

}  // namespace carom
