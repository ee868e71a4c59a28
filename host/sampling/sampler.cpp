#include "carom/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "carom/error.hpp"
#include "host/base/clock.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/default_sampling.hpp"
#include "host/sampling/sampler_state.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom {

namespace {

// Default rows per launch: many for the speed of a GPU, few on the CPU, so that an interrupt takes
// effect soon.
constexpr std::uint64_t first_cpu_chunk = std::uint64_t{1} << 5;
constexpr std::uint64_t least_cpu_chunk = std::uint64_t{1} << 4;
constexpr std::uint64_t most_cpu_chunk = std::uint64_t{1} << 16;
constexpr double cpu_chunk_seconds = 0.05;
constexpr std::uint64_t cuda_chunk = std::uint64_t{1} << 21;

}  // namespace

Sampler::Sampler(std::span<const ImpactProblem> problems, const SamplingOptions& options)
    : state_(std::make_unique<State>()) {
  state_->data = make_plan(problems, options);
  state_->threads = options.threads;
  if (options.backend == Backend::cuda) require_device_program(state_->data->plan);
  if (options.backend == Backend::automatic) state_->note = why_no_device(state_->data->plan);
  const bool use_cuda = options.backend == Backend::cuda ||
                        (options.backend == Backend::automatic && state_->note.empty() &&
                         count_cuda_devices(state_->note) > 0);
  if (use_cuda) {
    try {
      state_->cuda = std::make_unique<CudaLauncher>(options.device, state_->data->plan,
                                                    state_->data->problem_count);
    } catch (const RunError& error) {  // an unusable device, for example too old or not permitted
      if (options.backend == Backend::cuda) throw;
      state_->note = error.what();
    }
  }
  state_->device_name = state_->cuda ? state_->cuda->device_name() : cpu_name();
  state_->paced = options.chunk == 0 && !state_->cuda;
  state_->chunk = options.chunk > 0 ? options.chunk : (state_->cuda ? cuda_chunk : first_cpu_chunk);
}

Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

void Sampler::State::keep_pace(std::uint64_t count, double seconds) {
  if (!paced || count < least_cpu_chunk) return;
  const double wanted = cpu_chunk_seconds * static_cast<double>(count) / seconds;
  chunk = wanted < static_cast<double>(most_cpu_chunk)
              ? std::max(static_cast<std::uint64_t>(wanted), least_cpu_chunk)
              : most_cpu_chunk;
}

void Sampler::State::launch(std::uint64_t first, std::uint64_t count, SampleSet& samples,
                            std::uint64_t row) {
  const auto start = Clock::now();
  const SampleView rows = view_of(samples).from(static_cast<std::size_t>(row), plan().rows);
  if (cuda) {
    cuda->launch(first, count, rows, threads);
  } else {
    launch_cpu(plan(), first, count, rows, threads);
  }
  keep_pace(count, seconds_since(start));
}

void Sampler::sample(std::uint64_t first, std::uint64_t count, SampleSet& samples) const {
  state_->prepare_rows(first, count, samples);
  state_->launch(first, count, samples, 0);
}

bool Sampler::sample(std::uint64_t first, std::uint64_t count, SampleSet& samples,
                     const SampleObserver& observer) const {
  state_->prepare_rows(first, count, samples);
  return state_->fill(first, count, samples, 0, observer);
}

bool Sampler::State::fill(std::uint64_t first, std::uint64_t count, SampleSet& samples,
                          std::uint64_t row, const SampleObserver& observer) {
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t some = std::min(chunk.load(), count - done);
    launch(first + done, some, samples, row + done);
    done += some;
    const std::uint64_t rows = row + done;
    if (observer && !observer(rows, samples.size()) && rows < samples.size()) {
      samples.resize(plan().rows, static_cast<std::size_t>(rows));
      return false;
    }
  }
  return true;
}

DeviceSamples Sampler::sample_on_device(std::uint64_t first, std::uint64_t count,
                                        const SampleObserver& observer) const {
  state_->check_items(first, count);
  if (!state_->cuda) {
    throw InputError("backend in use is cpu" +
                     (state_->note.empty() ? "" : " (" + state_->note + ")") +
                     " (must be cuda: rows stay on the device where they are computed)");
  }
  return DeviceSamples::State::samples(
      state_->cuda->launch_resident(
          first, count, state_->threads,
          [&](std::uint64_t done) { return !observer || observer(done, count); }),
      first);
}

void Sampler::State::check_items(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t items = plan().trajectories > 0 ? plan().trajectories * data->problem_count
                                                      : std::numeric_limits<std::uint64_t>::max();
  if (first <= items && count <= items - first) return;
  throw InputError(
      fmt::format("{} work items from {} on (must end at {}, problems times "
                  "trajectories)",
                  count, first, items));
}

void Sampler::State::prepare_rows(std::uint64_t first, std::uint64_t count,
                                  SampleSet& samples) const {
  check_items(first, count);
  samples.first = first;
  samples.resize(plan().rows, static_cast<std::size_t>(count));
}

