#include "host/explore/slot_runner.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom {
namespace {

constexpr double repeat_chance = 0.2;  // of a new phase: as long as the last one
// Of a slot: its new steps take contacts alone, in an order. In a sweep, they follow one another as
// their normals do along some direction, as feet in a row; else the order is any.
constexpr double order_chance = 0.1;
constexpr double sweep_chance = 0.07;

/// 2^-k (1 - U / 2), k one of 0 ... octaves - 1: close to log-uniform, with the same bits anywhere.
double log_uniform(SearchNumbers& random, std::size_t octaves) {
  const double scale = std::ldexp(1.0, -static_cast<int>(random.pick(octaves)));
  return scale * (1.0 - 0.5 * random.next());
}

template <class Work>
void for_each_index(std::size_t count, int threads, const Work& work) {
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, work); });
}

}  // namespace

SamplingOptions exploration_options(const ImpactProblem& problem, const SamplingOptions& given) {
  SamplingOptions options = resolved(given, problem);
  if (auto* const law = std::get_if<law::SetValued>(&options.law)) {
    if (finds_solutions_by_lines(problem, options.law)) law->solutions = Solutions::first;
    law->caps = CapsDistribution{};  // any in (0, h]
  }
  return options;
}

SlotRunner::SlotRunner(const ScriptedWalker& walker, const SamplingOptions& options)
    : walker_(walker),
      threads_(options.threads),
      max_steps_(static_cast<std::uint64_t>(options.max_steps)),
      moves_(caps_, static_cast<int>(walker.caps()), least_number, walker.step_size()) {
  if (options.backend == Backend::cuda) device_ = walker.launcher(options.device);
}

SlotRunner::~SlotRunner() = default;

std::vector<SlotPath> SlotRunner::run(std::span<const SlotStart> starts) const {
  std::vector<Run> runs(starts.size());
  for_each_index(runs.size(), threads_, [&](std::size_t i) {
    runs[i] = begin(starts[i]);
    if (!device_) finish_here(runs[i]);
  });
  if (device_) run_on_device(runs);
  std::vector<SlotPath> paths;
  paths.reserve(runs.size());
  for (Run& run : runs) paths.push_back(std::move(run.path));
  return paths;
}

/// Takes the next LCP of all slots at a time.
void SlotRunner::run_on_device(std::vector<Run>& runs) const {
  constexpr std::size_t fewest = 256;  // fewer leave most of a device idle
  const std::size_t size = walker_.state_size();
  const std::size_t width = walker_.step_numbers();
  std::vector<double> before, numbers, after;
  std::vector<Status> status;
  for (std::vector<Run*> open;; open.clear()) {
    for (Run& run : runs) {
      if (run.under_way) open.push_back(&run);
    }
    if (open.size() < fewest) {
      return for_each_index(open.size(), threads_, [&](std::size_t i) { finish_here(*open[i]); });
    }
    before.resize(open.size() * size);
    after.resize(before.size());
    numbers.resize(open.size() * width);
    status.resize(open.size());
    for_each_index(open.size(), threads_, [&](std::size_t i) {
      std::copy_n(open[i]->step.state.data(), size, &before[i * size]);
      std::copy_n(open[i]->step.numbers.data(), width, &numbers[i * width]);
    });
    device_->take_steps(open.size(), before.data(), numbers.data(), after.data(), status.data());
    for_each_index(open.size(), threads_, [&](std::size_t i) {
      if (status[i] == undecided) return take_here(*open[i], &after[i * size]);
      take(*open[i], status[i], &after[i * size]);
    });
  }
}

SlotRunner::Run SlotRunner::begin(const SlotStart& start) const {
  Run run{
      .path = {}, .depth = start.depth, .script = start.script, .random = start.random, .step = {}};
  run.step.state = start.state;
  if (!run.script.empty()) change(run.script, run.random);
  run.order = draw_order(run.random);
  begin_step(run);
  return run;
}

