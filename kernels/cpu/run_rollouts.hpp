#pragma once

#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/impact/impact_plan.hpp"
#include "kernels/mechanisms/planar_view.hpp"
#include "kernels/mechanisms/spatial_view.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom {

/// The law of the impacts of rollouts, outside the program that moves them.
struct RolloutLaw {
  RolloutStatus (*solve)(const void* context, const RolloutImpact& impact);
  const void* context;
  RolloutStatus operator()(const RolloutImpact& impact) const { return solve(context, impact); }
};

}  // namespace carom

namespace carom::inline CAROM_ISA {

/// Runs the rollouts of items first, first + 1, ... into rows 0, 1, ... of `out`, on the calling
/// thread.
void run_rollouts(const PlanarView& mechanism, const RolloutPlan& plan, const RolloutLaw& law,
                  std::uint64_t first, std::uint64_t count, const RolloutView& out);
void run_rollouts(const SpatialView& mechanism, const RolloutPlan& plan, const RolloutLaw& law,
                  std::uint64_t first, std::uint64_t count, const RolloutView& out);

/// Takes a single impact, see SetValuedImpact.
RolloutStatus take_impact(const ImpactPlan& plan, const RolloutImpact& impact);

}  // namespace carom::inline CAROM_ISA
