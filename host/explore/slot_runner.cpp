#include "host/explore/slot_runner.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/no_restitution.hpp"
#include "host/options/option_text.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

constexpr double repeat_chance = 0.2;  // of a new phase: as long as the last one

/// 2^-k (1 - U / 2), k one of 0 ... octaves - 1: close to log-uniform, with the same bits anywhere.
double log_uniform(SearchNumbers& random, std::size_t octaves) {
  const double scale = std::ldexp(1.0, -static_cast<int>(random.pick(octaves)));
  return scale * (1.0 - 0.5 * random.next());
}

}  // namespace

SamplingOptions exploration_options(const ImpactProblem& problem, const SamplingOptions& given) {
  const auto* stated = std::get_if<law::SetValued>(&given.law);
  if (stated == nullptr) {
    throw InputError(
        fmt::format("law is \"{}\" (must be set_valued to explore: the search varies "
                    "caps)",
                    law_name(given.law)));
  }
  require_no_restitution(problem, "to explore");
  SamplingOptions options = resolved(given, problem);
  law::SetValued& law = options.set_valued();
  const Solutions solutions = *law.solutions;
  if (solutions != Solutions::all && solutions != Solutions::first) {
    throw InputError(
        fmt::format("solutions is \"{}\" (must be all or first to explore: a script "
                    "determines which solution a step takes)",
                    solutions_name(solutions)));
  }
  if (finds_solutions_by_lines(problem, options.law)) law.solutions = Solutions::first;
  law.caps = CapsDistribution{};  // any in (0, h]
  return options;
}

SlotRunner::SlotRunner(const ScriptedWalker& walker, const SamplingOptions& options)
    : walker_(walker),
      threads_(options.threads),
      max_steps_(static_cast<std::uint64_t>(options.max_steps)),
      moves_(caps_, walker.contacts(), least_cap, walker.step_size()) {}

std::vector<SlotPath> SlotRunner::run(std::span<const SlotStart> starts) const {
  std::vector<SlotPath> paths(starts.size());
  oneapi::tbb::task_arena arena(usable_threads(threads_));
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, starts.size(),
                              [&](std::size_t i) { paths[i] = run(starts[i]); });
  });
  return paths;
}

SlotPath SlotRunner::run(const SlotStart& start) const {
  SlotPath path;
  Walk& walk = path.walk;
  SearchNumbers random = start.random;
  std::vector<double> script = start.script;
  if (!script.empty()) change(script, random);
  const std::size_t width = walker_.step_size();
  script.resize(std::min<std::size_t>(script.size(), (max_steps_ - start.depth) * width));
  if (!script.empty()) walker_.walk(start.state.data(), script, walk);
  script.resize(walk.steps * width);
  path.numbers = script;
  while (!walk.separated && walk.solved && start.depth + walk.steps < max_steps_) {
    const auto last = walk.steps == 0
                          ? start.state.begin()
                          : walk.states.end() - static_cast<std::ptrdiff_t>(start.state.size());
    const std::vector<double> before(last, last + static_cast<std::ptrdiff_t>(start.state.size()));
    script.clear();
    append_fresh(before.data(), path.numbers, script, random);
    walker_.walk(before.data(), script, walk);
    if (walk.solved) path.numbers.insert(path.numbers.end(), script.begin(), script.end());
  }
  return path;
}

void SlotRunner::change(std::vector<double>& script, SearchNumbers& random) const {
  constexpr std::size_t octaves = 3;  // the radius is h / 16 to h / 2
  const double radius = 0.5 * log_uniform(random, octaves);
  ScriptedSteps steps;
  steps.numbers = std::move(script);
  steps.steps_taken = static_cast<int>(steps.numbers.size() / walker_.step_size()) - 1;
  const std::size_t kind = random.pick(16);
  if (kind < 5) {
    moves_.move_all(steps, radius, random);
  } else if (kind < 10) {
    moves_.move_some(steps, radius, random);
  } else {
    moves_.move_steps(steps, random);
  }
  script = std::move(steps.numbers);
}

/// Appends a step with new numbers, from a state in which some contacts approach.
/// @param before the numbers of the steps on the way
void SlotRunner::append_fresh(const double* state, const std::vector<double>& before,
                              std::vector<double>& script, SearchNumbers& random) const {
  const auto contacts = static_cast<std::size_t>(walker_.contacts());
  const std::vector<std::size_t> approaching = walker_.approaching(state);
  const std::size_t first = approaching[random.pick(approaching.size())];
  const double kind = random.next();
  std::vector<double> caps(contacts, least_cap);
  if (kind < 0.2) {  // one contact alone
    caps[first] = random.next() < 0.5 ? 1.0 : random.next();
  } else if (kind < 0.4) {  // some contacts
    for (double& cap : caps) cap = random.next() < 0.5 ? least_cap : 1.0;
    caps[first] = 1.0;
  } else if (kind < 0.55) {  // uneven caps
    const std::size_t power = 1 + random.pick(8);
    for (double& cap : caps) {
      const double number = random.next();
      cap = number;
      for (std::size_t p = 1; p < power; ++p) cap *= number;
    }
  } else {
    constexpr std::size_t octaves = 10;  // down to a thousandth
    const double scale = kind < 0.7 ? log_uniform(random, octaves) : 1.0;
    for (double& cap : caps) cap = scale * random.next();
  }
  for (const double cap : caps) script.push_back(std::max(cap, least_cap));
  script.push_back(random.next());
  if (walker_.most_repeats() == 1) return;
  const bool like_the_last = random.next() < repeat_chance && !before.empty();
  script.push_back(like_the_last ? before.back() : random.next());
}

}  // namespace carom
