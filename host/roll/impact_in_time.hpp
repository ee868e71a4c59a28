#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "host/laws/set_valued/caps_plan.hpp"
#include "kernels/cpu/run_rollouts.hpp"
#include "kernels/laws/plan_list.hpp"

namespace carom {

/// The impacts of rollouts under any law. Each is a trajectory of its own problem, with index
/// rollout + event * 2^40. @throws InputError from its constructor
class ImpactInTime {
 public:
  /// @param first index of the rollout of item 0
  /// @param restitution of all contacts; nothing: the law's own default
  ImpactInTime(const SamplingOptions& options, std::optional<double> restitution,
               std::uint64_t first);

  RolloutLaw law() const { return {&ImpactInTime::solve, this}; }

 private:
  static RolloutStatus solve(const void* context, const RolloutImpact& impact);

  /// A trajectory of the set-valued law whose steps take Lemke's solutions: nothing is prepared for
  /// the problem but its flat array.
  RolloutStatus sample_plainly(const RolloutImpact& impact) const;
  /// The same for any law, prepared as for a run of one trajectory.
  RolloutStatus sample_with_plan(const RolloutImpact& impact) const;

  std::uint64_t trajectory_of(const RolloutImpact& impact) const;

  SamplingOptions options_;
  std::optional<double> restitution_;
  std::uint64_t first_;
  bool plain_;
  std::map<int, CapsPlan> caps_;  ///< by the number of contacts
  double directions_[2];          ///< of a planar contact
};

/// The problem of an impact.
ImpactProblem problem_of(const RolloutImpact& impact);

}  // namespace carom
