#include "carom/sampler.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "carom/error.hpp"
#include "host/step_lcp.hpp"
#include "kernels/launch.hpp"
#include "kernels/run_items.hpp"

namespace carom {

struct Sampler::State {
  std::vector<double> problems;
  SamplingPlan plan;
  std::size_t problem_count = 0;
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

/// The cap of Algorithm 2's final step. Refuses caps that products with M^-1 would take out of what
/// a double holds.
double final_cap(const ImpactProblem& problem, const SamplingOptions& options) {
  constexpr double least = 1e-150;
  constexpr double most = 1e150;
  const double admittance = delassus_matrix(problem).diagonal().maxCoeff();
  const double cap = options.epsilon / (3.0 * psi(problem, options.norm));
  if (!(options.impulse_step * admittance < most)) {
    throw InputError("impulse_step is " + std::to_string(options.impulse_step) +
                     " (times the Delassus matrix it must stay below 1e150 m/s)");
  }
  if (!(cap * admittance > least)) {
    throw InputError(
        "epsilon is too small (epsilon / (3 psi) times the Delassus matrix must be "
        "above 1e-150 m/s)");
  }
  return cap;
}

}  // namespace

Sampler::Sampler(std::span<const ImpactProblem> problems, const SamplingOptions& options)
    : state_(std::make_unique<State>()) {
  validate(options);
  if (problems.empty()) throw InputError("problems is empty (must hold at least one problem)");
  if (problems.size() - 1 > std::numeric_limits<std::uint32_t>::max() - options.problem_id) {
    throw InputError("problem_id is " + std::to_string(options.problem_id) +
                     " (with the number of problems it must stay within 32 bits)");
  }
  std::optional<ProblemShape> shape;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    ImpactProblem problem = problems[i];
    validate(problem);
    if (shape && !(*shape == shape_of(problem))) {
      throw InputError("problem " + std::to_string(i) +
                       " has another shape than problem 0 (problems sampled together must agree in "
                       "contacts, velocities, tangent dimension and friction directions)");
    }
    shape = shape_of(problem);
    const std::vector<double> data =
        flatten(problem, options.impulse_step, final_cap(problem, options));
    state_->plan.stride = data.size();
    state_->problems.insert(state_->problems.end(), data.begin(), data.end());
  }
  state_->problem_count = problems.size();
  state_->threads = options.threads;
  state_->plan.problems = state_->problems.data();
  state_->plan.shape = *shape;
  state_->plan.trajectories = problems.size() == 1 ? 0 : options.trajectories;
  state_->plan.max_steps = options.max_steps;
  state_->plan.tolerance = options.termination_tolerance;
  state_->plan.seed = options.seed;
  state_->plan.first_problem = options.problem_id;

  const bool use_cuda =
      options.backend == Backend::cuda ||
      (options.backend == Backend::automatic && count_cuda_devices(state_->note) > 0);
  if (use_cuda) {
    try {
      state_->cuda = std::make_unique<CudaLauncher>(options.device, state_->plan, state_->problems);
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
  const SamplingPlan& plan = state_->plan;
  const std::uint64_t items = plan.trajectories * state_->problem_count;
  if (plan.trajectories > 0 && (first > items || count > items - first)) {
    throw InputError("work items up to " + std::to_string(first + count) + " (must be below " +
                     std::to_string(items) + ", problems times trajectories)");
  }
  samples.first = first;
  samples.velocities = plan.shape.velocities;
  samples.contacts = plan.shape.contacts;
  samples.tangent_dimension = plan.shape.tangent_dimension;
  samples.resize(static_cast<std::size_t>(count));
  if (state_->cuda) {
    state_->cuda->launch(first, count, view_of(samples), state_->threads);
  } else {
    launch_cpu(plan, first, count, view_of(samples), state_->threads);
  }
}

std::vector<double> Sampler::path(std::uint64_t index) const {
  const SamplingPlan& plan = state_->plan;
  const std::size_t nv = static_cast<std::size_t>(plan.shape.velocities);
  std::vector<double> velocities((static_cast<std::size_t>(plan.max_steps) + 2) * nv);
  const int count = item_runner().path(plan, index, velocities.data());
  velocities.resize(static_cast<std::size_t>(count) * nv);
  return velocities;
}

Backend Sampler::backend() const { return state_->cuda ? Backend::cuda : Backend::cpu; }
const std::string& Sampler::device_name() const { return state_->device_name; }
const std::string& Sampler::backend_note() const { return state_->note; }
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
