#pragma once

#include <cstdint>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/extremes.hpp"
#include "carom/sampler.hpp"
#include "carom/solution_audit.hpp"

namespace carom {

/// Thrown if the observer of a stage stops it.
struct StageStopped {};

/// Calls an observer, if there is one. @throws StageStopped if it returns false
inline void report(const SampleObserver& observer, std::uint64_t done, std::uint64_t total) {
  if (observer && !observer(done, total)) throw StageStopped{};
}

// The public functions of these names, with an observer. @throws StageStopped

NetSelection farthest_points(const ImpactProblem& problem, const SamplingOptions& options,
                             std::uint64_t size, const SampleObserver& observer);
NetCheck check_net(const ImpactProblem& problem, const SamplingOptions& options,
                   const EpsilonNet& net, const SampleObserver& observer);
SolutionAudit audit_solutions(const ImpactProblem& problem, const SamplingOptions& options,
                              const AuditLimits& limits, const SampleObserver& observer);

/// seek_extremes() with an observer. A negative `random_directions`: without a search, the ends of
/// the outputs among the run's own outcomes, of any law. @throws StageStopped
std::vector<SoughtOutcome> find_extremes(const ImpactProblem& problem,
                                         const SamplingOptions& options, int random_directions,
                                         const Outputs& outputs, const SampleObserver& observer);

/// The same for objectives of the caller's, of which `objective`, `greatest` and `direction` count.
/// @param problem validated @param options resolved, of law set_valued
std::vector<SoughtOutcome> search_ends(const ImpactProblem& problem, const SamplingOptions& options,
                                       std::vector<SoughtOutcome> objectives,
                                       const SampleObserver& observer);

}  // namespace carom
