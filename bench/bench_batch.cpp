// Batches of different problems: about the same number of trajectories in all, as one problem of
// many or as many problems of few; and what it costs to set such a batch up.
#include <benchmark/benchmark.h>

#include <random>

#include "bench/bench_problems.hpp"

namespace carom::bench {
namespace {

constexpr std::int64_t cpu_trajectories = std::int64_t{1} << 17;
constexpr std::int64_t cuda_trajectories = std::int64_t{1} << 22;

/// Rocking blocks that differ in friction and pre-impact velocity; both corners approach in all.
std::vector<ImpactProblem> blocks(std::int64_t size) {
  std::mt19937_64 engine(1);
  const auto draw = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(engine);
  };
  const ImpactProblem block = build(systems().front());
  std::vector<ImpactProblem> batch(static_cast<std::size_t>(size), block);
  // The first is the block itself, so that a batch of one compares with the sampler's benchmark.
  for (auto problem = batch.begin() + 1; problem != batch.end(); ++problem) {
    problem->friction.setConstant(draw(0.2, 1.5));
    problem->pre_impact_velocity(0) = draw(-0.3, 0.3);    // m/s, sideways
    problem->pre_impact_velocity(1) *= draw(0.5, 1.5);    // m/s, down
    problem->pre_impact_velocity(2) = draw(-0.25, 0.25);  // rad/s, the corners are 1 m apart
  }
  return batch;
}

/// state.range(0) is the number of problems.
SamplingOptions batch_options(const benchmark::State& state, Backend backend, int threads) {
  const std::int64_t all = backend == Backend::cuda ? cuda_trajectories : cpu_trajectories;
  SamplingOptions options = set_valued_systems().front().sampling;
  options.trajectories = static_cast<std::uint64_t>(all / state.range(0));
  options.backend = backend;
  options.threads = threads;
  return options;
}

void batch(benchmark::State& state, int threads) {
  const std::vector<ImpactProblem> problems = blocks(state.range(0));
  const SamplingOptions options = batch_options(state, Backend::cpu, threads);
  const Sampler sampler(problems, options);
  SampleSet samples;
  for (auto _ : state) {
    sampler.sample(0, options.trajectories * problems.size(), samples);
    benchmark::ClobberMemory();
  }
  count_rows(state, samples);
}

/// Rows that stay on the device, by manual time of the kernels alone (CUDA events).
void batch_kernels(benchmark::State& state) {
  const std::vector<ImpactProblem> problems = blocks(state.range(0));
  const SamplingOptions options = batch_options(state, Backend::cuda, 0);
  const Sampler sampler(problems, options);
  const std::uint64_t items = options.trajectories * problems.size();
  for (auto _ : state) {
    state.SetIterationTime(sampler.sample_on_device(0, items).kernel_seconds());
  }
  count_rows(state, sampler.sample_on_device(0, items).to_host());
}

void construct(benchmark::State& state) {
  using benchmark::Counter;
  const std::vector<ImpactProblem> problems = blocks(state.range(0));
  const SamplingOptions options = batch_options(state, Backend::cpu, 1);
  for (auto _ : state) {
    const Sampler sampler(problems, options);
    benchmark::DoNotOptimize(sampler.chunk());
  }
  state.counters["us/problem"] = Counter(static_cast<double>(problems.size()) * 1e-6,
                                         Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void add_sizes(benchmark::internal::Benchmark* made) {
  made->ArgName("problems")->Unit(benchmark::kMillisecond)->UseRealTime();
  for (const std::int64_t size : {1, 131, 1'310, 13'107}) made->Arg(size);
}

}  // namespace

void register_all() {
  for (const int threads : {1, 0}) {
    add_sizes(benchmark::RegisterBenchmark(("batch/sample/" + threads_name(threads)).c_str(), batch,
                                           threads));
  }
  add_sizes(benchmark::RegisterBenchmark("batch/construct", construct));
  if (cuda_device_count() == 0) return;
  benchmark::RegisterBenchmark("batch/cuda/kernels", batch_kernels)
      ->ArgName("problems")
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Arg(1)
      ->Arg(4'194)
      ->Arg(41'943)
      ->Arg(419'430);
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
