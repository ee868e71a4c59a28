#pragma once

#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"

namespace carom {

/// A set before its first trajectory.
PostImpactSet empty_set(const ImpactProblem& problem, const SamplingOptions& options);

/// Takes back what add_evidence() did: sought members leave the net.
void drop_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                   PostImpactSet& set);

/// What `evidence` asks for and `set` lacks, in words; a stopped add_evidence() leaves gaps.
std::vector<std::string> missing_evidence(const EvidenceOptions& evidence,
                                          const PostImpactSet& set);

}  // namespace carom
