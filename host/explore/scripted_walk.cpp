#include "host/explore/scripted_walk.hpp"

#include <algorithm>
#include <span>

#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom {
namespace {

StepLcpView view_of(const SamplingPlan& plan) { return {plan.shape, plan.problems}; }

}  // namespace

ScriptedWalker::ScriptedWalker(const ImpactProblem& problem, const SamplingOptions& options) {
  SamplingOptions own = options;
  own.trajectories = 1;  // scripts are many, and none is random
  data_ = make_plan(std::span(&problem, 1), own);
}

ScriptedWalker::~ScriptedWalker() = default;

int ScriptedWalker::contacts() const { return data_->plan.shape.contacts; }

std::size_t ScriptedWalker::step_size() const { return static_cast<std::size_t>(contacts()) + 1; }

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
  const std::size_t size = state_size();
  const std::size_t half = size / 2;
  SamplingPlan plan = data_->plan;
  plan.trajectories = 0;  // the one item is a trajectory of the one problem
  plan.max_steps = static_cast<int>(script.size() / step_size());
  auto& law = std::get<SetValuedPlan>(plan.law);
  law.script = script.data();
  law.script_steps = plan.max_steps;
  law.start = state;
  std::vector<double> steps(static_cast<std::size_t>(plan.max_steps) * size);
  const auto taken = static_cast<std::size_t>(item_runner().steps(plan, 0, steps.data()));
  std::vector<double> before(state, state + size);
  for (std::size_t s = 0; s < taken; ++s) {
    for (std::size_t i = 0; i < half; ++i) before[i] += steps[s * size + i];
    std::copy_n(&steps[s * size + half], half, &before[half]);
    walk.states.insert(walk.states.end(), before.begin(), before.end());
  }
  walk.steps += taken;
  walk.separated = approaching(before.data()).empty();
  walk.solved = walk.separated || taken == static_cast<std::size_t>(plan.max_steps);
  walk.lcps += taken + (walk.solved ? 0 : 1);
}

}  // namespace carom