std::vector<double> Sampler::path(std::uint64_t index) const {
  const SamplingPlan& plan = state_->plan();
  const auto impulses = static_cast<std::size_t>(plan.shape.impulses());
  std::vector<double> steps((static_cast<std::size_t>(plan.max_steps) + 1) * 2 * impulses);
  const auto nv = static_cast<std::size_t>(plan.shape.velocities);
  std::vector<double> start(nv);
  const int count = item_runner().steps(plan, index, steps.data(), start.data());

  const StepLcpView problem{plan.shape, plan.problems};
  std::vector<double> velocities((static_cast<std::size_t>(count) + 1) * nv);
  std::vector<double> total(impulses, 0.0);
  for (std::size_t row = 0;; ++row) {
    std::ranges::copy(start, &velocities[row * nv]);
    apply_impulse(problem, total.data(), &velocities[row * nv]);
    if (row == static_cast<std::size_t>(count)) return velocities;
    for (std::size_t i = 0; i < impulses; ++i) total[i] += steps[row * 2 * impulses + i];
  }
}

const RowShape& Sampler::row_shape() const { return state_->plan().rows; }
Backend Sampler::backend() const { return state_->cuda ? Backend::cuda : Backend::cpu; }
const std::string& Sampler::device_name() const { return state_->device_name; }
const std::string& Sampler::backend_note() const { return state_->note; }
std::uint64_t Sampler::repeated_trajectories() const {
  return state_->cuda ? state_->cuda->repeated_rows() : 0;
}
TableInfo Sampler::table() const { return state_->data->law->table; }
std::uint64_t Sampler::chunk() const { return state_->chunk; }

namespace {

/// Samples valid problems of one shape.
/// @return whether the observer let all of it happen
bool sample_all(std::span<const ImpactProblem> problems, SamplingOptions options,
                const SampleObserver& observer, SampleSet& samples) {
  for (std::span<const ImpactProblem> left = problems; !left.empty();) {
    const std::size_t count = count_alike(left, options.law);
    const Sampler sampler(left.first(count), options);
    const std::uint64_t row = *options.trajectories * (problems.size() - left.size());
    if (row == 0) samples.resize(sampler.row_shape(), *options.trajectories * problems.size());
    if (!Sampler::State::of(sampler).fill(0, *options.trajectories * count, samples, row,
                                          observer)) {
      return false;
    }
    options.problem_id += static_cast<std::uint32_t>(count);
    left = left.subspan(count);
  }
  return true;
}

/// Options that no pilot chooses, if the pilots would take longer than the trajectories: these few
/// depend on epsilon and max_steps only if one comes to the limit of steps. A table of bases comes
/// from a pilot that depends on both.
std::optional<SamplingOptions> options_without_pilots(std::span<const ImpactProblem> problems,
                                                      const SamplingOptions& stated) {
  constexpr std::uint64_t most = 256;
  const auto* const law = std::get_if<law::SetValued>(&stated.law);
  const bool has_table =
      law != nullptr && law->solutions.has_value() && *law->solutions == Solutions::table;
  const bool has_all = stated.epsilon.has_value() && stated.max_steps.has_value();
  const double epsilon = epsilon_before_pilots(problems.front(), stated.norm);
  if (has_table || has_all || !(epsilon > 0.0) || !stated.trajectories.has_value() ||
      *stated.trajectories > most / problems.size()) {
    return std::nullopt;
  }
  SamplingOptions options = stated;
  options.max_steps.choose(default_max_steps(stated.law));
  options.epsilon.choose(epsilon);
  return options;
}

}  // namespace

SampleSet sample(std::span<const ImpactProblem> problems, const SamplingOptions& stated,
                 const SampleObserver& observer) {
  std::vector<ImpactProblem> valid;
  for (const ImpactProblem& problem : problems) valid.push_back(validated(problem));
  require_one_shape(valid);
  SampleSet samples;
  const StageObserver pilots = [&](const std::string&, std::uint64_t, std::uint64_t) {
    return !observer || observer(0, valid.size());
  };
  if (const auto quick = options_without_pilots(valid, stated)) {
    const bool is_whole = sample_all(valid, resolved(*quick, valid), observer, samples);
    std::size_t sound = 0;
    while (sound < samples.size() && samples.status[sound] != Status::step_limit &&
           (samples.final_step.empty() || samples.final_step[sound] == 0)) {
      ++sound;
    }
    if (!is_whole) samples.resize(RowShape(samples), sound);
    if (sound == samples.size()) return samples;
  }
  sample_all(valid, resolved(stated, valid, pilots), observer, samples);
  return samples;
}

SampleSet sample(const ImpactProblem& problem, const SamplingOptions& options) {
  return sample(std::span(&problem, 1), options, {});
}

int cuda_device_count() {
  std::string note;
  return count_cuda_devices(note);
}

}  // namespace carom
