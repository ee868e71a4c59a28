#pragma once

#include "carom/post_impact_set.hpp"

namespace carom {

/// Adds notes on an epsilon that does not fit the set. @param options resolved
void note_epsilon(const ImpactProblem& problem, const SamplingOptions& options, PostImpactSet& set);

}  // namespace carom
