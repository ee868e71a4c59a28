#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/laws/plus/draw.hpp"
#include "kernels/laws/plus/interval.hpp"
#include "kernels/laws/plus/plan.hpp"
#include "kernels/trajectory/law.hpp"

namespace carom::inline CAROM_ISA {

/// Restitution at an approach speed (Uchida, Sherman & Delp, Figure 2).
CAROM_HOST_DEVICE inline double plus_restitution(double approach, double least,
                                                 const PlusParameters& parameters) {
  if (!(approach > 0.0) || approach < parameters.capture_speed) return 0.0;
  if (!(approach < parameters.plastic_speed)) return least;
  return std::fma(-(1.0 - least), approach / parameters.plastic_speed, 1.0);
}

/// Poisson's restitution in rounds of compression and expansion with Coulomb friction (Uchida,
/// Sherman & Delp, Algorithm 2): contacts that approach compress, and what compression gathered
/// expands in the next round. Each step is an interval of a round.
template <class AnySize>
struct PlusLaw {
  using Size = AnySize;

  struct State : ContactMotion<Size> {
    PlusParameters parameters;
    double friction[Size::contacts];  ///< coefficients, fixed by the first slip
    double e_min[Size::contacts];
    double restitution[Size::contacts];  ///< of this round
    double expansion[Size::contacts];    ///< impulse left to release in this round
    double gathered[Size::contacts];     ///< impulse to release in the next
    PlusTask task[Size::contacts];
    double fastest = 0.0;  ///< contact speed before the impact, m/s
    double impulse_tolerance;
    bool in_round = false;
    bool pushed = false;  ///< whether the round had an impulse
  };

  PlusPlan plan;

  /// The velocity (nv) before the impact, m/s.
  CAROM_HOST_DEVICE void write_start(const StepLcpView& problem, const TrajectoryKey& key,
                                     double* velocity) const {
    draw_velocity(plan, problem, key, velocity);
  }

  CAROM_HOST_DEVICE State begin(const StepLcpView& problem, const TrajectoryKey& key) const {
    State state;
    double velocity[Size::velocities];
    write_start(problem, key, velocity);
    contact_speeds(problem, velocity, state.speed);
    state.parameters = draw_parameters(plan, key.random);
    const PlusContacts<Size> drawn(plan, problem, key);
    const int d = problem.shape.tangent_dimension;
    double stopping = 0.0;
    double softest = 0.0;  // admittance
    for (int i = 0; i < problem.shape.contacts; ++i) {
      const int normal = i * (1 + d);
      const double* slip = state.speed + normal + 1;
      const double slip_speed =
          d == 1 ? std::fabs(slip[0]) : std::sqrt(std::fma(slip[0], slip[0], slip[1] * slip[1]));
      const bool rests = slip_speed < state.parameters.transition_speed;
      const double coefficient = rests ? drawn.static_friction[i] : drawn.friction[i];
      state.friction[i] = std::fma(state.parameters.viscous_friction, slip_speed, coefficient);
      state.e_min[i] = drawn.restitution[i];
      state.gathered[i] = 0.0;
      const double admittance = problem.delassus()[normal * (problem.shape.impulses() + 1)];
      stopping = larger(stopping, -state.speed[normal] / admittance);
      softest = larger(softest, admittance);
    }
    for (int i = 0; i < problem.shape.impulses(); ++i) {
      state.fastest = larger(state.fastest, std::fabs(state.speed[i]));
    }
    state.impulse_tolerance =
        larger(impulse_rounding * stopping,
               smaller(impulse_noise * stopping, 0.5 * key.tolerance / softest));
    return state;
  }

  CAROM_HOST_DEVICE static bool done(const StepLcpView& problem, const TrajectoryKey& key,
                                     const State& state) {
    return !state.in_round && !has_gathered(problem, state) &&
           state.separated(problem, key.tolerance);
  }

  CAROM_HOST_DEVICE Status step(const StepLcpView& problem, const TrajectoryKey& key, State& state,
                                std::uint32_t, Counters& counters) const {
    if (!state.in_round) {
      if (counters.rounds == plan.max_rounds) return Status::step_limit;
      ++counters.rounds;
      begin_round(problem, key, state);
    }
    PlusInterval<Size> interval(problem, state.speed, state.friction, state.fastest,
                                state.impulse_tolerance);
    if (!interval.solve(state.task, state.expansion, state.parameters.transition_speed,
                        plan.backtracks)) {
      return Status::no_solution;
    }
    const double part = interval.length(state.parameters);
    double after[Size::impulses];
    for (int i = 0; i < problem.shape.impulses(); ++i) {
      state.impulse[i] = part * interval.impulse()[i];
      after[i] = std::fma(part, interval.response()[i], state.speed[i]);
      state.pushed = state.pushed || std::fabs(state.impulse[i]) > state.impulse_tolerance;
    }
    state.advance(problem, after);
    for (int i = 0; i < problem.shape.contacts; ++i) {
      if (state.task[i] == PlusTask::compressing) {
        const double push = state.impulse[i * (1 + problem.shape.tangent_dimension)];
        state.gathered[i] = std::fma(state.restitution[i], push, state.gathered[i]);
      }
      state.expansion[i] *= 1.0 - part;
    }
    if (part < 1.0) return Status::separated;
    return end_round(problem, key, state);
  }

  CAROM_HOST_DEVICE static Status finish(const StepLcpView&, const TrajectoryKey&, State&,
                                         std::uint32_t, Counters&) {
    return Status::step_limit;
  }

 private:
  /// Impulses below this fraction of the largest that stops a contact alone count as none, unless
  /// they stop an approach that counts.
  static constexpr double impulse_noise = 1e-9;
  /// The same, in any case.
  static constexpr double impulse_rounding = 1e-13;

  CAROM_HOST_DEVICE static bool has_gathered(const StepLcpView& problem, const State& state) {
    for (int i = 0; i < problem.shape.contacts; ++i) {
      if (state.gathered[i] > 0.0) return true;
    }
    return false;
  }

  CAROM_HOST_DEVICE static void begin_round(const StepLcpView& problem, const TrajectoryKey& key,
                                            State& state) {
    for (int i = 0; i < problem.shape.contacts; ++i) {
      const double approach = -state.speed[i * (1 + problem.shape.tangent_dimension)];
      state.restitution[i] = plus_restitution(approach, state.e_min[i], state.parameters);
      state.expansion[i] = state.gathered[i];
      state.gathered[i] = 0.0;
      state.task[i] = state.expansion[i] > 0.0                      ? PlusTask::expanding
                      : state.approaches(problem, i, key.tolerance) ? PlusTask::compressing
                                                                    : PlusTask::observing;
    }
    state.in_round = true;
    state.pushed = false;
  }

  CAROM_HOST_DEVICE static Status end_round(const StepLcpView& problem, const TrajectoryKey& key,
                                            State& state) {
    state.in_round = false;
    for (int i = 0; i < problem.shape.contacts; ++i) {
      if (!(state.gathered[i] > state.impulse_tolerance)) state.gathered[i] = 0.0;
    }
    const bool stands = !state.pushed && !has_gathered(problem, state);
    return stands && !state.separated(problem, key.tolerance) ? Status::no_progress
                                                              : Status::separated;
  }
};

}  // namespace carom::inline CAROM_ISA
