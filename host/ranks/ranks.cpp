#include "host/ranks/ranks.hpp"

#include "carom/sampler.hpp"
#include "carom/scenario.hpp"

namespace carom {

SamplingOptions at_place(SamplingOptions options, const Place& place) {
  if (options.threads == 0) options.threads = place.threads;
  if (options.backend != Backend::cpu) {
    if (const int devices = cuda_device_count(); devices > 0) {
      options.device = (options.device + place.local_rank) % devices;
    }
  }
  return options;
}

std::string scenario_text(const ImpactProblem& problem, const SamplingOptions& options) {
  Scenario scenario;
  scenario.system = "matrices";  // numbers instead of formulas, so that ranks need no sine function
  scenario.problem = problem;
  scenario.sampling = options;
  return to_toml(scenario);
}

}  // namespace carom
