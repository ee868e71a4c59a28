#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "host/run/run_engine.hpp"

namespace carom {

/// A set before its first trajectory.
PostImpactSet empty_set(const ImpactProblem& problem, const SamplingOptions& options);

/// @throws InputError if a set's net has not the velocities of this problem, or not the epsilon and
/// norm of these options
void require_set_of(const ImpactProblem& problem, const SamplingOptions& options,
                    const PostImpactSet& set);

/// Removes the results of add_evidence(), and the sought members from the net.
void drop_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                   PostImpactSet& set);

/// Names of the evidence that `evidence` requests and `set` lacks, because add_evidence() was
/// stopped.
std::vector<std::string> missing_evidence(const SamplingOptions& options,
                                          const EvidenceOptions& evidence,
                                          const PostImpactSet& set);

/// add_evidence() and grow() with trajectories run by `engine`. Stages that repeat the whole run
/// (extremes, selection, check of the net) run in this process.
void add_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                  const EvidenceOptions& evidence, PostImpactSet& set,
                  const StageObserver& observer, RunEngine& engine);
PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                   std::optional<PostImpactSet> start, const EvidenceOptions& evidence,
                   const ChunkObserver& observer, const StageObserver& stages, RunEngine& engine);

}  // namespace carom
