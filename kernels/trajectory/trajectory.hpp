#pragma once

#include <cstdint>

#include "kernels/step/contact_step.hpp"
#include "kernels/trajectory/law.hpp"
#include "kernels/trajectory/run_plan.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom::inline CAROM_ISA {

/// How a trajectory ended, besides its velocity and impulses.
struct TrajectoryEnd {
  Status status = Status::separated;
  std::uint32_t steps = 0;  ///< without the final step
  Counters counters;
};

/// Where the steps of a trajectory are written.
struct StepRecord {
  double* steps = nullptr;     ///< impulse and contact speeds after (m (1 + d) each, as speeds) of each step,
                               ///< at most N + 1 of them
  double* velocity = nullptr;  ///< nv, before the first step, m/s; null: not wanted
  int count = 0;               ///< steps written
};

/// Writes a row except velocity, impulse and energy. The law has written solution_count.
CAROM_HOST_DEVICE inline void write_end(const TrajectoryEnd& end, const SampleView& row) {
  *row.status = end.status;
  *step_counts(row) = end.steps;
  if (row.rounds != nullptr) *row.rounds = end.counters.rounds;
  if (row.lcp_count == nullptr) return;
  *row.pivot_count = end.counters.pivots;
  *row.retry_count = end.counters.retries;
  *row.table_count = end.counters.tabulated;
  *row.final_step = end.counters.final_step ? 1 : 0;
}

/// One trajectory as a function of its work item: steps of a law until it is done, at most N, then
/// the law's finish(). `out[row] = program(item)` is the body of the CPU loop and of the CUDA
/// kernel.
template <ImpactLaw Law>
struct Trajectory {
  using Size = typename Law::Size;
  using State = typename Law::State;

  Law law;
  RunPlan plan;

  CAROM_HOST_DEVICE void operator()(std::uint64_t item, std::size_t row,
                                    const SampleView& out) const {
    const TrajectoryKey key = key_of(item);
    const State state = run(problem_of(key), key, out.from(row, plan.rows));
    if (plan.ends != nullptr) write_state(problem_of(key), state, item);
  }

  /// The trajectory of a key in a problem, which may be the caller's own, and its row.
  CAROM_HOST_DEVICE State run(const StepLcpView& problem, const TrajectoryKey& key,
                              const SampleView& row) const {
    TrajectoryEnd end;
    begin_row(row, end);
    State state = law.begin(problem, key);
    while (advance(problem, key, state, end)) {
    }
    write(problem, key, state, end, row);
    return state;
  }

  /// The same, but only the velocity after the trajectory is written, if it separates.
  CAROM_HOST_DEVICE Status after(const StepLcpView& problem, const TrajectoryKey& key,
                                 double* velocity) const {
    TrajectoryEnd end;
    State state = law.begin(problem, key);
    while (advance(problem, key, state, end)) {
    }
    if (end.status == Status::separated) write_velocity(problem, key, state, velocity);
    return end.status;
  }

  /// The same for an item on the host, in one program for all that may be asked of it.
  /// @param row null: only the state at the end is written; with N = 0, that at the start
  /// @param record null: the steps are not wanted
  CAROM_ONE_COPY Status follow(std::uint64_t item, const SampleView* row, StepRecord* record) const {
    const TrajectoryKey key = key_of(item);
    const StepLcpView problem = problem_of(key);
    if (record != nullptr && record->velocity != nullptr) {
      write_start(problem, key, record->velocity);
    }
    TrajectoryEnd end;
    if (row != nullptr) begin_row(*row, end);
    State state = law.begin(problem, key);
    const bool moves = row != nullptr || record != nullptr || plan.max_steps > 0;
    while (moves && advance(problem, key, state, end)) {
      if (record != nullptr) add_step(state, *record);
    }
    if (row != nullptr) write(problem, key, state, end, *row);
    if (plan.ends != nullptr) write_state(problem, state, item);
    return end.status;
  }

  /// Items side by side.
  static constexpr int together = 4;

  /// The same for at most `together` items: for laws whose steps are so short that a processor
  /// computes those of several trajectories in the time of one.
  void run_together(std::uint64_t first, std::size_t row, int count, const SampleView& out) const {
    const auto item = [&](int i) { return first + static_cast<unsigned>(i < count ? i : 0); };
    Run runs[together] = {begin(item(0)), begin(item(1)), begin(item(2)), begin(item(3))};
    for (int open = count; open > 0;) {
      open = 0;
      for (int i = 0; i < count; ++i) {
        Run& run = runs[i];
        run.open = run.open && advance(run.problem, run.key, run.state, run.end);
        open += run.open ? 1 : 0;
      }
    }
    for (int i = 0; i < count; ++i) {
      const Run& run = runs[i];
      write(run.problem, run.key, run.state, run.end,
            out.from(row + static_cast<std::size_t>(i), plan.rows));
    }
  }

