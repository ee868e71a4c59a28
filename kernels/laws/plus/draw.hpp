#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/lanes.hpp"
#include "kernels/base/sine_cosine.hpp"
#include "kernels/laws/plus/plan.hpp"
#include "kernels/random/normal.hpp"
#include "kernels/random/philox.hpp"
#include "kernels/trajectory/law.hpp"

namespace carom::inline CAROM_ISA {

/// What a trajectory of the PLUS law may draw: the step of its random numbers, whose blocks are
/// the entries.
enum class PlusDraw : std::uint32_t { parameter, friction, static_friction, restitution, velocity };

CAROM_HOST_DEVICE inline double draw(const PlusNumber& number, const Philox& random, PlusDraw what,
                                     int entry) {
  if (number.width == 0.0 && number.deviation == 0.0) return number.first;
  double pair[2];
  random.uniform_pair(static_cast<std::uint32_t>(what), Purpose::uncertain,
                      static_cast<std::uint32_t>(entry), pair);
  if (number.deviation == 0.0) return std::fma(pair[0], number.width, number.first);
  constexpr double below_one = 1.0 - 0x1p-53;
  const double p = smaller(std::fma(pair[0], number.inside, number.below), below_one);
  const double drawn = std::fma(number.deviation, normal_quantile(p), number.first);
  return smaller(larger(drawn, number.least), number.greatest);
}

CAROM_HOST_DEVICE inline PlusParameters draw_parameters(const PlusPlan& plan,
                                                        const Philox& random) {
  const auto one = [&](const PlusNumber& number, int entry) {
    return draw(number, random, PlusDraw::parameter, entry);
  };
  const SineCosine turn = sine_cosine(one(plan.theta_max, 3));
  return {.capture_speed = one(plan.capture_speed, 0),
          .plastic_speed = one(plan.plastic_speed, 1),
          .transition_speed = one(plan.transition_speed, 2),
          .sine = turn.sine,
          .cosine = turn.cosine,
          .viscous_friction = one(plan.viscous_friction, 4)};
}

/// What a trajectory knows of its contacts (m) before its first step.
template <class Size>
struct PlusContacts {
  double friction[Size::contacts];
  double static_friction[Size::contacts];
  double restitution[Size::contacts];

  CAROM_HOST_DEVICE PlusContacts(const PlusPlan& plan, const StepLcpView& problem,
                                 const TrajectoryKey& key) {
    const std::size_t first = PlusPlan::first_of(problem.shape, key.problem);
    for (int i = 0; i < problem.shape.contacts; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i);
      friction[i] =
          draw(plan.friction[at], key.random, PlusDraw::friction, plan.one_friction ? 0 : i);
      static_friction[i] = plan.rests_as_it_slides
                               ? friction[i]
                               : draw(plan.static_friction[at], key.random,
                                      PlusDraw::static_friction, plan.one_static_friction ? 0 : i);
      restitution[i] = draw(plan.restitution[at], key.random, PlusDraw::restitution,
                            plan.one_restitution ? 0 : i);
    }
  }
};

/// The velocity (nv) before the impact, m/s.
CAROM_HOST_DEVICE inline void draw_velocity(const PlusPlan& plan, const StepLcpView& problem,
                                            const TrajectoryKey& key, double* velocity) {
  const int nv = problem.shape.velocities;
  const PlusNumber* const numbers = plan.velocity + key.problem * static_cast<std::uint64_t>(nv);
  for (int j = 0; j < nv; ++j) {
    velocity[j] = draw(numbers[j], key.random, PlusDraw::velocity, j);
  }
}

}  // namespace carom::inline CAROM_ISA
