#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/contact_step.hpp"
#include "kernels/draw_caps.hpp"
#include "kernels/laws/step_context.hpp"
#include "kernels/philox.hpp"
#include "kernels/sample_view.hpp"
#include "kernels/step_outcome.hpp"

namespace carom::inline CAROM_ISA {

/// Told the sum of impulses after every step, and caps, impulses and speeds after of the step; this
/// one does not listen.
struct NoRecorder {
  CAROM_HOST_DEVICE void operator()(const StepLcpView&, const double*) const {}
  CAROM_HOST_DEVICE void step(const double*, const double*, const double*) const {}
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
    const std::uint64_t trajectory = plan.first_trajectory + item - index * plan.trajectories;
    const StepLcpView problem{plan.shape, plan.problems + index * plan.stride};
    const int m = plan.shape.contacts;
    const SampleView mine = out.from(row, plan.rows);
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
    context.tree = plan.trees == nullptr ? nullptr : plan.trees + index;
    context.solution_count = mine.solution_count;
    if (mine.solution_count != nullptr) {
      for (int b = 0; b < solution_bins; ++b) mine.solution_count[b] = 0;
    }

    // All in contact coordinates, as speeds; the velocity is that of the impulses' sum.
    const int impulses = plan.shape.impulses();
    double speed[Size::impulses];
    double after[Size::impulses];
    double impulse[Size::impulses];
    double total[Size::impulses] = {};
    double cap[Size::contacts];
    context.cap = cap;
    contact_speeds(problem, problem.pre_impact_velocity(), speed);
    record(problem, total);

    StepOutcome outcome;
    std::uint32_t lcps = 0;
    std::uint32_t pivots = 0;
    std::uint32_t retries = 0;
    std::uint32_t tabulated = 0;
    bool final_step = false;
    bool moving = colliding(speed);
    for (int step = 0; step <= plan.max_steps && moving; ++step) {
      context.step = static_cast<std::uint32_t>(step);
      final_step = step == plan.max_steps;
      if (final_step) {
        for (int i = 0; i < m; ++i) cap[i] = problem.final_cap() * problem.impulse_unit();
        context.scripted_selection = nullptr;
      } else {
        if (script == nullptr) {
          source.draw(context.step, cap);
        } else {
          for (int i = 0; i < m; ++i) cap[i] = script[i];
          context.scripted_selection = script + m;
          script += m + 1;
        }
        for (int i = 0; i < m; ++i) cap[i] *= problem.impulse_step() * problem.impulse_unit();
        ++lcps;
      }
      outcome = law(problem, context, speed, impulse, after);
      pivots += static_cast<std::uint32_t>(outcome.pivots);
      retries += outcome.retries > 0 ? 1 : 0;
      if (outcome.status != Status::separated) break;
      tabulated += outcome.tabulated ? 1 : 0;
      record.step(cap, impulse, after);
      for (int i = 0; i < impulses; ++i) {
        total[i] += impulse[i];
        speed[i] = after[i];
      }
      record(problem, total);
      moving = colliding(speed);
    }
    if (outcome.status == Status::separated && moving) outcome.status = Status::step_limit;

    velocity_of(problem, total, mine.velocity);
    for (int i = 0; i < impulses; ++i) mine.impulse[i] = total[i] / problem.impulse_unit();
    *mine.energy = kinetic_energy(problem, mine.velocity);
    *mine.status = outcome.status;
    *mine.lcp_count = lcps;
    *mine.pivot_count = pivots;
    *mine.retry_count = retries;
    *mine.table_count = tabulated;
    *mine.final_step = final_step ? 1 : 0;
  }

 private:
  CAROM_HOST_DEVICE bool colliding(const double* speed) const {
    const int width = 1 + plan.shape.tangent_dimension;
    for (int i = 0; i < plan.shape.contacts; ++i) {
      if (!(speed[i * width] >= -plan.tolerance)) return true;
    }
    return false;
  }
};

}  // namespace carom::inline CAROM_ISA