 private:
  /// A trajectory under way.
  struct Run {
    TrajectoryKey key;
    StepLcpView problem;
    State state;
    TrajectoryEnd end;
    bool open;
  };

  Run begin(std::uint64_t item) const {
    const TrajectoryKey key = key_of(item);
    const StepLcpView problem = problem_of(key);
    return {key, problem, law.begin(problem, key), {}, true};
  }

  CAROM_HOST_DEVICE static void begin_row(const SampleView& row, TrajectoryEnd& end) {
    end.counters.solutions = row.solution_count;
    if (row.solution_count == nullptr) return;
    for (int b = 0; b < solution_bins; ++b) row.solution_count[b] = 0;
  }

  void add_step(const State& state, StepRecord& record) const {
    const int size = plan.shape.impulses();
    double* const impulse = record.steps + 2 * size * record.count++;
    for (int i = 0; i < size; ++i) impulse[i] = state.impulse[i];
    for (int i = 0; i < size; ++i) impulse[size + i] = state.speed[i];
  }

  /// The velocity (nv) before the first step.
  CAROM_HOST_DEVICE void write_start(const StepLcpView& problem, const TrajectoryKey& key,
                                     double* velocity) const {
    if constexpr (requires { law.write_start(problem, key, velocity); }) {
      law.write_start(problem, key, velocity);
    } else {
      for (int j = 0; j < problem.shape.velocities; ++j) {
        velocity[j] = problem.pre_impact_velocity()[j];
      }
    }
  }

  /// The velocity (nv) after the state's impulses.
  CAROM_HOST_DEVICE void write_velocity(const StepLcpView& problem, const TrajectoryKey& key,
                                        const State& state, double* velocity) const {
    write_start(problem, key, velocity);
    apply_impulse(problem, state.total, velocity);
  }

  CAROM_HOST_DEVICE void write(const StepLcpView& problem, const TrajectoryKey& key,
                               const State& state, const TrajectoryEnd& end,
                               const SampleView& mine) const {
    write_velocity(problem, key, state, mine.velocity);
    write_impulse(problem, state, mine.impulse);
    *mine.energy = kinetic_energy(problem, mine.velocity);
    write_end(end, mine);
  }

  /// The rows may have tangents that the law's shape lacks.
  CAROM_HOST_DEVICE void write_impulse(const StepLcpView& problem, const State& state,
                                       double* row) const {
    const int given = 1 + plan.shape.tangent_dimension;
    const int wanted = 1 + plan.rows.tangent_dimension;
    for (int i = 0; i < plan.shape.contacts; ++i) {
      for (int a = 0; a < wanted; ++a) {
        row[i * wanted + a] = a < given ? state.total[i * given + a] / problem.impulse_unit() : 0.0;
      }
    }
  }

  CAROM_HOST_DEVICE TrajectoryKey key_of(std::uint64_t item) const {
    const std::uint64_t problem = plan.trajectories == 0 ? 0 : item / plan.trajectories;
    const std::uint64_t trajectory = plan.first_trajectory + item - problem * plan.trajectories;
    const std::uint64_t script_size = static_cast<std::uint64_t>(plan.script_steps) *
                                      static_cast<std::uint64_t>(plan.step_numbers);
    const auto state_size = static_cast<std::uint64_t>(plan.state_size);
    return {problem,
            trajectory,
            Philox(plan.seed, plan.first_problem + static_cast<std::uint32_t>(problem), trajectory),
            plan.tolerance,
            plan.start == nullptr ? nullptr : plan.start + item * state_size,
            plan.script == nullptr ? nullptr : plan.script + item * script_size,
            plan.step_numbers};
  }

  CAROM_HOST_DEVICE void write_state(const StepLcpView& problem, const State& state,
                                     std::uint64_t item) const {
    state.write(problem, plan.ends + item * static_cast<std::uint64_t>(plan.state_size));
  }

  CAROM_HOST_DEVICE StepLcpView problem_of(const TrajectoryKey& key) const {
    return {plan.shape, plan.problems + key.problem * plan.stride};
  }

  /// Takes the next step; false, with the status, if there is none or it was not solved.
  CAROM_HOST_DEVICE bool advance(const StepLcpView& problem, const TrajectoryKey& key, State& state,
                                 TrajectoryEnd& end) const {
    const auto limit = static_cast<std::uint32_t>(plan.max_steps);
    if (law.done(problem, key, state)) return false;
    if (end.counters.final_step) {
      end.status = Status::step_limit;
    } else if (end.steps == limit) {
      end.status = law.finish(problem, key, state, limit, end.counters);
    } else {
      end.status = law.step(problem, key, state, end.steps++, end.counters);
    }
    return end.status == Status::separated;
  }
};

}  // namespace carom::inline CAROM_ISA
