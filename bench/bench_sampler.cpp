// The sampler: whole trajectories into buffers, by system, backend, threads, selection of
// solutions and number of trajectories.
#include <benchmark/benchmark.h>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

/// Of a device, whose times do not count if the CPU did its work.
void count_repeated(benchmark::State& state, const Sampler& sampler) {
  if (sampler.backend() == Backend::cpu) return;
  state.counters["repeated"] = static_cast<double>(sampler.repeated_trajectories());
}

void sampler(benchmark::State& state, const System& system, const SamplingOptions& given) {
  const ImpactProblem problem = build(system);
  SamplingOptions options = given;
  options.trajectories = static_cast<std::uint64_t>(state.range(0));
  const Sampler sampler(std::span(&problem, 1), options);
  SampleSet samples;
  for (auto _ : state) {
    sampler.sample(0, options.trajectories, samples);
    benchmark::ClobberMemory();
  }
  count_rows(state, samples);
  count_repeated(state, sampler);
}

/// Rows that stay on the device; its memory for them is allocated in each pass. By manual time, of
/// the kernels alone (CUDA events).
void resident(benchmark::State& state, const System& system, const SamplingOptions& given) {
  const ImpactProblem problem = build(system);
  SamplingOptions options = given;
  options.trajectories = static_cast<std::uint64_t>(state.range(0));
  const Sampler sampler(std::span(&problem, 1), options);
  for (auto _ : state) {
    state.SetIterationTime(sampler.sample_on_device(0, options.trajectories).kernel_seconds());
  }
  count_repeated(state, sampler);
  count_rows(state, sampler.sample_on_device(0, options.trajectories).to_host());
}

auto* add(const System& system, const std::string& variant, const SamplingOptions& options,
          const std::vector<std::int64_t>& sizes, decltype(sampler)* timed = sampler) {
  auto* made = benchmark::RegisterBenchmark(("sampler/" + system.name + "/" + variant).c_str(),
                                            timed, system, options);
  made->ArgName("M")->Unit(benchmark::kMillisecond);
  for (const std::int64_t size : sizes) made->Arg(size);
  return made;
}

void add_cpu(const System& system) {
  SamplingOptions options = system.sampling;
  options.backend = Backend::cpu;
  options.threads = 1;
  add(system, "cpu/threads:1", options, {1 << 10, 1 << 14, 1 << 18})->UseRealTime();

  SamplingOptions parallel = options;
  parallel.threads = 0;
  add(system, "cpu/threads:all", parallel, {1 << 14})->UseRealTime();

  for (const Solutions solutions : {Solutions::cover, Solutions::all, Solutions::table}) {
    SamplingOptions other = options;
    other.set_valued().solutions = solutions;
    add(system, std::string("cpu/threads:1/solutions:") + solutions_name(solutions), other,
        {1 << 12})
        ->UseRealTime();
  }
}

bool runs_on_device(const System& system, SamplingOptions options) {
  const ImpactProblem problem = build(system);
  options.trajectories = 1;
  options.backend = Backend::automatic;
  return Sampler(std::span(&problem, 1), options).backend() == Backend::cuda;
}

void add_cuda(const System& system) {
  SamplingOptions options = system.sampling;
  options.backend = Backend::cuda;
  add(system, "cuda", options, {1 << 10, 1 << 14, 1 << 18, 1 << 22})->UseRealTime();
  add(system, "cuda/resident", options, {1 << 14, 1 << 18, 1 << 22, 1 << 24}, resident)
      ->UseRealTime();
  add(system, "cuda/kernels", options, {1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 24}, resident)
      ->UseManualTime();
  for (const Solutions solutions : {Solutions::cover, Solutions::all, Solutions::table}) {
    SamplingOptions other = options;
    other.set_valued().solutions = solutions;
    if (!runs_on_device(system, other)) continue;
    add(system, std::string("cuda/kernels/solutions:") + solutions_name(solutions), other,
        {1 << 18, 1 << 22}, resident)
        ->UseManualTime();
  }
}

}  // namespace

void register_all() {
  for (const System& system : set_valued_systems()) {
    add_cpu(system);
    if (cuda_device_count() > 0) add_cuda(system);
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
