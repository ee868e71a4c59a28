#pragma once

#include "kernels/laws/propagative/plan.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom::inline CAROM_ISA {

/// Writes what a PropagativePlan holds of a problem with normals only, except its restitution and
/// its plastic outcome.
/// @param reflections m rows
/// @param before a row
/// @param impulses m
CAROM_HOST_DEVICE inline void write_reflections(const StepLcpView& problem, double* reflections,
                                                double* before, double* impulses) {
  const int m = problem.shape.contacts;
  const int stride = PropagativePlan::stride(m);
  const double* const delassus = problem.delassus();
  for (int i = 0; i < m; ++i) {
    const double per_speed = 2.0 / delassus[i * m + i];
    impulses[i] = per_speed;
    for (int j = 0; j < stride; ++j) {
      reflections[i * stride + j] = i == j ? -2.0 : j < m ? -per_speed * delassus[j * m + i] : 0.0;
    }
  }
  contact_speeds(problem, problem.pre_impact_velocity(), before);
  for (int i = m; i < stride; ++i) before[i] = 0.0;
}

}  // namespace carom::inline CAROM_ISA
