#pragma once

#include <cmath>
#include <cstdint>

#include "carom/rollout_columns.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/contact_bits.hpp"
#include "kernels/compliant/dormand_prince.hpp"
#include "kernels/compliant/guard_search.hpp"
#include "kernels/compliant/state_derivative.hpp"

namespace carom::inline CAROM_ISA {

/// A system on its way through a rollout: state, which contacts touch, and the derivative of the
/// state by the one at the start.
template <class System, bool differentiates>
struct CompliantState {
  static constexpr int size = System::max_states;
  using Mode = typename System::Mode;
  using Guards = typename System::Guards;
  using Derivative = StateDerivative<System, differentiates>;
  using GuardsAt = GuardsAtState<Guards>;

  double x[size];
  double rate[size];  ///< x'
  Guards guards;      ///< at x
  ContactBits bits;
  Mode mode;
  double time = 0.0;
  MetGuard goal;            ///< where the next step ends; `when` in seconds
  bool is_careful = false;  ///< the next step is a trial
  bool has_touched = false;
  std::uint32_t events = 0;
  std::uint32_t trials = 0;
  std::uint32_t grazes = 0;
  double end_time = 0.0;  ///< of the last event
  RolloutStatus status = RolloutStatus::done;
  Derivative derivative;

  /// The end of a step, not yet accepted.
  struct Step {
    double x[size];
    double rate[size];
    Guards guards;
    double time;  ///< that it takes
    typename Derivative::Stages stages;

    CAROM_HOST_DEVICE GuardsAt look() const { return {guards, x, rate}; }
  };

  CAROM_HOST_DEVICE bool is_open() const { return status == RolloutStatus::done; }
  CAROM_HOST_DEVICE GuardsAt look() const { return {guards, x, rate}; }

  CAROM_HOST_DEVICE void begin(const System& system) {
    guards = system.guards(x);
    for (int k = 0; k < system.contacts(); ++k) {
      if (look().value(k) >= 0.0) bits.flip(k);
    }
    system.set_mode(bits, mode);
    system.field(mode, guards, x, rate);
    derivative.begin(system);
  }

  /// How fast a guard is approached.
  CAROM_HOST_DEVICE double speed_to(int guard) const {
    return bits.with_sign(guard, look().rate(guard));
  }
  /// The time to a guard, to first order; negative if it is passed.
  CAROM_HOST_DEVICE double time_to(int guard) const {
    return -look().value(guard) / look().rate(guard);
  }

  /// A Runge-Kutta step of this length: in time or, with a guard, in its signed event function.
  /// False if the event function does not increase, or the state leaves the domain.
  CAROM_HOST_DEVICE bool advance(const System& system, double length, int guard, Step& step) const {
    constexpr int stages = DormandPrince::stages;
    const int n = system.states();
    double slopes[stages * size];
    double elapsed = 0.0;
    const bool rises = DormandPrince::for_each_stage([&]<int s>() {
      DormandPrince::combine<s, size>(n, x, slopes, step.x);
      if constexpr (s == 0) {
        for (int i = 0; i < n; ++i) step.rate[i] = rate[i];
        step.guards = guards;
      } else {
        step.guards = system.guards(step.x);
        system.field(mode, step.guards, step.x, step.rate);
      }
      double by = length;
      if (guard >= 0) {
        const double speed = bits.with_sign(guard, step.look().rate(guard));
        if (!(speed > 0.0)) return false;
        by = length / speed;
        elapsed = std::fma(DormandPrince::weight<stages, s>, by, elapsed);
      }
      for (int i = 0; i < n; ++i) slopes[s * size + i] = by * step.rate[i];
      step.stages.keep(s, n, step.x, by);
      return true;
    });
    if (!rises) return false;
    DormandPrince::combine<stages, size>(n, x, slopes, step.x);
    step.time = guard >= 0 ? elapsed : length;
    if (!is_finite(n, step.x) || !system.is_inside(step.x)) return false;
    step.guards = system.guards(step.x);
    system.field(mode, step.guards, step.x, step.rate);
    return true;
  }

  CAROM_HOST_DEVICE void accept(const System& system, const Step& step, double taken) {
    derivative.advance(system, mode, step.stages);
    for (int i = 0; i < system.states(); ++i) {
      x[i] = step.x[i];
      rate[i] = step.rate[i];
    }
    guards = step.guards;
    time += taken;
  }

  /// An Euler step.
  CAROM_HOST_DEVICE void project(const System& system, double taken) {
    derivative.project(system, mode, x, taken);
    for (int i = 0; i < system.states(); ++i) x[i] = std::fma(taken, rate[i], x[i]);
    time += taken;
    guards = system.guards(x);
    system.field(mode, guards, x, rate);
  }

  /// The event of a guard, at which the state is.
  CAROM_HOST_DEVICE void flip(const System& system, int guard) {
    derivative.approach(system, bits, x, rate, guard, time);
    bits.flip(guard);
    if constexpr (requires { system.flip_mode(bits, guard, mode); }) {
      system.flip_mode(bits, guard, mode);
    } else {
      system.set_mode(bits, mode);
    }
    system.field(mode, guards, x, rate);
    derivative.pass(system, x, rate);
  }

  CAROM_HOST_DEVICE void write_derivative(const System& system, double* out) {
    if (is_open() && derivative.is_one_sided()) status = RolloutStatus::corner;
    derivative.write(system, is_open() || status == RolloutStatus::corner, out);
  }

 private:
  CAROM_HOST_DEVICE static bool is_finite(int n, const double* numbers) {
    double zeros = 0.0;  // NaN if one is not
    for (int i = 0; i < n; ++i) zeros = std::fma(0.0, numbers[i], zeros);
    return zeros == 0.0;
  }
};

}  // namespace carom::inline CAROM_ISA
