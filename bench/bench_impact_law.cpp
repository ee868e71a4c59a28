// The impact update of a simulator: time per problem, one thread or one device, by the number of
// problems; and what of it the problem's assembly takes.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "carom/impact_law.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/problem/friction_directions.hpp"
#include "tests/support/impact_arrays.hpp"

#ifdef CAROM_HAS_CUDA
#include <algorithm>

#include "carom/sampler.hpp"
#include "kernels/step/step_outcome.hpp"
#include "tests/support/device_batch.hpp"
#endif

namespace carom::bench {
namespace {

struct Kind {
  const char* name;
  int contacts, velocities, tangent_dimension, friction_directions;
};
constexpr Kind kinds[] = {{"two_planar", 2, 4, 1, 2},
                          {"five_planar", 5, 7, 1, 2},
                          {"four_spatial", 4, 6, 2, 4},
                          {"four_feet", 4, 18, 2, 4}};

test::Problems worlds_of(const Kind& kind, std::size_t size) {
  return test::Problems(size, kind.contacts, kind.velocities, kind.tangent_dimension,
                        kind.friction_directions);
}

void per_problem(benchmark::State& state, std::size_t size) {
  using benchmark::Counter;
  state.counters["us/problem"] = Counter(static_cast<double>(size) * 1e-6,
                                         Counter::kIsIterationInvariantRate | Counter::kInvert);
}

Law with_uniform_caps() { return law::SetValued{.caps = CapsDistribution{}}; }

void impact_law(benchmark::State& state, const Kind& kind, const Law& its_law) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const test::Problems worlds = worlds_of(kind, size);
  const ImpactLaw law({.law = its_law, .threads = 1});
  std::uint64_t step = 0;
  double lcps = 0.0;
  double outcomes = 0.0;
  for (auto _ : state) {
    const SampleSet set = law(step++, worlds.batch(0, size));
    for (const std::uint32_t count : set.lcp_count) lcps += count;
    outcomes += static_cast<double>(set.size());
  }
  per_problem(state, size);
  state.counters["LCPs"] = lcps / outcomes;
}

/// The part of it that makes the problems flat.
void assemble(benchmark::State& state, const Kind& kind) {
  constexpr std::size_t size = 64;
  const test::Problems worlds = worlds_of(kind, size);
  const ImpactBatch batch = worlds.batch(0, size);
  const ProblemShape shape{kind.contacts, kind.velocities, kind.tangent_dimension,
                           kind.friction_directions};
  std::vector<double> directions(static_cast<std::size_t>(shape.friction_directions * 2));
  write_friction_directions(shape.tangent_dimension, shape.friction_directions, directions.data());
  const StepLcpView view{shape, nullptr};
  std::vector<double> flat(static_cast<std::size_t>(view.data_size()));
  for (auto _ : state) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto at = [i](const double* array, int count) {
        return array + i * static_cast<std::size_t>(count);
      };
      const int nv = shape.velocities;
      const ProblemArrays problem{at(batch.mass_matrix, nv * nv),
                                  at(batch.normal_jacobian, shape.contacts * nv),
                                  at(batch.tangent_jacobian, shape.tangents() * nv),
                                  at(batch.friction, shape.contacts),
                                  at(batch.pre_impact_velocity, nv),
                                  directions.data()};
      benchmark::DoNotOptimize(item_runner().assemble(shape, problem, false, flat.data()));
    }
  }
  per_problem(state, size);
}

#ifdef CAROM_HAS_CUDA
/// Arrays and outcomes stay on the device; real time, the wait at the end of a call included.
void on_device(benchmark::State& state, const Kind& kind, const Law& its_law) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const test::Problems worlds = worlds_of(kind, size);
  const test::DeviceBatch given(worlds.batch(0, size));
  DeviceImpactLaw law({.law = its_law});
  const RowBuffers<MemoryKind::device> rows(size, law.shape(given.batch));
  const Stream stream;
  std::vector<Status> status(size);
  const auto run_step = [&](std::uint64_t step) {
    law(step, given.batch, rows.view(), 0, stream.handle, /*waits=*/false);
    CAROM_CUDA_CHECK(cudaStreamSynchronize(stream.handle));
  };
  std::uint64_t step = 0;
  run_step(step++);
  for (auto _ : state) run_step(step++);
  CAROM_CUDA_CHECK(cudaMemcpy(status.data(), rows.view().status, size * sizeof status[0],
                              cudaMemcpyDeviceToHost));
  per_problem(state, size);
  state.counters["left to host"] = static_cast<double>(std::ranges::count(status, undecided));
}
#endif

const int registered = [] {
  for (const Kind& kind : kinds) {
    benchmark::RegisterBenchmark((std::string("assemble/") + kind.name).c_str(), assemble, kind)
        ->Unit(benchmark::kMicrosecond);
    const std::string name = std::string("impact_law/") + kind.name;
    const Law all = law::SetValued{.solutions = Solutions::all};
    for (const auto& [variant, law] :
         {std::pair{name, with_uniform_caps()}, {name + "/default", Law{}}, {name + "/all", all}}) {
      benchmark::RegisterBenchmark(variant.c_str(), impact_law, kind, law)
          ->Arg(1)
          ->Arg(64)
          ->Arg(4096)
          ->Unit(benchmark::kMicrosecond);
    }
#ifdef CAROM_HAS_CUDA
    if (cuda_device_count() == 0) continue;
    for (const Law& law : {with_uniform_caps(), Law{law::Sequential{}}, Law{law::Plus{}}}) {
      const std::string variant = std::string(kind.name) + "/cuda/" + law_name(law);
      benchmark::RegisterBenchmark(("impact_law/" + variant).c_str(), on_device, kind, law)
          ->Arg(64)
          ->Arg(4096)
          ->Arg(65536)
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    }
#endif
  }
  return 0;
}();

}  // namespace
}  // namespace carom::bench
