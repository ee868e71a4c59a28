#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/capacity.hpp"
#include "kernels/step_lcp.hpp"

namespace carom::inline CAROM_ISA {

/// Halm & Posa's impact law, one step: normal impulses up to random caps, Coulomb friction
/// (Eq. 72-75). Where several solutions exist, Lemke's first for the view's covering vector.
///
/// The call shape is that of every impact law: velocity (nv) and accumulated impulse
/// (m x (1 + d)) are moved by one step, or left alone if it fails.
template <class CapacityType, Effort effort>
struct SetValuedLaw {
  using Size = CapacityType;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const double* cap,
                                           double* velocity, double* impulse) const {
    StepLcp<Size> lcp(problem, velocity, cap);
    const StepOutcome outcome = lcp.template solve<effort>();
    if (outcome.status == Status::separated) apply(problem, lcp, velocity, impulse);
    return outcome;
  }

  /// Moves velocity and impulse by a solved step.
  CAROM_HOST_DEVICE static void apply(const StepLcpView& problem, const StepLcp<Size>& lcp,
                                      double* velocity, double* impulse) {
    const ProblemShape& shape = problem.shape;
    const int d = shape.tangent_dimension;
    for (int i = 0; i < shape.contacts; ++i) {
      const double normal = lcp.normal_impulse(i);
      push(problem.normal_response() + i * shape.velocities, normal, shape.velocities, velocity);
      impulse[i * (1 + d)] += normal;
      for (int a = 0; a < d; ++a) {
        double tangential = 0.0;
        for (int j = 0; j < shape.friction_directions; ++j) {
          tangential =
              std::fma(problem.directions()[j * d + a], lcp.direction_impulse(i, j), tangential);
        }
        push(problem.tangent_response() + (i * d + a) * shape.velocities, tangential,
             shape.velocities, velocity);
        impulse[i * (1 + d) + 1 + a] += tangential;
      }
    }
  }

 private:
  CAROM_HOST_DEVICE static void push(const double* response, double impulse, int velocities,
                                     double* velocity) {
    for (int j = 0; j < velocities; ++j) velocity[j] = std::fma(response[j], impulse, velocity[j]);
  }
};

static_assert(std::is_trivially_copyable_v<SetValuedLaw<Capacity<10, 16>, Effort::fast>>);

}  // namespace carom::inline CAROM_ISA
