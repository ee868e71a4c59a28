#include "host/evidence/scripted_sampler.hpp"

#include <span>
#include <string>

#include "carom/error.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/laws/set_valued/draw_caps.hpp"

namespace carom {

struct ScriptedSampler::State {
  std::unique_ptr<SamplingPlanData> data;
  int threads = 0;
};

ScriptedSampler::ScriptedSampler(const ImpactProblem& problem, const SamplingOptions& options)
    : state_(std::make_unique<State>()) {
  SamplingOptions own = options;
  own.trajectories = 1;  // scripts may be many, and none is random
  state_->data = make_plan(std::span(&problem, 1), own);
  state_->threads = options.threads;
}

ScriptedSampler::~ScriptedSampler() = default;

std::size_t ScriptedSampler::script_size() const {
  const SamplingPlan& plan = state_->data->plan;
  return static_cast<std::size_t>(plan.max_steps) * static_cast<std::size_t>(plan.step_numbers);
}

void ScriptedSampler::sample(const std::vector<double>& script, SampleSet& out) const {
  if (script.size() % script_size() != 0) {
    throw InputError("script has " + std::to_string(script.size()) +
                     " numbers (must be a multiple of " + std::to_string(script_size()) + ")");
  }
  SamplingPlan plan = state_->data->plan;
  plan.script = script.data();
  plan.script_steps = plan.max_steps;
  plan.trajectories = 0;
  out.first = 0;
  const std::size_t rows = script.size() / script_size();
  out.resize(plan.rows, rows);
  launch_cpu(plan, 0, rows, view_of(out), state_->threads);
}

std::vector<double> ScriptedSampler::script_of(std::uint64_t index) const {
  const SamplingPlan& plan = state_->data->plan;
  const int m = plan.shape.contacts;
  const Philox random(plan.seed, plan.first_problem, index);
  const CapsSource source(std::get<SetValuedPlan>(plan.law).caps, random, index, m);
  std::vector<double> script(script_size());
  double* numbers = script.data();
  for (int step = 0; step < plan.max_steps; ++step, numbers += m + 1) {
    double pair[2];
    source.draw(static_cast<std::uint32_t>(step), numbers);
    random.uniform_pair(static_cast<std::uint32_t>(step), Purpose::selection, 0, pair);
    numbers[m] = pair[0];
  }
  return script;
}

}  // namespace carom
