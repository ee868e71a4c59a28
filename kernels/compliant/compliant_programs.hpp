#pragma once

#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/biped.hpp"
#include "kernels/compliant/compliant_rollout.hpp"
#include "kernels/compliant/piecewise_affine.hpp"
#include "kernels/compliant/plate.hpp"
#include "kernels/compliant/springs.hpp"

namespace carom::inline CAROM_ISA {

/// Calls run(program) with the program of a plan.
template <class Run>
void with_compliant_program(const CompliantPlan& plan, const Run& run) {
  const auto with = [&](const auto& system) {
    using System = std::remove_cvref_t<decltype(system)>;
    if (plan.shape.derivative_size > 0) {
      run(CompliantRollout<System, true>{system, plan});
    } else {
      run(CompliantRollout<System, false>{system, plan});
    }
  };
  if (const auto* springs = std::get_if<SpringsView>(&plan.system)) with(SpringsField{*springs});
  if (const auto* plate = std::get_if<PlateView>(&plan.system)) with(PlateField{*plate});
  if (const auto* table = std::get_if<PiecewiseAffineView>(&plan.system)) with(AffineField{*table});
  if (const auto* biped = std::get_if<BipedView>(&plan.system)) with(BipedField{*biped});
}

}  // namespace carom::inline CAROM_ISA
