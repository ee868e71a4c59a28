#pragma once

#include "carom/sampling_options.hpp"

namespace carom::test {

/// Of explorations on the CPU.
inline SamplingOptions with_law(const Law& law, double epsilon) {
  SamplingOptions options;
  options.law = law;
  options.epsilon = epsilon;
  options.max_steps = 100;
  options.backend = Backend::cpu;
  return options;
}

/// Of the set-valued law.
inline SamplingOptions with_step_and_epsilon(double impulse_step, double epsilon) {
  SamplingOptions options = with_law(law::SetValued{}, epsilon);
  options.impulse_step = impulse_step;
  return options;
}

}  // namespace carom::test
