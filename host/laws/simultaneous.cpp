#include "host/laws/simultaneous.hpp"

#include <algorithm>

#include "carom/sample_set.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

struct SimultaneousMemory : LawMemory {
  std::vector<std::int32_t> known_count;
  std::vector<double> known;

  /// Solves the step of each problem once for each of its solutions.
  /// @param plan of the law, without known solutions
  void find_solutions(std::size_t problems, SamplingPlan plan) {
    const auto size = static_cast<std::size_t>(2 * plan.shape.impulses());
    std::vector<double> numbers(problems, 1.0);  // that select the solutions
    plan.trajectories = 1;
    plan.max_steps = 1;
    plan.script = numbers.data();
    plan.script_steps = 1;
    plan.step_numbers = SimultaneousPlan::step_numbers(plan.shape);
    SampleSet rows;
    rows.resize(plan.rows, problems);
    item_runner().items(plan, 0, problems, view_of(rows));
    known.resize(problems * SimultaneousPlan::most_known * size);
    std::vector<double> steps(2 * size);
    for (std::size_t p = 0; p < problems; ++p) {
      const std::uint16_t* const counts = &rows.solution_count[p * solution_bins];
      int count = SimultaneousPlan::most_known;
      while (count > 0 && counts[count] == 0) --count;
      if (counts[0] > 0 || rows.status[p] != Status::separated) count = 0;  // a continuum
      known_count.push_back(count);
      for (int c = 0; c < count; ++c) {
        numbers[p] = (c + 0.5) / count;
        item_runner().steps(plan, p, steps.data(), nullptr);
        std::copy_n(steps.begin(), size,
                    known.begin() + static_cast<std::ptrdiff_t>((p * SimultaneousPlan::most_known +
                                                                 static_cast<std::size_t>(c)) *
                                                                size));
      }
    }
  }
};

}  // namespace

SolutionMethod LawEntry<law::Simultaneous>::solution_method(
    std::span<const ImpactProblem> problems) {
  return SimultaneousPlan::method(shape_of(problems.front()));
}

std::unique_ptr<LawMemory> LawEntry<law::Simultaneous>::plan(
    const law::Simultaneous&, std::span<const ImpactProblem> problems,
    const SamplingOptions& options, SamplingPlan& plan) {
  auto memory = std::make_unique<SimultaneousMemory>();
  SimultaneousPlan& own = plan.law.emplace<SimultaneousPlan>();
  constexpr std::uint64_t many = 16;  // trajectories, of which each repeats the step
  // Along lines, trajectories find solutions of their own.
  if (*options.trajectories >= many && own.method(plan.shape) != SolutionMethod::lines) {
    memory->find_solutions(problems.size(), plan);
    own.known_count = memory->known_count.data();
    own.known = memory->known.data();
  }
  return memory;
}

}  // namespace carom
