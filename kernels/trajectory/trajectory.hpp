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
  double* steps = nullptr;     ///< of each: impulse, contact speeds after (m (1 + d), as speeds);
                               ///< at most N + 1 of them
  double* velocity = nullptr;  ///< nv, before the first step, m/s; null: not wanted
  int count = 0;               ///< steps written
};

/// Sets the counters of a row's solutions to zero, if it has some.
CAROM_HOST_DEVICE inline void clear_solution_count(const SampleView& row) {
  if (row.solution_count == nullptr) return;
  for (int b = 0; b < solution_bins; ++b) row.solution_count[b] = 0;
}

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
/// the law's finish(). begin(), has_step(), advance() and write() are the body of the CPU loop and
/// of the CUDA kernel.
template <ImpactLaw Law>
struct Trajectory {
  using Size = typename Law::Size;
  using State = typename Law::State;

  Law law;
  RunPlan plan;

  /// A trajectory under way.
  struct Run {
    TrajectoryKey key;
    StepLcpView problem;
    State state;
    TrajectoryEnd end;
  };

  /// The run of an item before its first step.
  /// @param row null: it will have none
  CAROM_HOST_DEVICE Run begin(std::uint64_t item, const SampleView* row) const {
    const TrajectoryKey key = key_of(item);
    return begin(problem_of(key), key, row);
  }

  /// Whether the run has another step; its status, if that is because of the steps' number.
  CAROM_HOST_DEVICE bool has_step(Run& run) const {
    if (law.done(run.problem, run.key, run.state)) return false;
    if (run.end.counters.final_step) run.end.status = Status::step_limit;
    return !run.end.counters.final_step;
  }

  /// Takes the next step of a run that has one; false, with the status, if it was not solved.
  CAROM_HOST_DEVICE bool advance(Run& run) const {
    const auto limit = static_cast<std::uint32_t>(plan.max_steps);
    auto& [key, problem, state, end] = run;
    if (end.steps == limit) {
      end.status = law.finish(problem, key, state, limit, end.counters);
    } else {
      end.status = law.step(problem, key, state, end.steps++, end.counters);
    }
    return end.status == Status::separated;
  }

  // advance() in two parts, for laws that pose their steps to those who solve them.

  /// Poses the next step of a run that has one; false, with the status, if no step can be posed.
  template <class Context>
  CAROM_HOST_DEVICE bool pose(Run& run, Context& context) const {
    const auto limit = static_cast<std::uint32_t>(plan.max_steps);
    auto& [key, problem, state, end] = run;
    if (end.steps < limit) {
      context = law.pose(problem, key, state, end.steps++, end.counters);
    } else if (law.has_final_step(key)) {
      context = law.pose_final(problem, key, state, limit, end.counters);
    } else {
      end.status = Status::step_limit;
    }
    return end.status == Status::separated;
  }
  /// Takes the step that was solved; false, with the status, if it was not.
  CAROM_HOST_DEVICE bool take(Run& run, const StepOutcome& outcome, const double* after) const {
    run.end.status = law.take(run.problem, run.state, outcome, after, run.end.counters);
    return run.end.status == Status::separated;
  }

  /// Writes the row of a run.
  CAROM_HOST_DEVICE void write(const Run& run, const SampleView& row) const {
    const StepLcpView problem = Size::narrow(run.problem);
    double velocity[Size::velocities];  // a device would go to its memory for every term
    write_velocity(run, velocity);
    for (int j = 0; j < problem.shape.velocities; ++j) row.velocity[j] = velocity[j];
    write_impulse(problem, run.state, row.impulse);
    *row.energy = kinetic_energy(problem, velocity);
    write_end(run.end, row);
  }

  /// Writes the state at the end of an item's run, if the plan wants it.
  CAROM_HOST_DEVICE void write_state(const Run& run, std::uint64_t item) const {
    if (plan.ends == nullptr) return;
    run.state.write(run.problem, plan.ends + item * static_cast<std::uint64_t>(plan.state_size));
  }

  /// The trajectory of a key in a problem of the caller's own, and its row.
  CAROM_HOST_DEVICE void run(const StepLcpView& problem, const TrajectoryKey& key,
                             const SampleView& row) const {
    Run run = begin(problem, key, &row);
    while (has_step(run) && advance(run)) {
    }
    write(run, row);
  }

  /// The same, but only the velocity after the trajectory is written, if it separates.
  CAROM_HOST_DEVICE Status after(const StepLcpView& problem, const TrajectoryKey& key,
                                 double* velocity) const {
    Run run = begin(problem, key, nullptr);
    while (has_step(run) && advance(run)) {
    }
    if (run.end.status == Status::separated) write_velocity(run, velocity);
    return run.end.status;
  }

  /// The same for an item on the host, in one program for all that may be asked of it.
  /// @param row null: only the state at the end is written; with N = 0, that at the start
  /// @param record null: the steps are not wanted
  CAROM_ONE_COPY Status follow(std::uint64_t item, const SampleView* row,
                               StepRecord* record) const {
    Run run = begin(item, row);
    if (record != nullptr && record->velocity != nullptr) {
      write_start(run.problem, run.key, record->velocity);
    }
    const bool moves = row != nullptr || record != nullptr || plan.max_steps > 0;
    while (moves && has_step(run) && advance(run)) {
      if (record != nullptr) add_step(run.state, *record);
    }
    if (row != nullptr) write(run, *row);
    write_state(run, item);
    return run.end.status;
  }

