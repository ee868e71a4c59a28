#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/run_compliant.hpp"
#include "kernels/cpu/run_rollouts.hpp"
#include "kernels/cpu/run_worlds.hpp"
#include "kernels/cpu/search_signs.hpp"
#include "kernels/cpu/solve_steps.hpp"
#include "kernels/laws/plan_list.hpp"
#include "kernels/problem/problem_arrays.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

/// Runs work items [first, first + count) into rows 0, 1, ... of `out`, on the calling thread.
using RunItems = void (*)(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                          const SampleView& out);

/// Impulses and contact speeds after (m (1 + d) each), as speeds, of every step of one work item,
/// at most max_steps + 1; returns how many.
/// @param velocity nv, before the first step, m/s; null: not wanted
using RunSteps = int (*)(const SamplingPlan& plan, std::uint64_t item, double* steps,
                         double* velocity);

/// Runs one work item of which only the state at its end is written, to the plan's `ends`. If
/// max_steps is 0, that is the state at its start.
using RunToEnd = Status (*)(const SamplingPlan& plan, std::uint64_t item);

/// See run_step().
using RunStep = StepOutcome (*)(const StepLcpView& problem, const double* cap, Effort effort,
                                const StepArrays& arrays);

/// See velocity_of().
using RunVelocity = void (*)(const StepLcpView& problem, const double* impulse, double* velocity);

/// Writes a problem's flat array: see assemble_problem().
using RunAssembly = AssemblyReport (*)(const ProblemShape& shape, const ProblemArrays& problem,
                                       bool kinetic, double* data);

/// RunItems for Solutions::first that learns the pivot paths of each problem while it runs. `tree`
/// holds the paths of one problem at a time. The plan's own trees are not used. For
/// Solutions::table the function learns, too, but its outcomes are not those of the table.
using RunLearningItems = void (*)(const SamplingPlan& plan, std::uint64_t first,
                                  std::uint64_t count, const SampleView& out, PivotTree& tree);

/// Whether pivot trees support a plan.
using UsesTrees = bool (*)(const SamplingPlan& plan);

/// See run_rollouts().
template <class View>
using RunRollouts = void (*)(const View& mechanism, const RolloutPlan& plan, const RolloutLaw& law,
                             std::uint64_t first, std::uint64_t count, const RolloutView& out);

/// See take_impact().
using TakeImpact = RolloutStatus (*)(const ImpactPlan& plan, const RolloutImpact& impact);

/// See run_worlds().
using RunWorlds = void (*)(const WorldsPlan& plan, std::uint64_t first, std::uint64_t count,
                           const SampleView& out);
/// See search_signs().
using SearchSigns = SearchCounts (*)(const SearchedStep& step, int most_nodes, FoundPieces& found);

/// See run_compliant().
using RunCompliant = void (*)(const CompliantPlan& plan, std::uint64_t first, std::uint64_t count,
                              const RolloutView& out);

/// What is compiled for every instruction set: whole trajectories.
struct TrajectoryRunner {
  RunItems items;
  RunSteps steps;
  RunToEnd to_end;
  RunStep step;
  SolveStep solve;
  RunLearningItems learning_items;
  UsesTrees uses_trees;
  RunVelocity velocity;
};

/// What is compiled for AVX-512 only where this processor's set is the only one: see
/// carom_choose_levels() in cmake/carom_flags.cmake.
struct MotionRunner {
  RunAssembly assemble;
  RunRollouts<PlanarView> planar_rollouts;
  RunRollouts<SpatialView> spatial_rollouts;
  TakeImpact impact;
  RunWorlds worlds;
  RunCompliant compliant;
  SearchSigns search;

  RunRollouts<PlanarView> rollouts(const PlanarView&) const { return planar_rollouts; }
  RunRollouts<SpatialView> rollouts(const SpatialView&) const { return spatial_rollouts; }
};

struct ItemRunner : TrajectoryRunner, MotionRunner {};

/// The runner compiled for the best instruction set that this processor has. All runners give the
/// same bits, since the arithmetic follows IEEE 754 in a fixed order.
const ItemRunner& item_runner();

/// Every runner that this processor can run, the best first.
std::span<const ItemRunner* const> item_runners();

}  // namespace carom
