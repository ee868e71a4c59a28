#include "host/explore/scripted_walk.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "carom/explore.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/laws/set_valued/law.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

StepLcpView view_of(const SamplingPlan& plan) { return {plan.shape, plan.problems}; }

/// Repeats of a step: as many as may stop the impact a few times; one where single steps do.
std::uint64_t most_repeats_of(const ImpactProblem& problem, double impulse_step) {
  constexpr double few = 1.25;
  constexpr double most = 1 << 20;
  const double steps = stopping_impulse(problem) / impulse_step;
  return steps < few ? 1 : static_cast<std::uint64_t>(std::min(4.0 * steps, most));
}

}  // namespace

std::uint64_t repeats(double number, std::uint64_t most) {
  std::uint64_t octaves = 0;
  while (std::uint64_t{1} << octaves < most) ++octaves;
  const double place = std::clamp(number, 0.0, 1.0) * static_cast<double>(octaves);
  const double whole = std::floor(place);
  const double count = std::ldexp(1.0 + (place - whole), static_cast<int>(whole));
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(count), 1, most);
}

ScriptedWalker::ScriptedWalker(const ImpactProblem& problem, const SamplingOptions& options)
    : impulse_step_(*options.impulse_step), most_repeats_(most_repeats_of(problem, impulse_step_)) {
  SamplingOptions own = options;
  own.trajectories = 1;  // scripts are many, and none is random
  data_ = make_plan(std::span(&problem, 1), own);
}

ScriptedWalker::~ScriptedWalker() = default;

int ScriptedWalker::contacts() const { return data_->plan.shape.contacts; }

std::size_t ScriptedWalker::step_size() const {
  return static_cast<std::size_t>(contacts()) + (most_repeats_ > 1 ? 2 : 1);
}

double ScriptedWalker::impulse_of_speed() const {
  return 1.0 / view_of(data_->plan).impulse_unit();
}

std::size_t ScriptedWalker::state_size() const {
  return 2 * static_cast<std::size_t>(data_->plan.shape.impulses());
}

std::vector<double> ScriptedWalker::start_state() const {
  const StepLcpView view = view_of(data_->plan);
  std::vector<double> state(state_size(), 0.0);
  contact_speeds(view, view.pre_impact_velocity(), state.data() + state.size() / 2);
  return state;
}

std::vector<std::size_t> ScriptedWalker::approaching(const double* state) const {
  const SamplingPlan& plan = data_->plan;
  const double* const speed = state + plan.shape.impulses();
  std::vector<std::size_t> contacts;
  for (int i = 0; i < plan.shape.contacts; ++i) {
    if (!(speed[i * (1 + plan.shape.tangent_dimension)] >= -plan.tolerance)) {
      contacts.push_back(static_cast<std::size_t>(i));
    }
  }
  return contacts;
}

void ScriptedWalker::velocity(const double* state, double* velocity) const {
  velocity_of(view_of(data_->plan), state, velocity);
}

void ScriptedWalker::walk(const double* state, const std::vector<double>& script,
                          Walk& walk) const {
  const std::size_t width = step_size();
  const std::size_t steps = script.size() / width;
  if (most_repeats_ == 1) {
    take_steps(state, script.data(), steps, walk);
    walk.repeats.resize(walk.steps, 1);
    return;
  }
  std::vector<double> before(state, state + state_size());
  for (std::size_t s = 0; s < steps; ++s) {
    take_phase(before.data(), &script[s * width], walk);
    if (walk.separated || !walk.solved) return;
    std::copy(walk.states.end() - static_cast<std::ptrdiff_t>(before.size()), walk.states.end(),
              before.begin());
  }
}

/// Steps of one repeat each.
/// @param numbers m caps and the selection of each step
void ScriptedWalker::take_steps(const double* state, const double* numbers, std::size_t steps,
                                Walk& walk) const {
  const std::size_t size = state_size();
  const std::size_t half = size / 2;
  SamplingPlan plan = data_->plan;
  plan.trajectories = 0;  // the one item is a trajectory of the one problem
  plan.max_steps = static_cast<int>(steps);
  auto& law = std::get<SetValuedPlan>(plan.law);
  law.script = numbers;
  law.script_steps = plan.max_steps;
  law.start = state;
  std::vector<double> after(steps * size);
  const auto taken = static_cast<std::size_t>(item_runner().steps(plan, 0, after.data()));
  std::vector<double> before(state, state + size);
  for (std::size_t s = 0; s < taken; ++s) {
    for (std::size_t i = 0; i < half; ++i) before[i] += after[s * size + i];
    std::copy_n(&after[s * size + half], half, &before[half]);
    walk.states.insert(walk.states.end(), before.begin(), before.end());
  }
  walk.steps += taken;
  walk.separated = approaching(before.data()).empty();
  walk.solved = walk.separated || taken == steps;
  walk.lcps += taken + (walk.solved ? 0 : 1);
}

