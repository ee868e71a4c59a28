#include "carom/post_impact_set.hpp"

#include <utility>

#include "host/run/run_engine.hpp"

namespace carom {

PostImpactSet continue_post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                                       PostImpactSet start, const ChunkObserver& observer) {
  // An observer is handed every row.
  const std::uint64_t kept_rows = observer ? options.trajectories : 0;
  return this_process(kept_rows)->grow(problem, options, std::move(start), observer);
}

PostImpactSet empty_set(const ImpactProblem& problem, const SamplingOptions& stated) {
  const SamplingOptions options = resolved(stated, problem);
  return {
      .net = EpsilonNet(problem.velocities(), *options.epsilon, net_metric(problem, options.norm)),
      .summary = {},
      .modes = OutcomeModes(problem),
      .complete = false,
      .psi = 0.0,
      .final_cap = 0.0,
      .backend = Backend::cpu,
      .device = {},
      .backend_note = {},
      .table = {},
      .sought = {},
      .certificate = {},
      .comparison = {},
      .selection = {},
      .net_check = {}};
}

PostImpactSet post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                              const ChunkObserver& observer) {
  validate(options);
  return continue_post_impact_set(problem, options, empty_set(problem, options), observer);
}

}  // namespace carom
