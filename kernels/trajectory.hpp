#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/draw_caps.hpp"
#include "kernels/laws/step_context.hpp"
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
    const int m = plan.shape.contacts;
    const SampleView mine = out.from(row, plan.shape);
    const Philox random(plan.seed, plan.first_problem + static_cast<std::uint32_t>(index),
                        trajectory);
    const CapsSource source(plan.caps, random, trajectory, m);
    const double* script = plan.script == nullptr
                               ? nullptr
                               : plan.script + item * static_cast<std::uint64_t>(plan.max_steps) *
                                                   static_cast<std::uint64_t>(m + 1);
    StepContext context{};
    context.random = &random;
    context.solutions = plan.solutions;
    context.modes = plan.modes == nullptr ? nullptr : plan.modes + index;
    context.solution_count = mine.solution_count;
    if (mine.solution_count != nullptr) {
      for (int b = 0; b < solution_bins; ++b) mine.solution_count[b] = 0;
    }

    double velocity[Size::velocities];
    double impulse[Size::impulses];
    double cap[Size::contacts];
    context.cap = cap;
    for (int j = 0; j < plan.shape.velocities; ++j) {
      velocity[j] = problem.pre_impact_velocity()[j];
    }
    for (int i = 0; i < plan.shape.impulses(); ++i) impulse[i] = 0.0;
    record(velocity);

    StepOutcome outcome;
    std::uint32_t lcps = 0;
    std::uint32_t pivots = 0;
    std::uint32_t retries = 0;
    bool final_step = false;
    bool moving = colliding(problem, velocity);
    for (int step = 0; step <= plan.max_steps && moving; ++step) {
      context.step = static_cast<std::uint32_t>(step);
      final_step = step == plan.max_steps;
      if (final_step) {
        for (int i = 0; i < m; ++i) cap[i] = problem.final_cap();
        context.scripted_selection = nullptr;
      } else {
        if (script == nullptr) {
          source.draw(context.step, cap);
        } else {
          for (int i = 0; i < m; ++i) cap[i] = script[i];
          context.scripted_selection = script + m;
          script += m + 1;
        }
        for (int i = 0; i < m; ++i) cap[i] *= problem.impulse_step();
        ++lcps;
      }
      outcome = law(problem, context, velocity, impulse);
      pivots += static_cast<std::uint32_t>(outcome.pivots);
      retries += outcome.retries > 0 ? 1 : 0;
      if (outcome.status != Status::separated) break;
      record(velocity);
      moving = colliding(problem, velocity);
    }
    if (outcome.status == Status::separated && moving) outcome.status = Status::step_limit;

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
