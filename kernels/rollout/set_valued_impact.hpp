#pragma once

#include <type_traits>

#include "kernels/impact/single_impact.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom::inline CAROM_ISA {

/// An impact by the program of a size, which all kernels share.
template <class Size, Effort effort>
CAROM_ONE_COPY CAROM_OUT_OF_LINE CAROM_HOST_DEVICE RolloutStatus
take_impact(const ImpactPlan& plan, const RolloutImpact& impact) {
  const ProblemArrays arrays{impact.mass_matrix, impact.normal_jacobian, impact.tangent_jacobian,
                             impact.friction,    impact.velocity,        impact.directions};
  using Impact = SingleImpact<Size, effort>;
  Impact one;
  typename Impact::Memory memory;
  if (!one.prepare(impact.shape, arrays, plan, plan.impulse_step, memory)) {
    return RolloutStatus::out_of_scale;
  }
  const SolutionMethod method = one.method(plan);
  if (!Impact::solves_by(method)) return undecided_rollout;
  const Status status =
      one.program(plan, Impact::set_valued(plan, method, plan.caps[impact.contacts - 1]))
          .after(one.problem(), Impact::key(plan, 0, trajectory_of(impact)), impact.velocity);
  switch (status) {
    case Status::separated:
      return RolloutStatus::moving;
    case Status::step_limit:
      return RolloutStatus::impact_dropped;
    default:
      return status == undecided ? undecided_rollout : RolloutStatus::impact_failed;
  }
}

/// An impact of a rollout under the set-valued law: a trajectory of a problem of its own, with the
/// index trajectory_of(). On a device, it is undecided where the law takes all solutions and each
/// step is not proven to have one.
template <class Largest, Effort effort>
struct SetValuedImpact {
  ImpactPlan plan;

  CAROM_HOST_DEVICE RolloutStatus operator()(const RolloutImpact& impact) const {
    constexpr bool on_host = std::is_same_v<Largest, LargestCapacity>;
    RolloutStatus status = on_host ? RolloutStatus::too_many : undecided_rollout;
    with_size_up_to<Largest, effort == Effort::thorough>(
        impact.shape, [&]<class Size>(Size) { status = take_impact<Size, effort>(plan, impact); });
    return status;
  }
};

}  // namespace carom::inline CAROM_ISA
