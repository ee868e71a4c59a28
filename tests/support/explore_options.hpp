#pragma once

#include "carom/sampling_options.hpp"

namespace carom::test {

/// Of explorations of the set-valued law on the CPU.
inline SamplingOptions with_step_and_epsilon(double impulse_step, double epsilon) {
  SamplingOptions options;
  options.impulse_step = impulse_step;
  options.epsilon = epsilon;
  options.max_steps = 100;
  options.backend = Backend::cpu;
  return options;
}

}  // namespace carom::test
