#include "host/explore/scripted_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "carom/error.hpp"
#include "carom/explore.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"
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
    : impulse_step_(*options.impulse_step),
      most_repeats_(has_impulse_step(options.law) ? most_repeats_of(problem, impulse_step_) : 1) {
  SamplingOptions own = options;
  own.trajectories = 1;  // scripts are many, and none is random
  data_ = make_plan(std::span(&problem, 1), own);
  if (step_numbers() == 0) {
    throw InputError(fmt::format(
        "law is \"{}\" (must draw something in its steps to explore: this one does not)",
        law_name(options.law)));
  }
  if (impulses() < axes()) tangents_ = problem.tangent_jacobian;
}

ScriptedWalker::~ScriptedWalker() = default;

std::size_t ScriptedWalker::step_size() const {
  return step_numbers() + (most_repeats_ > 1 ? 1 : 0);
}

std::size_t ScriptedWalker::step_numbers() const {
  return static_cast<std::size_t>(data_->plan.step_numbers);
}

std::size_t ScriptedWalker::caps() const {
  const bool has_caps = std::holds_alternative<SetValuedPlan>(data_->plan.law);
  return has_caps ? static_cast<std::size_t>(data_->plan.shape.contacts) : 0;
}

double ScriptedWalker::impulse_of_speed() const {
  return 1.0 / view_of(data_->plan).impulse_unit();
}

std::size_t ScriptedWalker::state_size() const {
  return static_cast<std::size_t>(data_->plan.state_size);
}

std::size_t ScriptedWalker::impulses() const {
  return static_cast<std::size_t>(data_->plan.shape.impulses());
}

std::size_t ScriptedWalker::axes() const {
  const RowShape& rows = data_->plan.rows;
  return static_cast<std::size_t>(rows.contacts * (1 + rows.tangent_dimension));
}

std::vector<double> ScriptedWalker::start_state() const {
  SamplingPlan plan = data_->plan;
  std::vector<double> state(state_size());
  plan.trajectories = 0;
  plan.max_steps = 0;
  plan.ends = state.data();
  item_runner().to_end(plan, 0);
  return state;
}

std::vector<std::size_t> ScriptedWalker::active(const double* state) const {
  const SamplingPlan& plan = data_->plan;
  const double* const speed = state + impulses();
  const double* const kept = state_size() > 2 * impulses() ? speed + impulses() : nullptr;
  std::vector<std::size_t> contacts;
  for (int i = 0; i < plan.shape.contacts; ++i) {
    const bool approaches = !(speed[i * (1 + plan.shape.tangent_dimension)] >= -plan.tolerance);
    if (approaches || (kept != nullptr && kept[i] > 0.0)) {
      contacts.push_back(static_cast<std::size_t>(i));
    }
  }
  return contacts;
}

void ScriptedWalker::speeds(const double* state, double* speeds) const {
  const double* const own = state + impulses();
  if (tangents_.size() == 0) {
    std::copy_n(own, axes(), speeds);
    return;
  }
  Eigen::VectorXd reached(tangents_.cols());
  velocity(state, reached.data());
  const Eigen::VectorXd slip = tangents_ * reached;
  const Eigen::Index d = tangents_.rows() / data_->plan.shape.contacts;
  for (Eigen::Index i = 0; i < data_->plan.shape.contacts; ++i) {
    *speeds++ = own[i];
    speeds = std::copy_n(slip.data() + i * d, d, speeds);
  }
}

void ScriptedWalker::velocity(const double* state, double* velocity) const {
  item_runner().velocity(view_of(data_->plan), state, velocity);
}

void ScriptedWalker::walk(const double* state, std::span<const double> script, Walk& walk) const {
  const std::size_t width = step_size();
  ScriptedStep step;
  step.state.assign(state, state + state_size());
  std::vector<double> after(step.state.size());
  walk.separated = active(state).empty();
  for (; script.size() >= width && !walk.separated && walk.solved; script = script.subspan(width)) {
    begin(script.first(width), step);
    while (advance(step, solve(step, after.data()), after.data(), walk)) {
    }
  }
}

void ScriptedWalker::begin(std::span<const double> numbers, ScriptedStep& step) const {
  step.numbers.assign(numbers.begin(), numbers.end());
  step.wanted = most_repeats_ > 1 ? repeats(numbers.back(), most_repeats_) : 1;
  step.taken = 0;
}

Status ScriptedWalker::solve(const ScriptedStep& step, double* after) const {
  SamplingPlan plan = data_->plan;
  plan.trajectories = 0;  // the one item is a trajectory of the one problem
  plan.max_steps = 1;
  plan.script = step.numbers.data();
  plan.script_steps = 1;
  plan.start = step.state.data();
  plan.ends = after;
  return item_runner().to_end(plan, 0);
}

bool ScriptedWalker::advance(ScriptedStep& step, Status status, const double* after,
                             Walk& walk) const {
  ++walk.lcps;
  walk.separated = status == Status::separated;
  walk.solved = walk.separated || status == Status::step_limit;
  if (!walk.solved) return false;
  ++step.taken;
  const bool has_restitution = state_size() > 2 * impulses();
  const bool repeats = step.taken < step.wanted && !has_restitution;
  std::vector<double> impulse(repeats ? impulses() : 0);
  for (std::size_t i = 0; i < impulse.size(); ++i) impulse[i] = after[i] - step.state[i];
  step.state.assign(after, after + step.state.size());
  if (!walk.separated && repeats) {
    repeat(step, impulse);
    walk.separated = active(step.state.data()).empty();
  }
  if (!walk.separated && step.taken < step.wanted) return true;
  walk.states.insert(walk.states.end(), step.state.begin(), step.state.end());
  walk.repeats.push_back(step.taken);
  ++walk.steps;
  return false;
}

std::unique_ptr<CudaLauncher> ScriptedWalker::launcher(int device) const {
  require_device_program(data_->plan);
  return std::make_unique<CudaLauncher>(device, data_->plan, 1);
}

/// Repeats a step that had `impulse` as often as its next LCPs have the same solution.
void ScriptedWalker::repeat(ScriptedStep& step, const std::vector<double>& impulse) const {
  const std::vector<double> change = change_by(impulse);
  const std::uint64_t more = equal_steps(step.state.data(), impulse, change, step.numbers.data(),
                                         step.wanted - step.taken);
  const auto count = static_cast<double>(more);
  for (std::size_t i = 0; i < impulse.size(); ++i) {
    double& total = step.state[i];
    double& speed = step.state[impulse.size() + i];
    total = std::fma(impulse[i], count, total);
    speed = std::fma(change[i], count, speed);
  }
  step.taken += more;
}

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
    const ContactStep<LargestCapacity> its(view, before.data(), caps.data());
    return its.assess(own.data(), after.data()) <= tolerance;
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
