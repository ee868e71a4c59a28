#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <fstream>
#include <vector>

#include "kernels/launch.hpp"
#include "kernels/run_items.hpp"

namespace carom {

// One per instruction set that CMakeLists.txt compiles run_items.cpp for.
namespace portable {
extern const ItemRunner compiled_runner;
}
#if defined(CAROM_HAS_X86_LEVELS)
namespace x86_64_v3 {
extern const ItemRunner compiled_runner;
}
namespace x86_64_v4 {
extern const ItemRunner compiled_runner;
}
#endif

namespace {

struct Runners {
  const ItemRunner* list[3];
  std::size_t count = 0;

  Runners() {
#if defined(CAROM_HAS_X86_LEVELS)
    // Every processor with these has the rest of its level; compilers before GCC 12 and Clang 16 do
    // not know the levels by name.
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    if (v4) list[count++] = &x86_64_v4::compiled_runner;
    if (v3) list[count++] = &x86_64_v3::compiled_runner;
#endif
    list[count++] = &portable::compiled_runner;
  }
};

const Runners& runners() {
  static const Runners all;
  return all;
}

}  // namespace

std::span<const ItemRunner* const> item_runners() { return {runners().list, runners().count}; }

const ItemRunner& item_runner() { return *runners().list[0]; }

SampleView view_of(SampleSet& samples) {
  return {samples.velocity.data(),
          samples.impulse.data(),
          samples.energy.data(),
          samples.lcp_count.data(),
          samples.pivot_count.data(),
          samples.retry_count.data(),
          samples.table_count.data(),
          samples.status.data(),
          samples.final_step.data(),
          samples.solution_count.empty() ? nullptr : samples.solution_count.data()};
}

void launch_cpu(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out, int threads) {
  // Trajectories: some 0.1 ms, far above a task's cost.
  const std::uint64_t grain = plan.trees == nullptr ? 128 : 1024;
  const RunItems run = item_runner().items;
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::uint64_t>(0, count, grain), [&](const auto& range) {
          run(plan, first + range.begin(), range.size(), out.from(range.begin(), plan.shape));
        });
  });
}

void repeat_undecided(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                      const SampleView& out, int threads) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < count; ++row) {
    if (out.status[row] == undecided) rows.push_back(row);
  }
  const RunItems run = item_runner().items;
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
      run(plan, first + rows[i], 1, out.from(rows[i], plan.shape));
    });
  });
}

int usable_threads(int threads) {
  const int available = oneapi::tbb::info::default_concurrency();
  return threads > 0 && threads < available ? threads : available;
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "CPU";
}

}  // namespace carom
