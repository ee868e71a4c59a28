// Compiled once per instruction set, like kernels/cpu/run_items.cpp.
#include "kernels/cpu/run_rollouts.hpp"

#include "kernels/mechanisms/planar.hpp"
#include "kernels/mechanisms/spatial.hpp"
#include "kernels/rollout/rollout.hpp"
#include "kernels/rollout/set_valued_impact.hpp"

namespace carom::inline CAROM_ISA {
namespace {

template <class View>
void run(const View& view, const RolloutPlan& plan, const RolloutLaw& law, std::uint64_t first,
         std::uint64_t count, const RolloutView& out) {
  using Mechanism = decltype(mechanism_of(view));
  const Rollout<Mechanism, RolloutLaw, LargestCapacity, Effort::thorough> program{
      {{mechanism_of(view, plan.reach()), plan}}, law};
  for (std::uint64_t row = 0; row < count; ++row) program(first + row, row, out);
}

}  // namespace

void run_rollouts(const PlanarView& mechanism, const RolloutPlan& plan, const RolloutLaw& law,
                  std::uint64_t first, std::uint64_t count, const RolloutView& out) {
  run(mechanism, plan, law, first, count, out);
}

void run_rollouts(const SpatialView& mechanism, const RolloutPlan& plan, const RolloutLaw& law,
                  std::uint64_t first, std::uint64_t count, const RolloutView& out) {
  run(mechanism, plan, law, first, count, out);
}

RolloutStatus take_impact(const ImpactPlan& plan, const RolloutImpact& impact) {
  return SetValuedImpact<LargestCapacity, Effort::thorough>{plan}(impact);
}

}  // namespace carom::inline CAROM_ISA
