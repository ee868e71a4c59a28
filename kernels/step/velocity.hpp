#pragma once

#include <cmath>

#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/base/team.hpp"
#include "kernels/step/step_lcp_view.hpp"

// What a velocity (nv) of a flat problem is to its contacts, its impulses and its energy.

namespace carom::inline CAROM_ISA {

/// A contact speed below this fraction of the fastest speed before the step is zero up to rounding.
inline constexpr double speed_noise = 0x1p-46;

/// Contact speeds (m (1 + d), contact by contact) of a velocity (nv), m/s.
CAROM_HOST_DEVICE inline void contact_speeds(const StepLcpView& problem, const double* velocity,
                                             double* speed) {
  const ProblemShape& shape = problem.shape;
  const int d = shape.tangent_dimension;
  double fastest = 0.0;
  int i = 0;
  for (int contact = 0; contact < shape.contacts; ++contact) {
    for (int a = 0; a <= d; ++a, ++i) {
      const double* row =
          a == 0 ? problem.normal_jacobian() + contact * shape.velocities
                 : problem.tangent_jacobian() + (contact * d + a - 1) * shape.velocities;
      double sum = 0.0;
      for (int j = 0; j < shape.velocities; ++j) sum = std::fma(row[j], velocity[j], sum);
      speed[i] = sum;
      fastest = larger(fastest, std::fabs(sum));
    }
  }
  for (i = 0; i < shape.impulses(); ++i) {
    if (std::fabs(speed[i]) <= speed_noise * fastest) speed[i] = 0.0;
  }
}

/// Moves a velocity (nv) by impulses (m (1 + d), as speeds). Eight of its entries are summed side
/// by side, each in the order of the contacts.
template <class Value>
CAROM_HOST_DEVICE void apply_impulse(const StepLcpView& problem, const Value* impulse,
                                     Value* velocity) {
  constexpr int block = 8;
  const ProblemShape& shape = problem.shape;
  const int nv = shape.velocities;
  const int d = shape.tangent_dimension;
  const Value per_speed = everywhere<Value>(1.0 / problem.impulse_unit());  // a power of two
  const auto add = [&](int first, int count, Value* sum) {
    int i = 0;
    for (int contact = 0; contact < shape.contacts; ++contact) {
      for (int a = 0; a <= d; ++a, ++i) {
        const Value push = impulse[i] * per_speed;
        const double* response = a == 0 ? problem.normal_response() + contact * nv
                                        : problem.tangent_response() + (contact * d + a - 1) * nv;
        for (int j = 0; j < count; ++j) {
          sum[j] = fused(everywhere<Value>(response[first + j]), push, sum[j]);
        }
      }
    }
  };
  int first = 0;
  for (; first + block <= nv; first += block) {
    Value sum[block];
    for (int j = 0; j < block; ++j) sum[j] = velocity[first + j];
    add(first, block, sum);
    for (int j = 0; j < block; ++j) velocity[first + j] = sum[j];
  }
  add(first, nv - first, velocity + first);
}

/// The velocity (nv) after impulses (m (1 + d), as speeds) from the start.
template <class Value>
CAROM_HOST_DEVICE void velocity_of(const StepLcpView& problem, const Value* impulse,
                                   Value* velocity) {
  for (int j = 0; j < problem.shape.velocities; ++j) {
    velocity[j] = everywhere<Value>(problem.pre_impact_velocity()[j]);
  }
  apply_impulse(problem, impulse, velocity);
}

/// v'Mv / 2, J. M is symmetric to the last bit, so that eight entries of M v are summed side by
/// side in the order of each alone.
/// @param mass mass(i, j): an entry of M
template <class Value, class Mass>
CAROM_HOT CAROM_HOST_DEVICE inline Value energy_of_entries(int nv, const Mass& mass,
                                                           const Value* velocity) {
  constexpr int block = 8;
  Value twice = everywhere<Value>(0.0);
  int first = 0;
  for (; first + block <= nv; first += block) {
    Value momentum[block];
    for (int i = 0; i < block; ++i) momentum[i] = everywhere<Value>(0.0);
    for (int j = 0; j < nv; ++j) {
      for (int i = 0; i < block; ++i) {
        momentum[i] = fused(everywhere<Value>(mass(j, first + i)), velocity[j], momentum[i]);
      }
    }
    for (int i = 0; i < block; ++i) twice = fused(momentum[i], velocity[first + i], twice);
  }
  for (int i = first; i < nv; ++i) {
    Value momentum = everywhere<Value>(0.0);
    for (int j = 0; j < nv; ++j) {
      momentum = fused(everywhere<Value>(mass(i, j)), velocity[j], momentum);
    }
    twice = fused(momentum, velocity[i], twice);
  }
  return everywhere<Value>(0.5) * twice;
}

template <class Value>
CAROM_HOT CAROM_HOST_DEVICE inline Value kinetic_energy(int nv, const double* mass_matrix,
                                                        const Value* velocity) {
  return energy_of_entries(
      nv, [=](int i, int j) CAROM_INLINE_LAMBDA { return mass_matrix[i * nv + j]; }, velocity);
}

template <class Value>
CAROM_HOT CAROM_HOST_DEVICE inline Value kinetic_energy(const StepLcpView& problem,
                                                        const Value* velocity) {
  return kinetic_energy(problem.shape.velocities, problem.mass_matrix(), velocity);
}

/// The same bits by a team of threads, of numbers that all of them have.
template <class Team>
CAROM_HOT CAROM_HOST_DEVICE inline double kinetic_energy_by(const StepLcpView& problem,
                                                            const double* velocity) {
  if constexpr (Team::threads == 1) {
    return kinetic_energy(problem, velocity);
  } else {
    const int nv = problem.shape.velocities;
    double twice = 0.0;
    Team::fold(
        nv,
        [&](int i) {
          double momentum = 0.0;
          for (int j = 0; j < nv; ++j) {
            momentum = fused(problem.mass_matrix()[j * nv + i], velocity[j], momentum);
          }
          return momentum;
        },
        [&](int i, double momentum) { twice = fused(momentum, velocity[i], twice); });
    return 0.5 * twice;
  }
}

}  // namespace carom::inline CAROM_ISA
