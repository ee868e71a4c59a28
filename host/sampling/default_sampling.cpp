#include "host/sampling/default_sampling.hpp"

#include "carom/scenario.hpp"

namespace carom {

double default_impulse_step(double stopping_impulse) {
  constexpr double where_nothing_approaches = 1.0;  // N·s
  return stopping_impulse > 0.0 ? stopping_impulse : where_nothing_approaches;
}

double default_epsilon(double impulse_step) {
  constexpr double usual = 0.01;
  constexpr double part_of_step = 0.1;
  return usual < impulse_step ? usual : part_of_step * impulse_step;
}

SamplingOptions resolved(SamplingOptions options, const ImpactProblem& problem) {
  if (!options.impulse_step) options.impulse_step = default_impulse_step(stopping_impulse(problem));
  if (!options.epsilon) options.epsilon = default_epsilon(*options.impulse_step);
  return options;
}

Scenario matrices_scenario(ImpactProblem problem) {
  Scenario scenario;
  scenario.system = "matrices";
  scenario.problem = validated(std::move(problem));
  scenario.sampling = resolved({}, scenario.problem);
  return scenario;
}

}  // namespace carom
