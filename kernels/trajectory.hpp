#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/philox.hpp"
#include "kernels/sample_view.hpp"
#include "kernels/step_lcp.hpp"

namespace carom::inline CAROM_ISA {

/// Told the velocity after every step; this one does not listen.
struct NoRecorder {
  CAROM_HOST_DEVICE void operator()(const double*) const {}
};

/// One trajectory as a function of its work item: Algorithm 1, then Algorithm 2's final step where
/// a contact still approaches. `out[row] = program(item)` is the body of the CPU loop and of the
/// CUDA kernel.
template <class Law>
struct Trajectory {
  using Size = typename Law::Size;

  Law law;
  SamplingPlan plan;

  CAROM_HOST_DEVICE void operator()(std::uint64_t item, std::size_t row,
                                    const SampleView& out) const {
    run(item, row, out, NoRecorder{});
  }

  template <class Recorder>
  CAROM_HOST_DEVICE void run(std::uint64_t item, std::size_t row, const SampleView& out,
                             Recorder&& record) const {
    const std::uint64_t index = plan.trajectories == 0 ? 0 : item / plan.trajectories;
    const std::uint64_t trajectory = item - index * plan.trajectories;
    const StepLcpView problem{plan.shape, plan.problems + index * plan.stride};
    const Philox random(plan.seed, plan.first_problem + static_cast<std::uint32_t>(index),
                        trajectory);

    double velocity[Size::velocities];
    double impulse[Size::impulses];
    double cap[Size::contacts];
    for (int j = 0; j < plan.shape.velocities; ++j) {
      velocity[j] = problem.pre_impact_velocity()[j];
    }
    for (int i = 0; i < plan.shape.impulses(); ++i) impulse[i] = 0.0;
    record(velocity);

    StepOutcome outcome;
    std::uint32_t lcps = 0;
    std::uint32_t pivots = 0;
    std::uint32_t retries = 0;
    bool moving = colliding(problem, velocity);
    for (int step = 0; step < plan.max_steps && moving; ++step) {
      draw_caps(problem, random, static_cast<std::uint32_t>(step), cap);
      outcome = law(problem, cap, velocity, impulse);
      ++lcps;
      pivots += static_cast<std::uint32_t>(outcome.pivots);
      retries += outcome.retries > 0 ? 1 : 0;
      if (outcome.status != Status::separated) break;
      record(velocity);
      moving = colliding(problem, velocity);
    }
    const bool final_step = outcome.status == Status::separated && moving;
    if (final_step) {
      for (int i = 0; i < plan.shape.contacts; ++i) cap[i] = problem.final_cap();
      outcome = law(problem, cap, velocity, impulse);
      pivots += static_cast<std::uint32_t>(outcome.pivots);
      retries += outcome.retries > 0 ? 1 : 0;
      if (outcome.status == Status::separated) {
        record(velocity);
        if (colliding(problem, velocity)) outcome.status = Status::step_limit;
      }
    }

    const SampleView mine = out.from(row, plan.shape);
    for (int j = 0; j < plan.shape.velocities; ++j) mine.velocity[j] = velocity[j];
    for (int i = 0; i < plan.shape.impulses(); ++i) mine.impulse[i] = impulse[i];
    *mine.energy = kinetic_energy(problem, velocity);
    *mine.status = outcome.status;
    *mine.lcp_count = lcps;
    *mine.pivot_count = pivots;
    *mine.retry_count = retries;
    *mine.final_step = final_step ? 1 : 0;
  }

 private:
  CAROM_HOST_DEVICE bool colliding(const StepLcpView& problem, const double* velocity) const {
    const int nv = plan.shape.velocities;
    for (int i = 0; i < plan.shape.contacts; ++i) {
      double normal = 0.0;
      for (int j = 0; j < nv; ++j) {
        normal = std::fma(problem.normal_jacobian()[i * nv + j], velocity[j], normal);
      }
      if (!(normal >= -plan.tolerance)) return true;
    }
    return false;
  }

  /// Caps uniform on (0, h].
  CAROM_HOST_DEVICE void draw_caps(const StepLcpView& problem, const Philox& random,
                                   std::uint32_t step, double* cap) const {
    for (int i = 0; i < plan.shape.contacts; i += 2) {
      double pair[2];
      random.uniform_pair(step, Purpose::caps, static_cast<std::uint32_t>(i / 2), pair);
      cap[i] = problem.impulse_step() * pair[0];
      if (i + 1 < plan.shape.contacts) cap[i + 1] = problem.impulse_step() * pair[1];
    }
  }

  CAROM_HOST_DEVICE double kinetic_energy(const StepLcpView& problem,
                                          const double* velocity) const {
    const int nv = plan.shape.velocities;
    double twice = 0.0;
    for (int i = 0; i < nv; ++i) {
      double momentum = 0.0;
      for (int j = 0; j < nv; ++j) {
        momentum = std::fma(problem.mass_matrix()[i * nv + j], velocity[j], momentum);
      }
      twice = std::fma(momentum, velocity[i], twice);
    }
    return 0.5 * twice;
  }
};

}  // namespace carom::inline CAROM_ISA
