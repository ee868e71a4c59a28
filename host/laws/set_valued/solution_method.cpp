#include "host/laws/set_valued/solution_method.hpp"

#include <algorithm>

#include "carom/solutions.hpp"
#include "host/modes/mode_table.hpp"
#include "host/modes/unique_solution.hpp"
#include "host/problem/step_lcp.hpp"

namespace carom {

SolutionMethod choose_solution_method(std::span<const ImpactProblem> problems) {
  if (std::all_of(problems.begin(), problems.end(), has_one_solution)) {
    return SolutionMethod::unique;
  }
  const bool few_modes = std::all_of(
      problems.begin(), problems.end(),
      [](const ImpactProblem& problem) { return count_modes(problem) <= most_tabulated_modes; });
  if (few_modes) return SolutionMethod::modes;
  const int coordinates = shape_of(problems.front()).coordinates();
  return coordinates <= most_searched_coordinates ? SolutionMethod::signs : SolutionMethod::lines;
}

SolutionMethod solution_method(const ImpactProblem& problem) {
  const ImpactProblem valid = validated(problem);
  return choose_solution_method(std::span(&valid, 1));
}

}  // namespace carom
