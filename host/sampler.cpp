#include "carom/sampler.hpp"

#include <utility>

#include "carom/error.hpp"
#include "host/sampling_plan.hpp"
#include "kernels/launch.hpp"
#include "kernels/run_items.hpp"

namespace carom {

struct Sampler::State {
  std::unique_ptr<SamplingPlanData> data;
  int threads = 0;
  std::uint64_t chunk = 0;
  std::unique_ptr<CudaLauncher> cuda;
  std::string device_name;
  std::string note;
};

namespace {

// Rows per launch where the user names no number: the GPU wants many, the CPU wants an interrupt
// answered soon.
constexpr std::uint64_t cpu_chunk = std::uint64_t{1} << 16;
constexpr std::uint64_t cuda_chunk = std::uint64_t{1} << 21;

}  // namespace

Sampler::Sampler(std::span<const ImpactProblem> problems, const SamplingOptions& options)
    : state_(std::make_unique<State>()) {
  state_->data = make_plan(problems, options);
  state_->threads = options.threads;
  const bool use_cuda =
      options.backend == Backend::cuda ||
      (options.backend == Backend::automatic && count_cuda_devices(state_->note) > 0);
  if (use_cuda) {
    try {
      state_->cuda = std::make_unique<CudaLauncher>(options.device, state_->data->plan,
                                                    state_->data->problem_count);
    } catch (const RunError& error) {  // a device that cannot be used, say by its age or its user
      if (options.backend == Backend::cuda) throw;
      state_->note = error.what();
    }
  }
  state_->device_name = state_->cuda ? state_->cuda->device_name() : cpu_name();
  state_->chunk = options.chunk > 0 ? options.chunk : (state_->cuda ? cuda_chunk : cpu_chunk);
}

Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

void Sampler::sample(std::uint64_t first, std::uint64_t count, SampleSet& samples) const {
  const SamplingPlan& plan = state_->data->plan;
  const std::uint64_t items = plan.trajectories * state_->data->problem_count;
  if (plan.trajectories > 0 && (first > items || count > items - first)) {
    throw InputError("work items up to " + std::to_string(first + count) + " (must be below " +
                     std::to_string(items) + ", problems times trajectories)");
  }
  samples.first = first;
  shape_samples(plan, static_cast<std::size_t>(count), samples);
  if (state_->cuda) {
    state_->cuda->launch(first, count, view_of(samples), state_->threads);
  } else {
    launch_cpu(plan, first, count, view_of(samples), state_->threads);
  }
}

std::vector<double> Sampler::path(std::uint64_t index) const {
  const SamplingPlan& plan = state_->data->plan;
  const std::size_t nv = static_cast<std::size_t>(plan.shape.velocities);
  std::vector<double> velocities((static_cast<std::size_t>(plan.max_steps) + 2) * nv);
  const int count = item_runner().path(plan, index, velocities.data());
  velocities.resize(static_cast<std::size_t>(count) * nv);
  return velocities;
}

Backend Sampler::backend() const { return state_->cuda ? Backend::cuda : Backend::cpu; }
const std::string& Sampler::device_name() const { return state_->device_name; }
const std::string& Sampler::backend_note() const { return state_->note; }
TableInfo Sampler::table() const { return state_->data->table; }
std::uint64_t Sampler::chunk() const { return state_->chunk; }

SampleSet sample(std::span<const ImpactProblem> problems, const SamplingOptions& options) {
  const Sampler sampler(problems, options);
  SampleSet samples;
  sampler.sample(0, options.trajectories * problems.size(), samples);
  return samples;
}

SampleSet sample(const ImpactProblem& problem, const SamplingOptions& options) {
  return sample(std::span(&problem, 1), options);
}

int cuda_device_count() {
  std::string note;
  return count_cuda_devices(note);
}

}  // namespace carom
