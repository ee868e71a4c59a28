#pragma once

#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/compliant_plan.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom::inline CAROM_ISA {

/// Runs the rollouts of items first, first + 1, ... in compliant contact into rows 0, 1, ... of
/// `out`, on the calling thread.
void run_compliant(const CompliantPlan& plan, std::uint64_t first, std::uint64_t count,
                   const RolloutView& out);

}  // namespace carom::inline CAROM_ISA
