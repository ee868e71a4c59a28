#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "kernels/base/qualifiers.hpp"
#include "kernels/random/philox.hpp"
#include "kernels/step/contact_step.hpp"
#include "kernels/step/step_lcp_view.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom::inline CAROM_ISA {

/// Identifies a trajectory of a run, and gives the numbers that it draws.
struct TrajectoryKey {
  std::uint64_t problem;     ///< number of its problem in the batch
  std::uint64_t trajectory;  ///< its index, the counter of its random numbers
  Philox random;
  double tolerance;                ///< m/s: a contact that approaches slower is separated
  const double* start = nullptr;   ///< null, or the state from which it starts, see RunPlan
  const double* script = nullptr;  ///< null, or its numbers instead of random ones, see RunPlan
  int step_numbers = 0;            ///< of a script's step

  /// Null, or the script's numbers of a step.
  CAROM_HOST_DEVICE const double* scripted(std::uint32_t step) const {
    return script == nullptr ? nullptr
                             : script + static_cast<std::uint64_t>(step) *
                                            static_cast<std::uint64_t>(step_numbers);
  }
  /// Random numbers for what finds the solutions of a step. With a script they follow from the
  /// number that selects the step's solution, so that the script determines it whatever the solver.
  /// @param selection null, or that number
  CAROM_HOST_DEVICE Philox random_of(const double* selection) const {
    constexpr double digits = 0x1p53;
    return selection == nullptr ? random
                                : random.of(static_cast<std::uint64_t>(*selection * digits));
  }
  /// A number of a step in (0, 1]: the script's at `place`, or a random one.
  CAROM_HOST_DEVICE double number(std::uint32_t step, Purpose purpose, int place) const {
    if (script != nullptr) return scripted(step)[place];
    double pair[2];
    random.uniform_pair(step, purpose, 0, pair);
    return pair[0];
  }
};

/// A number below `count`, chosen by a number that is uniform on (0, 1].
CAROM_HOST_DEVICE inline int choose_evenly(double number, int count) {
  const int chosen = static_cast<int>(number * count);
  return chosen < count ? chosen : count - 1;
}

/// Counters of the steps of a trajectory.
struct Counters {
  std::uint32_t pivots = 0;
  std::uint32_t retries = 0;           ///< steps that double precision could not decide
  std::uint32_t tabulated = 0;         ///< steps that a table solved
  std::uint32_t rounds = 0;            ///< of the PLUS law
  bool final_step = false;             ///< Algorithm 2's final step was made
  std::uint16_t* solutions = nullptr;  ///< solution_bins counters, or null

  CAROM_HOST_DEVICE void add(const StepOutcome& outcome) {
    pivots += static_cast<std::uint32_t>(outcome.pivots);
    retries += outcome.retries > 0 ? 1 : 0;
    tabulated += outcome.status == Status::separated && outcome.tabulated ? 1 : 0;
  }
};

/// The state of a trajectory in contact coordinates: contact by contact, normal before tangential,
/// m (1 + d) each, impulses as speeds (see StepLcpView).
template <class Size>
struct ContactMotion {
  double speed[Size::impulses];       ///< m/s
  double impulse[Size::impulses];     ///< of the last step
  double total[Size::impulses] = {};  ///< of all impulses so far

  CAROM_HOST_DEVICE void start(const StepLcpView& problem) {
    contact_speeds(problem, problem.pre_impact_velocity(), speed);
  }

  /// @param numbers of a state, see RunPlan
  CAROM_HOST_DEVICE void start_from(const StepLcpView& problem, const double* numbers) {
    const int size = problem.shape.impulses();
    for (int i = 0; i < size; ++i) {
      total[i] = numbers[i];
      speed[i] = numbers[size + i];
    }
  }
  CAROM_HOST_DEVICE void start(const StepLcpView& problem, const TrajectoryKey& key) {
    if (key.start == nullptr) {
      start(problem);
    } else {
      start_from(problem, key.start);
    }
  }
  /// The numbers of the state, with which another trajectory can start.
  CAROM_HOST_DEVICE void write(const StepLcpView& problem, double* numbers) const {
    const int size = problem.shape.impulses();
    for (int i = 0; i < size; ++i) {
      numbers[i] = total[i];
      numbers[size + i] = speed[i];
    }
  }

  /// Continues after a step with `impulse`, at speeds `after`.
  CAROM_HOST_DEVICE void advance(const StepLcpView& problem, const double* after) {
    for (int i = 0; i < problem.shape.impulses(); ++i) {
      total[i] += impulse[i];
      speed[i] = after[i];
    }
  }

  CAROM_HOST_DEVICE bool approaches(const StepLcpView& problem, int contact,
                                    double tolerance) const {
    return !(speed[contact * (1 + problem.shape.tangent_dimension)] >= -tolerance);
  }

  CAROM_HOST_DEVICE bool separated(const StepLcpView& problem, double tolerance) const {
    for (int i = 0; i < problem.shape.contacts; ++i) {
      if (approaches(problem, i, tolerance)) return false;
    }
    return true;
  }
};

/// The interface of an impact law to the loop over a trajectory's steps. The loop itself draws no
/// numbers and never ends a trajectory.
///
/// begin() makes the state before the first step: a ContactMotion with any further state of the
/// law. done() returns whether the trajectory has its outcome. step() takes step `number` (0, 1,
/// ...). finish() is called if the trajectory is not done after N steps: it takes Algorithm 2's
/// final step, or none, which is Status::step_limit. Both draw the key's numbers and return
/// `separated` if the step was solved. What the law keeps from step to step is in write() of its
/// state, and begin() starts from it where the key has a start.
///
/// A law that begins at another velocity than the problem's has
///   void write_start(problem, key, double* velocity)   nv, m/s
template <class L>
concept ImpactLaw = std::is_trivially_copyable_v<L> &&
    std::derived_from<typename L::State, ContactMotion<typename L::Size>> &&
    requires(const L law, const StepLcpView& problem, const TrajectoryKey& key,
             typename L::State& state, std::uint32_t number, Counters& counters) {
  { law.begin(problem, key) } -> std::same_as<typename L::State>;
  { law.done(problem, key, state) } -> std::same_as<bool>;
  { law.step(problem, key, state, number, counters) } -> std::same_as<Status>;
  { law.finish(problem, key, state, number, counters) } -> std::same_as<Status>;
};

/// Base of laws that begin at the pre-impact velocity, have their outcome when no contact
/// approaches, and take no final step.
template <class ItsState>
struct UntilSeparated {
  CAROM_HOST_DEVICE static ItsState begin(const StepLcpView& problem, const TrajectoryKey& key) {
    ItsState state;
    state.start(problem, key);
    return state;
  }
  CAROM_HOST_DEVICE static bool done(const StepLcpView& problem, const TrajectoryKey& key,
                                     const ItsState& state) {
    return state.separated(problem, key.tolerance);
  }
  CAROM_HOST_DEVICE static Status finish(const StepLcpView&, const TrajectoryKey&, ItsState&,
                                         std::uint32_t, Counters&) {
    return Status::step_limit;
  }
};

}  // namespace carom::inline CAROM_ISA