/// One step, as often as its last number says, or until the state is separated.
void ScriptedWalker::take_phase(const double* state, const double* numbers, Walk& walk) const {
  const std::size_t size = state_size();
  const std::size_t half = size / 2;
  const std::uint64_t wanted = repeats(numbers[contacts() + 1], most_repeats_);
  std::vector<double> now(state, state + size);
  std::vector<double> impulse(half);
  Walk single;
  std::uint64_t taken = 0;
  while (taken < wanted && !single.separated) {
    single.states.clear();
    take_steps(now.data(), numbers, 1, single);
    if (!single.solved) break;
    for (std::size_t i = 0; i < half; ++i) impulse[i] = single.states[i] - now[i];
    now = single.states;
    ++taken;
    if (single.separated || taken == wanted) continue;
    const std::vector<double> change = change_by(impulse);
    const std::uint64_t more = equal_steps(now.data(), impulse, change, numbers, wanted - taken);
    const auto count = static_cast<double>(more);
    for (std::size_t i = 0; i < half; ++i) {
      now[i] = std::fma(impulse[i], count, now[i]);
      now[half + i] = std::fma(change[i], count, now[half + i]);
    }
    taken += more;
    single.separated = approaching(now.data()).empty();
  }
  walk.lcps += single.lcps;
  walk.solved = single.solved;
  if (!single.solved) return;
  walk.states.insert(walk.states.end(), now.begin(), now.end());
  walk.repeats.push_back(taken);
  ++walk.steps;
  walk.separated = single.separated;
}

/// The contact speeds that impulses change.
std::vector<double> ScriptedWalker::change_by(const std::vector<double>& impulse) const {
  const StepLcpView view = view_of(data_->plan);
  std::vector<double> change(impulse.size(), 0.0);
  for (std::size_t i = 0; i < change.size(); ++i) {
    for (std::size_t j = 0; j < change.size(); ++j) {
      change[i] = std::fma(view.delassus()[i * change.size() + j], impulse[j], change[i]);
    }
  }
  return change;
}

/// How many more steps with these caps have the impulses of the last step, up to `most` and to the
/// first one after which the state is separated.
/// @param state after the last step
std::uint64_t ScriptedWalker::equal_steps(const double* state, const std::vector<double>& impulse,
                                          const std::vector<double>& change, const double* numbers,
                                          std::uint64_t most) const {
  // Far below the residual that a step may have, so that a run of equal steps adds no error.
  constexpr double tolerance = 1e-12;
  const StepLcpView view = view_of(data_->plan);
  const std::size_t size = impulse.size();
  const double* const speed = state + size;
  const auto stride = static_cast<std::size_t>(1 + view.shape.tangent_dimension);
  double until_separated = 0.0;
  for (std::size_t i = 0; i < size; i += stride) {
    const double missing = -data_->plan.tolerance - speed[i];
    if (!(missing > 0.0)) continue;
    until_separated =
        std::max(until_separated, change[i] > 0.0 ? std::ceil(missing / change[i]) : INFINITY);
  }
  if (until_separated < static_cast<double>(most)) {
    most = static_cast<std::uint64_t>(until_separated);
  }
  std::vector<double> before(size), after(size), own(size), caps;
  for (int i = 0; i < view.shape.contacts; ++i) caps.push_back(numbers[i] * cap_unit(view));
  const auto holds = [&](std::uint64_t step) {  // for the step with this number, counted from 1
    for (std::size_t i = 0; i < size; ++i) {
      before[i] = std::fma(change[i], static_cast<double>(step - 1), speed[i]);
      own[i] = impulse[i];
    }
    double residual = INFINITY;
    with_capacity(view.shape, [&]<class Size>(Size) {
      residual =
          ContactStep<Size>(view, before.data(), caps.data()).assess(own.data(), after.data());
    });
    return residual <= tolerance;
  };
  std::uint64_t good = 0;
  std::uint64_t bad = 1;  // or beyond `most`
  while (bad <= most && holds(bad)) {
    good = bad;
    bad *= 2;
  }
  bad = std::min(bad, most + 1);
  while (bad - good > 1) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace carom