  /// Items side by side.
  static constexpr int together = 4;

  /// The same for at most `together` items: for laws whose steps are so short that a processor
  /// computes those of several trajectories in the time of one.
  void run_together(std::uint64_t first, std::size_t row, int count, const SampleView& out) const {
    const auto row_of = [&](int i) {
      return out.from(row + static_cast<std::size_t>(i < count ? i : 0), plan.rows);
    };
    const auto begin_of = [&](int i) {
      const std::uint64_t item = first + static_cast<unsigned>(i < count ? i : 0);
      if (out.solution_count == nullptr) return begin(item, nullptr);
      const SampleView its_row = row_of(i);
      return begin(item, &its_row);
    };
    Run runs[together] = {begin_of(0), begin_of(1), begin_of(2), begin_of(3)};
    bool moves[together] = {true, true, true, true};
    const bool one_problem = runs[0].problem.data == runs[together - 1].problem.data;
    std::uint32_t number = 0;  // of the step
    for (int open = count; open > 0; ++number) {
      open = 0;
      if (one_problem) law.draw_together(runs, number);
      for (int i = 0; i < count; ++i) {
        moves[i] = moves[i] && has_step(runs[i]) && advance(runs[i]);
        open += moves[i] ? 1 : 0;
      }
    }
    constexpr int lanes = row_lanes<double, together>;
    for (int i = 0; i < count; i += lanes) write_lanes<lanes>(runs + i, count - i, i, row_of);
  }

 private:
  /// write() of so many runs, of which `count` are wanted, that start with the problem's velocity:
  /// velocities and energies side by side.
  template <int lanes, class RowOf>
  CAROM_ONE_COPY void write_lanes(const Run* runs, int count, int first,
                                  const RowOf& row_of) const {
    using Value = Lanes<double, lanes>;
    const StepLcpView& problem = runs[0].problem;
    const int some = count < lanes ? count : lanes;
    bool alone = some == 1;
    for (int i = 0; i < some; ++i) alone = alone || runs[i].problem.data != problem.data;
    if (alone) {
      for (int i = 0; i < some; ++i) write(runs[i], row_of(first + i));
      return;
    }
    const int nv = problem.shape.velocities;
    Value velocity[Size::velocities];
    Value total[Size::impulses];
    for (int j = 0; j < problem.shape.impulses(); ++j) {
      total[j] = Value::each([&](int i) { return runs[i < some ? i : 0].state.total[j]; });
    }
    velocity_of(problem, total, velocity);
    double energies[lanes];
    kinetic_energy(problem, velocity).store(energies);
    double numbers[Size::velocities][lanes];
    for (int j = 0; j < nv; ++j) velocity[j].store(numbers[j]);
    for (int i = 0; i < some; ++i) {
      const SampleView row = row_of(first + i);
      for (int j = 0; j < nv; ++j) row.velocity[j] = numbers[j][i];
      write_impulse(problem, runs[i].state, row.impulse);
      *row.energy = energies[i];
      write_end(runs[i].end, row);
    }
  }

  CAROM_HOST_DEVICE Run begin(const StepLcpView& problem, const TrajectoryKey& key,
                              const SampleView* row) const {
    Run run{key, problem, law.begin(Size::narrow(problem), key), {}};
    if (row != nullptr) begin_row(*row, run.end);
    return run;
  }

  CAROM_HOST_DEVICE static void begin_row(const SampleView& row, TrajectoryEnd& end) {
    end.counters.solutions = row.solution_count;
    clear_solution_count(row);
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

  /// The velocity (nv) after a run's impulses.
  CAROM_HOST_DEVICE void write_velocity(const Run& run, double* velocity) const {
    const StepLcpView problem = Size::narrow(run.problem);
    write_start(problem, run.key, velocity);
    apply_impulse(problem, run.state.total, velocity);
  }

  /// The rows may have tangents that the law's shape lacks.
  CAROM_HOST_DEVICE void write_impulse(const StepLcpView& problem, const State& state,
                                       double* row) const {
    const int given = 1 + plan.shape.tangent_dimension;
    const int wanted = 1 + plan.rows.tangent_dimension;
    const int contacts = plan.shape.contacts;
    const double per_speed = 1.0 / problem.impulse_unit();  // a power of two
    if (given < wanted) {
      for (int i = 0; i < contacts * wanted; ++i) row[i] = 0.0;
    }
    for (int a = 0; a < given; ++a) {
      for (int i = 0; i < contacts; ++i)
        row[i * wanted + a] = state.total[i * given + a] * per_speed;
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

  CAROM_HOST_DEVICE StepLcpView problem_of(const TrajectoryKey& key) const {
    return {plan.shape, plan.problems + key.problem * plan.stride};
  }
};

}  // namespace carom::inline CAROM_ISA
