#pragma once

#include "kernels/laws/set_valued/law.hpp"

namespace carom::inline CAROM_ISA {

/// The set-valued law with Stronge's energetic restitution at arbitrary relative rates, a variant
/// that Halm & Posa (Section 6) name. Every contact keeps a share e^2 of the work of its
/// compression; where it no longer approaches, it releases what it keeps by normal impulses as
/// large as its random caps, while the other contacts compress or release. The kinetic energy and
/// what the contacts keep never grow together, so the kinetic energy does not for any order,
/// friction and 0 <= e <= 1.
template <class Solver>
struct RestitutionLaw : SetValuedLaw<Solver> {
  using Base = SetValuedLaw<Solver>;
  using Size = typename Solver::Size;

  /// Energies are of impulses as speeds, see StepLcpView.
  struct State : Base::State {
    double kept[Size::contacts];      ///< energy that each contact can release
    double approach[Size::contacts];  ///< fastest since it last separated, m/s; 0: it does not
    double kinetic;                   ///< of the velocity
    double negligible;                ///< energy that counts as none

    CAROM_HOST_DEVICE void start_from(const StepLcpView& problem, const double* numbers) {
      const int m = problem.shape.contacts;
      const double* const own = numbers + 2 * problem.shape.impulses();
      Base::State::start_from(problem, numbers);
      for (int i = 0; i < m; ++i) {
        kept[i] = own[i];
        approach[i] = own[m + i];
      }
      kinetic = own[2 * m];
    }
    CAROM_HOST_DEVICE void write(const StepLcpView& problem, double* numbers) const {
      const int m = problem.shape.contacts;
      double* const own = numbers + 2 * problem.shape.impulses();
      Base::State::write(problem, numbers);
      for (int i = 0; i < m; ++i) {
        own[i] = kept[i];
        own[m + i] = approach[i];
      }
      own[2 * m] = kinetic;
    }
  };

  CAROM_HOST_DEVICE State begin(const StepLcpView& problem, const TrajectoryKey& key) const {
    constexpr double part = 1e-10;
    const double energy =
        kinetic_energy(problem, problem.pre_impact_velocity()) * problem.impulse_unit();
    State state{Base::begin(problem, key), {}, {}, energy, part * energy};
    for (int i = 0; i < problem.shape.contacts; ++i) state.kept[i] = state.approach[i] = 0.0;
    if (key.start != nullptr) state.start_from(problem, key.start);
    return state;
  }

  CAROM_HOST_DEVICE static bool done(const StepLcpView& problem, const TrajectoryKey& key,
                                     const State& state) {
    return keeps_nothing(problem, state) && state.separated(problem, key.tolerance);
  }

  CAROM_HOST_DEVICE Status step(const StepLcpView& problem, const TrajectoryKey& key, State& state,
                                std::uint32_t number, Counters& counters) const {
    const double* const selection = this->draw(problem, key, state, number);
    bool releases[Size::contacts];
    for (int i = 0; i < problem.shape.contacts; ++i) {
      const bool approaches = state.approaches(problem, i, key.tolerance);
      releases[i] = state.kept[i] > 0.0 && !approaches;
      const double speed = -state.speed[i * (1 + problem.shape.tangent_dimension)];
      state.approach[i] = approaches ? larger(speed, state.approach[i]) : 0.0;
    }
    Attempt best;
    Status status = attempt(problem, key, state, number, selection, releases, 1.0, counters, best);
    if (status != Status::separated) return status;
    if (best.excess > 0.0) {
      status = scale_down(problem, key, state, number, selection, releases, counters, best);
      if (status != Status::separated) return status;
    }
    account(problem, key, releases, best, state);
    for (int i = 0; i < problem.shape.impulses(); ++i) state.impulse[i] = best.impulse[i];
    state.advance(problem, best.after);
    return status;
  }

  /// Algorithm 2's final step, once nothing is kept.
  CAROM_HOST_DEVICE Status finish(const StepLcpView& problem, const TrajectoryKey& key,
                                  State& state, std::uint32_t number, Counters& counters) const {
    if (!keeps_nothing(problem, state)) return Status::step_limit;
    return Base::finish(problem, key, state, number, counters);
  }

 private:
  /// A step with caps scaled by some factor.
  struct Attempt {
    double impulse[Size::impulses];
    double after[Size::impulses];
    double work[Size::contacts];  ///< of the normal impulses; > 0: the contact pushed
    double kinetic;
    double pool;    ///< energy lost besides what was released
    double excess;  ///< energy beyond what the contacts keep; <= 0: the step is possible
  };

  CAROM_HOST_DEVICE static bool keeps_nothing(const StepLcpView& problem, const State& state) {
    for (int i = 0; i < problem.shape.contacts; ++i) {
      if (state.kept[i] > 0.0) return false;
    }
    return true;
  }

  CAROM_HOST_DEVICE static double released(const Attempt& attempt, int contact) {
    return larger(attempt.work[contact], 0.0);
  }