/// Begins the slot's next step, unless its path has ended.
void SlotRunner::begin_step(Run& run) const {
  auto& [numbers, walk] = run.path;
  run.under_way = !walk.separated && walk.solved && run.depth + walk.steps < max_steps_;
  if (!run.under_way) return;
  if (run.scripted == run.script.size()) {
    run.script.clear();
    run.scripted = 0;
    append_fresh(run);
  }
  const std::size_t width = walker_.step_size();
  walker_.begin(std::span(run.script).subspan(run.scripted, width), run.step);
  run.scripted += width;
}

/// Continues with the state after the step's next LCP, which had this status.
void SlotRunner::take(Run& run, Status status, const double* after) const {
  auto& [numbers, walk] = run.path;
  if (walker_.advance(run.step, status, after, walk)) return;
  if (walk.solved) {
    numbers.insert(numbers.end(), run.step.numbers.begin(), run.step.numbers.end());
  }
  begin_step(run);
}

void SlotRunner::take_here(Run& run, double* after) const {
  take(run, walker_.solve(run.step, after), after);
}

void SlotRunner::finish_here(Run& run) const {
  std::vector<double> after(walker_.state_size());
  while (run.under_way) take_here(run, after.data());
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

SlotRunner::Order SlotRunner::draw_order(SearchNumbers& random) const {
  if (walker_.caps() == 0) return {};
  const double kind = random.next();
  if (kind >= order_chance) return {};
  const std::size_t stride = walker_.impulses() / walker_.caps();
  std::vector<double> impulse(walker_.impulses(), 0.0);
  for (std::size_t i = 0; i < impulse.size(); i += stride) impulse[i] = 2.0 * random.next() - 1.0;
  const std::vector<double> source = kind < sweep_chance ? walker_.change_by(impulse) : impulse;
  Order order;
  for (std::size_t i = 0; i < source.size(); i += stride) order.rank.push_back(source[i]);
  return order;
}

/// The next of the active contacts in an order; none ends the order.
std::optional<std::size_t> SlotRunner::take_next(const std::vector<std::size_t>& active,
                                                 Order& order) {
  const auto is_before = [&](std::size_t a, std::size_t b) {
    return std::pair(order.rank[a], a) < std::pair(order.rank[b], b);
  };
  std::optional<std::size_t> next;
  for (const std::size_t contact : active) {
    if (order.rank.empty() || (order.last && !is_before(*order.last, contact))) continue;
    if (!next || is_before(contact, *next)) next = contact;
  }
  order.last = next;
  if (!next) order.rank.clear();
  return next;
}

/// Appends a step with new numbers to the slot's script, from a state in which some contacts are
/// active.
void SlotRunner::append_fresh(Run& run) const {
  const std::vector<double>& before = run.path.numbers;
  SearchNumbers& random = run.random;
  if (walker_.caps() > 0) {
    const std::vector<std::size_t> active = walker_.active(run.step.state.data());
    if (const std::optional<std::size_t> alone = take_next(active, run.order)) {
      run.script.resize(walker_.caps(), least_number);
      run.script[*alone] = 1.0;
    } else {
      append_caps(active, run.script, random);
    }
  }
  for (std::size_t i = walker_.caps(); i < walker_.step_numbers(); ++i) {
    run.script.push_back(random.next());
  }
  if (walker_.most_repeats() == 1) return;
  if (!run.order.rank.empty()) return run.script.push_back(1.0);
  const bool like_the_last = random.next() < repeat_chance && !before.empty();
  run.script.push_back(like_the_last ? before.back() : random.next());
}

void SlotRunner::append_caps(const std::vector<std::size_t>& active, std::vector<double>& script,
                             SearchNumbers& random) const {
  const std::size_t first = active[random.pick(active.size())];
  const double kind = random.next();
  std::vector<double> caps(walker_.caps(), least_number);
  if (kind < 0.2) {  // one contact alone
    caps[first] = random.next() < 0.5 ? 1.0 : random.next();
  } else if (kind < 0.4) {  // some contacts
    for (double& cap : caps) cap = random.next() < 0.5 ? least_number : 1.0;
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
  for (const double cap : caps) script.push_back(std::max(cap, least_number));
}

}  // namespace carom
