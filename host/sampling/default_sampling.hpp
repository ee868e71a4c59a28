#pragma once

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// h of a problem of which nothing is said: the impulse that stops it, 1 N·s where nothing
/// approaches.
double default_impulse_step(double stopping_impulse);

/// epsilon where none is stated: 0.01, or a tenth of h where h is not above that.
double default_epsilon(double impulse_step);

}  // namespace carom
