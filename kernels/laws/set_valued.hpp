#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/capacity.hpp"
#include "kernels/laws/step_context.hpp"
#include "kernels/step_lcp.hpp"

namespace carom::inline CAROM_ISA {

/// Moves velocity (nv) and accumulated impulse (m x (1 + d)) by a step's impulse, in N·s.
CAROM_HOST_DEVICE inline void apply_impulse(const StepLcpView& problem, const double* step,
                                            double* velocity, double* impulse) {
  const ProblemShape& shape = problem.shape;
  const int nv = shape.velocities;
  const int d = shape.tangent_dimension;
  for (int i = 0; i < shape.contacts; ++i) {
    for (int a = 0; a <= d; ++a) {
      const double push = *step++;
      const double* response = a == 0 ? problem.normal_response() + i * nv
                                      : problem.tangent_response() + (i * d + a - 1) * nv;
      for (int j = 0; j < nv; ++j) velocity[j] = std::fma(response[j], push, velocity[j]);
      *impulse++ += push;
    }
  }
}

/// Halm & Posa's impact law, one step: normal impulses up to given caps, Coulomb friction
/// (Eq. 72-75). Where several solutions exist, Lemke's for a covering vector: the view's, or with
/// Solutions::cover a random one.
///
/// The call shape is that of every impact law: velocity (nv) and accumulated impulse
/// (m x (1 + d)) are moved by one step, or left alone if it fails.
template <class CapacityType, Effort effort>
struct SetValuedLaw {
  using Size = CapacityType;

  CAROM_HOST_DEVICE StepOutcome operator()(const StepLcpView& problem, const StepContext& context,
                                           double* velocity, double* impulse) const {
    StepLcp<Size> lcp(problem, velocity, context.cap);
    StepOutcome outcome;
    if (context.solutions == Solutions::cover) {
      double cover[Size::lcp_size];
      context.draw_cover(problem, cover);
      outcome = lcp.template solve<effort>(cover);
    } else {
      outcome = lcp.template solve<effort>();
    }
    if (outcome.status == Status::separated) apply(problem, lcp, velocity, impulse);
    return outcome;
  }

  /// Moves velocity and impulse by a solved step.
  CAROM_HOST_DEVICE static void apply(const StepLcpView& problem, const StepLcp<Size>& lcp,
                                      double* velocity, double* impulse) {
    const ProblemShape& shape = problem.shape;
    const int d = shape.tangent_dimension;
    double step[Size::impulses];
    for (int i = 0; i < shape.contacts; ++i) {
      step[i * (1 + d)] = lcp.normal_impulse(i);
      for (int a = 0; a < d; ++a) {
        double tangential = 0.0;
        for (int j = 0; j < shape.friction_directions; ++j) {
          tangential =
              std::fma(problem.directions()[j * d + a], lcp.direction_impulse(i, j), tangential);
        }
        step[i * (1 + d) + 1 + a] = tangential;
      }
    }
    apply_impulse(problem, step, velocity, impulse);
  }
};

static_assert(std::is_trivially_copyable_v<SetValuedLaw<Capacity<10, 16>, Effort::fast>>);

}  // namespace carom::inline CAROM_ISA
