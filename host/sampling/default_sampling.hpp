#pragma once

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Default h: the stopping impulse of the problem, 1 N·s where no contact approaches.
double default_impulse_step(double stopping_impulse);

/// Default epsilon: 0.01, or a tenth of h where h is at most 0.01.
double default_epsilon(double impulse_step);

}  // namespace carom
