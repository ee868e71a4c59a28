#include "host/laws/set_valued/solution_method.hpp"

#include <algorithm>

#include "carom/solutions.hpp"
#include "host/modes/mode_table.hpp"
#include "host/modes/unique_solution.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/laws/set_valued/plan.hpp"

namespace carom {

SolutionMethod choose_solution_method(std::span<const ImpactProblem> problems) {
  if (std::all_of(problems.begin(), problems.end(), has_one_solution)) {
    return SolutionMethod::unique;
  }
  const bool few_modes = std::all_of(
      problems.begin(), problems.end(),
      [](const ImpactProblem& problem) { return count_modes(problem) <= most_tabulated_modes; });
  return few_modes ? SolutionMethod::modes : SetValuedPlan::search(shape_of(problems.front()));
}

SolutionMethod solution_method_of_one(const ImpactProblem& problem) {
  return has_one_solution(problem) ? SolutionMethod::unique
                                   : SetValuedPlan::search(shape_of(problem));
}

SolutionMethod solution_method(const ImpactProblem& problem) {
  const ImpactProblem valid = validated(problem);
  return choose_solution_method(std::span(&valid, 1));
}

}  // namespace carom
