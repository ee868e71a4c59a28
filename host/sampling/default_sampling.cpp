#include "host/sampling/default_sampling.hpp"

#include "carom/scenario.hpp"

namespace carom {

double default_impulse_step(double stopping_impulse) {
  constexpr double where_nothing_approaches = 1.0;  // N·s
  return stopping_impulse > 0.0 ? stopping_impulse : where_nothing_approaches;
}

double default_epsilon(const SamplingOptions& options) {
  constexpr double part_of_step = 0.1;
  if (options.epsilon < options.impulse_step) return options.epsilon;
  return part_of_step * options.impulse_step;
}

Scenario matrices_scenario(ImpactProblem problem) {
  Scenario scenario;
  scenario.system = "matrices";
  scenario.problem = validated(std::move(problem));
  scenario.sampling.impulse_step = default_impulse_step(stopping_impulse(scenario.problem));
  scenario.sampling.epsilon = default_epsilon(scenario.sampling);
  return scenario;
}

}  // namespace carom
