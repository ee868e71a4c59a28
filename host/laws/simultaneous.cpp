#include "host/laws/simultaneous.hpp"

#include <algorithm>

#include "carom/solutions.hpp"
#include "host/modes/mode_table.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/signs/box_form.hpp"

namespace carom {
namespace {

struct SimultaneousMemory : LawMemory {
  ModeTables modes;  ///< per problem
};

}  // namespace

SolutionMethod LawEntry<law::Simultaneous>::solution_method(
    std::span<const ImpactProblem> problems) {
  const bool few_modes = std::ranges::all_of(
      problems, [](const ImpactProblem& problem) { return mode_count(problem) <= max_modes; });
  if (few_modes) return SolutionMethod::modes;
  // Without caps, less of a search can be left out: with 16 coordinates, a step takes 100 ms. A
  // proof that solutions are unique takes longer than a search of four feet.
  constexpr int most_searched = 12;
  const int coordinates = step_coordinates(shape_of(problems.front()));
  return coordinates <= most_searched ? SolutionMethod::signs : SolutionMethod::lines;
}

std::unique_ptr<LawMemory> LawEntry<law::Simultaneous>::plan(
    const law::Simultaneous&, std::span<const ImpactProblem> problems,
    const SamplingOptions& options, SamplingPlan& plan) {
  constexpr bool capped = false;
  auto memory = std::make_unique<SimultaneousMemory>();
  SimultaneousPlan& own = plan.law.emplace<SimultaneousPlan>();
  own.method = solution_method(problems);
  if (own.method == SolutionMethod::modes) {
    for (const ImpactProblem& problem : problems) {
      memory->modes.add(std::make_unique<ModeTable>(problem, capped, *options.trajectories));
    }
  }
  own.modes = memory->modes.views();
  return memory;
}

}  // namespace carom