  /// A contact releases as much as its cap: as if it approached faster than anything can be.
  CAROM_HOST_DEVICE Status attempt(const StepLcpView& problem, const TrajectoryKey& key,
                                   const State& state, std::uint32_t number,
                                   const double* selection, const bool* releases, double scale,
                                   Counters& counters, Attempt& result) const {
    const ProblemShape& shape = problem.shape;
    const int size = shape.impulses();
    const int width = 1 + shape.tangent_dimension;
    const double* delassus = problem.delassus();
    double cap[Size::contacts];
    double before[Size::impulses];
    double push = 0.0;  // of all releases, the root of twice the energy that a mass at rest gets
    for (int i = 0; i < shape.contacts; ++i) {
      cap[i] = scale * state.cap[i];
      if (releases[i]) push += cap[i] * std::sqrt(delassus[i * width * (size + 1)]);
    }
    // At least the negligible energy, so that bodies at rest do not release beside rounding alone.
    const double energy = larger(state.kinetic, state.negligible);
    const double fastest = push + std::sqrt(std::fma(push, push, 2.0 * energy));
    for (int i = 0; i < size; ++i) before[i] = state.speed[i];
    for (int i = 0; i < shape.contacts; ++i) {
      if (!releases[i]) continue;
      before[i * width] -= 2.0 * fastest * std::sqrt(delassus[i * width * (size + 1)]);
    }
    // The solutions of the whole step are counted, not those of its scaled forms.
    std::uint16_t* const count = scale == 1.0 ? counters.solutions : nullptr;
    const StepOutcome outcome =
        this->solve(this->solver, problem, this->context_of(key, number, cap, selection, count),
                    before, result.impulse, result.after);
    counters.add(outcome);
    if (outcome.status != Status::separated) return outcome.status;
    for (int i = 0; i < shape.contacts; ++i) {
      if (!releases[i]) continue;
      double sum = state.speed[i * width];
      for (int j = 0; j < size; ++j) {
        sum = std::fma(delassus[i * width * size + j], result.impulse[j], sum);
      }
      result.after[i * width] = sum;
    }
    assess(problem, state, releases, result);
    return Status::separated;
  }

  /// Work is exact: an impulse times the mean of the speeds before and after.
  CAROM_HOST_DEVICE static void assess(const StepLcpView& problem, const State& state,
                                       const bool* releases, Attempt& result) {
    const int width = 1 + problem.shape.tangent_dimension;
    double gain = 0.0;
    for (int i = 0; i < problem.shape.impulses(); ++i) {
      const double work = 0.5 * result.impulse[i] * (state.speed[i] + result.after[i]);
      gain += work;
      if (i % width == 0) result.work[i / width] = work;
    }
    result.kinetic = state.kinetic + gain;
    result.pool = -gain;
    double left = 0.0;
    result.excess = -INFINITY;
    for (int i = 0; i < problem.shape.contacts; ++i) {
      if (!releases[i]) continue;
      const double debit = released(result, i);
      result.pool += debit;
      left += state.kept[i] - debit;
      result.excess = larger(debit - state.kept[i], result.excess);
    }
    // A step that releases nothing loses energy, but for rounding.
    if (result.excess > -INFINITY) result.excess = larger(-(result.pool + left), result.excess);
  }

  /// The largest caps, all by the same factor, that release no more than is kept.
  CAROM_HOST_DEVICE Status scale_down(const StepLcpView& problem, const TrajectoryKey& key,
                                      const State& state, std::uint32_t number,
                                      const double* selection, const bool* releases,
                                      Counters& counters, Attempt& best) const {
    constexpr int most = 60;
    constexpr double close = 0x1p-6;  // of the energy that is negligible
    double low = 0.0;
    double high = 1.0;
    double low_excess = -INFINITY;
    double high_excess = best.excess;
    Status status = Status::pivot_limit;  // no scale was possible
    for (int i = 0; i < most; ++i) {
      const double middle = 0.5 * (low + high);
      // The excess is nearly quadratic: its chord mostly is the better guess.
      const double chord = low + (high - low) * (low_excess / (low_excess - high_excess));
      const bool inside = chord > low && chord < high;
      const double scale = inside && i % 3 != 0 ? chord : middle;
      Attempt one;
      const Status its =
          attempt(problem, key, state, number, selection, releases, scale, counters, one);
      if (its != Status::separated) return its;
      if (one.excess > 0.0) {
        high = scale;
        high_excess = one.excess;
        continue;
      }
      low = scale;
      low_excess = one.excess;
      best = one;
      status = Status::separated;
      if (one.excess >= -close * state.negligible) break;
    }
    return status;
  }

  /// Moves the energies that contacts release and keep.
  CAROM_HOST_DEVICE void account(const StepLcpView& problem, const TrajectoryKey& key,
                                 const bool* releases, const Attempt& step, State& state) const {
    const int m = problem.shape.contacts;
    double compression = 0.0;
    for (int i = 0; i < m; ++i) compression += larger(-step.work[i], 0.0);
    const double share = !(compression > 0.0)      ? 0.0
                         : step.pool < compression ? larger(step.pool, 0.0) / compression
                                                   : 1.0;
    double owed = larger(-step.pool, 0.0);  // friction's work, paid by what is left
    for (int i = 0; i < m; ++i) {
      const double e = this->plan.restitution[key.problem * static_cast<std::uint64_t>(m) +
                                              static_cast<std::uint64_t>(i)];
      if (releases[i]) {
        state.kept[i] -= released(step, i);
        const double paid = smaller(owed, larger(state.kept[i], 0.0));
        state.kept[i] -= paid;
        owed -= paid;
      }
      const bool captured = state.approach[i] < this->plan.capture_speed;
      if (!captured) state.kept[i] += e * e * larger(-step.work[i], 0.0) * share;
      if (!(state.kept[i] >= state.negligible)) state.kept[i] = 0.0;
    }
    state.kinetic = larger(step.kinetic, 0.0);  // rounding may leave less than nothing of it
  }
};

}  // namespace carom::inline CAROM_ISA
