// Compiled once per instruction set. All inline functions that it instantiates are in the inline
// namespace CAROM_ISA, and it includes only those parts of the standard library that are always
// inlined.
#include "kernels/cpu/run_items.hpp"

#include "kernels/cpu/solve_steps.hpp"
#include "kernels/laws/program_list.hpp"
#include "kernels/laws/set_valued/known_path.hpp"
#include "kernels/laws/set_valued/learning.hpp"
#include "kernels/laws/set_valued/trajectory_block.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/velocity.hpp"
#include "kernels/trajectory/trajectory.hpp"

namespace carom::inline CAROM_ISA {

extern const TrajectoryRunner compiled_runner;

/// The law of a plan if pivot trees can solve its steps; else null.
static const SetValuedPlan* law_with_trees(const SamplingPlan& plan) {
  const auto* law = std::get_if<SetValuedPlan>(&plan.law);
  const bool serves = law != nullptr &&
                      (law->solutions == Solutions::first || law->solutions == Solutions::table) &&
                      plan.script == nullptr && law->restitution == nullptr &&
                      TwoPlanarContacts::is_shape_of(plan.shape);
  return serves ? law : nullptr;
}

static bool uses_trees(const SamplingPlan& plan) { return law_with_trees(plan) != nullptr; }

#if defined(CAROM_HAS_VECTORS)
using Block = TrajectoryBlock<TwoPlanarContacts>;
constexpr std::uint64_t most_at_once = Block::most;
#else
constexpr std::uint64_t most_at_once = 128;
#endif

/// The trajectories of one problem that are run together.
struct Run {
  std::uint64_t problem;
  std::uint64_t trajectory;  ///< the first trajectory
  std::uint64_t row;
  std::uint64_t count;
};

/// The run that begins at row `row` of items first, first + 1, ..., with at most `most`
/// trajectories.
static Run next_run(const RunPlan& plan, std::uint64_t first, std::uint64_t row,
                    std::uint64_t most) {
  const std::uint64_t item = first + row;
  if (plan.trajectories == 0) return {0, plan.first_trajectory + item, row, most};
  const std::uint64_t problem = item / plan.trajectories;
  const std::uint64_t done = item - problem * plan.trajectories;
  const std::uint64_t left = plan.trajectories - done;
  return {problem, plan.first_trajectory + done, row, most < left ? most : left};
}

template <class Program>
static void run_one(const Program& program, std::uint64_t item, std::uint64_t row,
                    const SampleView& out) {
  const SampleView mine = out.from(row, program.plan.rows);
  program.follow(item, &mine, nullptr);
}

/// Runs trajectories with the tree. `complete` runs those that the tree does not know, or all of
/// them if the tree is empty.
template <class Program>
static void run_block(const RunPlan& plan, const SetValuedPlan& law, const PivotTree& tree,
                      const Run& run, std::uint64_t first, const SampleView& out,
                      const Program& complete) {
  const auto repeat = [&](std::uint64_t i) {
    run_one(complete, first + run.row + i, run.row + i, out);
  };
  if (tree.leaves == 0) {
    for (std::uint64_t i = 0; i < run.count; ++i) repeat(i);
    return;
  }
#if defined(CAROM_HAS_VECTORS)
  Block(plan, law, run.problem, tree)
      .run(run.trajectory, static_cast<int>(run.count), out.from(run.row, plan.rows),
           [&](int i) { repeat(static_cast<std::uint64_t>(i)); });
#else
  RunPlan own = plan;  // of this problem alone
  own.problems += run.problem * plan.stride;
  own.first_problem += static_cast<std::uint32_t>(run.problem);
  own.trajectories = 0;
  own.first_trajectory = 0;
  SetValuedPlan own_law = law;
  own_law.trees = &tree;
  if (law.modes != nullptr) own_law.modes += run.problem;
  const Trajectory<SetValuedLaw<KnownPathSolution<TwoPlanarContacts>>> program{{{}, {}, own_law},
                                                                               own};
  for (std::uint64_t i = 0; i < run.count; ++i) {
    run_one(program, run.trajectory + i, run.row + i, out);
    if (out.status[run.row + i] == undecided) repeat(i);
  }
#endif
}

template <class Program>
static void run_blocks(const RunPlan& plan, const SetValuedPlan& law, std::uint64_t first,
                       std::uint64_t count, const SampleView& out, const Program& complete) {
  for (std::uint64_t row = 0; row < count;) {
    const std::uint64_t left = count - row;
    const Run run = next_run(plan, first, row, left < most_at_once ? left : most_at_once);
    run_block(plan, law, law.trees[run.problem], run, first, out, complete);
    row += run.count;
  }
}

/// Calls run(program) with the program of a plan.
template <class Run>
static void with_program(const SamplingPlan& plan, Run&& run) {
  constexpr bool fixed_shapes = true;
  with_program<Effort::thorough, fixed_shapes>(plan, run);
}

static void run_items(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                      const SampleView& out) {
  const SetValuedPlan* known = law_with_trees(plan);
  with_program(plan, [&]<class Program>(const Program& program) {
    if constexpr (requires { requires Program::Size::is_fixed; }) {
      if (known != nullptr && known->trees != nullptr) {
        run_blocks(plan, *known, first, count, out, program);
        return;
      }
    }
    if constexpr (requires { requires decltype(Program::law)::has_short_steps; }) {
      for (std::uint64_t row = 0; row < count; row += Program::together) {
        const std::uint64_t left = count - row;
        program.run_together(first + row, row,
                             static_cast<int>(left < Program::together ? left : Program::together),
                             out);
      }
    } else {
      for (std::uint64_t row = 0; row < count; ++row) run_one(program, first + row, row, out);
    }
  });
}

static void learning_items(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                           const SampleView& out, PivotTree& tree) {
  const SetValuedPlan& law = *law_with_trees(plan);
  const Trajectory<SetValuedLaw<LearningSolution<TwoPlanarContacts>>> complete{{{}, {&tree}, law},
                                                                               plan};
  for (std::uint64_t row = 0; row < count;) {
    tree.forget();
    // The more paths are known, the more trajectories are run together.
    const Run whole = next_run(plan, first, row, count - row);
    for (std::uint64_t done = 0; done < whole.count;) {
      constexpr std::uint64_t least = 8;
      std::uint64_t some = done < least ? least : done;
      if (some > most_at_once) some = most_at_once;
      if (some > whole.count - done) some = whole.count - done;
      run_block(plan, law, tree, {whole.problem, whole.trajectory + done, row + done, some}, first,
                out, complete);
      done += some;
    }
    row += whole.count;
  }
}

static int run_steps(const SamplingPlan& plan, std::uint64_t item, double* steps,
                     double* velocity) {
  StepRecord record{steps, velocity};
  with_program(plan, [&](const auto& program) { program.follow(item, nullptr, &record); });
  return record.count;
}

static Status run_to_end(const SamplingPlan& plan, std::uint64_t item) {
  Status status = Status::separated;
  with_program(plan, [&](const auto& program) { status = program.follow(item, nullptr, nullptr); });
  return status;
}

static void velocity_after(const StepLcpView& problem, const double* impulse, double* velocity) {
  velocity_of(problem, impulse, velocity);
}

const TrajectoryRunner compiled_runner{run_items,       run_steps,      run_to_end, run_step,
                                       solve_host_step, learning_items, uses_trees, velocity_after};

}  // namespace carom::inline CAROM_ISA
