#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "host/run/run_engine.hpp"

namespace carom {

/// A set before its first trajectory.
PostImpactSet empty_set(const ImpactProblem& problem, const SamplingOptions& options);

/// Takes back what add_evidence() did: sought members leave the net.
void drop_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                   PostImpactSet& set);

/// What `evidence` asks for and `set` lacks, in words; a stopped add_evidence() leaves gaps.
std::vector<std::string> missing_evidence(const EvidenceOptions& evidence,
                                          const PostImpactSet& set);

/// add_evidence() and grow(), their trajectories run by `engine`. What repeats the whole run
/// (extremes, selection, check of the net) stays in this process.
void add_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                  const EvidenceOptions& evidence, PostImpactSet& set,
                  const StageObserver& observer, RunEngine& engine);
PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                   std::optional<PostImpactSet> start, const EvidenceOptions& evidence,
                   const ChunkObserver& observer, const StageObserver& stages, RunEngine& engine);

}  // namespace carom
