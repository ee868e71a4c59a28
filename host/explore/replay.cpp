// Scripts of an exploration: what leads to its outcomes, and the steps that a script makes.
#include <fmt/format.h>

#include "carom/error.hpp"
#include "carom/explore.hpp"
#include "host/explore/scripted_walk.hpp"
#include "host/explore/slot_runner.hpp"

namespace carom {

std::vector<double> ExplorationTree::script(std::uint32_t node, std::size_t step_size) const {
  std::vector<std::uint32_t> way;
  for (; node != 0; node = parent[node]) way.push_back(node);
  std::vector<double> numbers;
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    const auto own = step.begin() + static_cast<std::ptrdiff_t>(*at * step_size);
    numbers.insert(numbers.end(), own, own + static_cast<std::ptrdiff_t>(step_size));
  }
  return numbers;
}

std::vector<double> Exploration::script(const ExplorationOrigin& origin) const {
  if (origin.island >= trees.size() || origin.node >= trees[origin.island].parent.size()) {
    throw InputError(
        fmt::format("the script of node {} of island {} is asked for (must be one that "
                    "the exploration has)",
                    origin.node, origin.island));
  }
  return trees[origin.island].script(origin.node, step_size);
}

std::vector<ReplayedStep> replay(const ImpactProblem& given, const SamplingOptions& given_options,
                                 const std::vector<double>& script) {
  const ImpactProblem problem = validated(given);
  const SamplingOptions options = exploration_options(problem, given_options);
  const ScriptedWalker walker(problem, options);
  const std::size_t width = walker.step_size();
  if (script.size() % width != 0) {
    throw InputError(fmt::format(
        "script has {} numbers (must be a multiple of {}, those of a step)", script.size(), width));
  }
  for (const double number : script) {
    if (number >= 0.0 && number <= 1.0) continue;
    throw InputError(fmt::format("script has {} (must be from 0 to 1)", number));
  }
  std::vector<double> before = walker.start_state();
  Walk walk;
  if (!script.empty()) walker.walk(before.data(), script, walk);
  const std::size_t spread = walker.axes() / walker.impulses();  // > 1: normal impulses only
  std::vector<ReplayedStep> steps(walk.steps);
  for (std::size_t s = 0; s < walk.steps; ++s) {
    const double* const state = &walk.states[s * before.size()];
    ReplayedStep& step = steps[s];
    for (std::size_t i = 0; i < walker.caps(); ++i) {
      step.caps.push_back(script[s * width + i] * walker.impulse_step());
    }
    step.repeats = walk.repeats[s];
    step.impulse.resize(walker.axes());
    for (std::size_t i = 0; i < walker.impulses(); ++i) {
      step.impulse[i * spread] = (state[i] - before[i]) * walker.impulse_of_speed();
    }
    step.velocity.resize(static_cast<std::size_t>(problem.velocities()));
    walker.velocity(state, step.velocity.data());
    before.assign(state, state + before.size());
  }
  return steps;
}

}  // namespace carom
