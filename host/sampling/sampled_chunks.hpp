#pragma once

#include <algorithm>
#include <span>

#include "carom/sampler.hpp"
#include "host/sampling/observed_stages.hpp"

namespace carom {

/// Samples trajectories [0, options.trajectories) again and passes them on chunk by chunk, in
/// order. @throws StageStopped if the observer returns false
template <class Use>
void for_each_chunk(const ImpactProblem& problem, const SamplingOptions& options,
                    const SampleObserver& observer, const Use& use) {
  const Sampler sampler(std::span(&problem, 1), options);
  SampleSet chunk;
  for (std::uint64_t first = 0; first < options.trajectories; first += chunk.size()) {
    report(observer, first, options.trajectories);
    sampler.sample(first, std::min(sampler.chunk(), options.trajectories - first), chunk);
    use(static_cast<const SampleSet&>(chunk));
  }
}

}  // namespace carom
