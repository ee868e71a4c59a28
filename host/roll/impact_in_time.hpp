#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "host/laws/set_valued/caps_plan.hpp"
#include "kernels/cpu/run_rollouts.hpp"
#include "kernels/impact/impact_plan.hpp"

namespace carom {

/// The impacts of rollouts under any law. Each is a trajectory of its own problem, with the index
/// trajectory_of(). @throws InputError from its constructor
class ImpactInTime {
 public:
  /// @param restitution of all contacts; nothing: the law's own default
  ImpactInTime(const SamplingOptions& options, std::optional<double> restitution);

  RolloutLaw law() const { return {&ImpactInTime::solve, this}; }

  /// The law as kernels have it: the set-valued one without restitution; else null. They leave an
  /// impact undecided that must be prepared as a problem of a run.
  const ImpactPlan* plan() const { return has_plan_ ? &plan_ : nullptr; }

  /// A trajectory of an impact, prepared as for a run of one trajectory.
  /// @param problem without restitution
  /// @param velocity becomes the outcome; where there is none, it stays
  RolloutStatus sample(ImpactProblem problem, std::uint64_t trajectory, double* velocity) const;

 private:
  static RolloutStatus solve(const void* context, const RolloutImpact& impact);

  SamplingOptions options_;
  std::optional<double> restitution_;
  bool has_plan_;
  std::vector<CapsPlan> caps_;  ///< of 1, 2, ... contacts
  ImpactPlan plan_;
};

/// The problem of an impact.
ImpactProblem problem_of(const RolloutImpact& impact);

}  // namespace carom
