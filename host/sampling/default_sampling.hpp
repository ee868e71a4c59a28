#pragma once

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Default h: the stopping impulse of the problem, 1 N·s where no contact approaches.
double default_impulse_step(double stopping_impulse);

}  // namespace carom
