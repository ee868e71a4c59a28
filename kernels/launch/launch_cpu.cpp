#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "carom/error.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {

// What CMakeLists.txt may compile for each instruction set: its CAROM_LEVELS.
namespace portable {
extern const TrajectoryRunner compiled_runner;
extern const MotionRunner compiled_motion;
}
namespace x86_64_v3 {
extern const TrajectoryRunner compiled_runner;
extern const MotionRunner compiled_motion;
}
namespace x86_64_v4 {
extern const TrajectoryRunner compiled_runner;
extern const MotionRunner compiled_motion;
}

namespace {

/// Memory in which a thread learns pivot paths: smaller than that of a pilot run, since the sets
/// are small.
class PivotTreeMemory {
 public:
  PivotTreeMemory()
      : nodes_(std::make_unique_for_overwrite<PivotNode[]>(most)),
        leaves_(std::make_unique_for_overwrite<PivotLeaf[]>(most)),
        children_(std::make_unique_for_overwrite<std::int16_t[]>(most_children)) {
    tree_.node = nodes_.get();
    tree_.leaf = leaves_.get();
    tree_.child = children_.get();
    tree_.most_nodes = most;
    tree_.most_leaves = most;
    tree_.most_children = most_children;
  }
  PivotTree& tree() { return tree_; }

 private:
  static constexpr std::int32_t most = 256;
  static constexpr std::int32_t most_children = 1 << 16;
  std::unique_ptr<PivotNode[]> nodes_;
  std::unique_ptr<PivotLeaf[]> leaves_;
  std::unique_ptr<std::int16_t[]> children_;
  PivotTree tree_;
};

struct Runners {
  ItemRunner runner[3];
  const ItemRunner* list[3];
  std::size_t count = 0;

  void add(const TrajectoryRunner& trajectories, const MotionRunner& motion) {
    runner[count] = {trajectories, motion};
    list[count] = &runner[count];
    ++count;
  }

  Runners() {
#if defined(CAROM_HAS_trajectories_OF_x86_64_v3) || defined(CAROM_HAS_trajectories_OF_x86_64_v4)
    // Every processor with these features has its whole x86-64 level; compilers before GCC 12 and
    // Clang 16 do not know the names of the levels.
    [[maybe_unused]] const bool v3 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    [[maybe_unused]] const bool v4 =
        v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl");
#if defined(CAROM_HAS_motion_OF_x86_64_v4)
    if (v4) add(x86_64_v4::compiled_runner, x86_64_v4::compiled_motion);
#elif defined(CAROM_HAS_trajectories_OF_x86_64_v4)
    if (v4) add(x86_64_v4::compiled_runner, x86_64_v3::compiled_motion);
#endif
#if defined(CAROM_HAS_trajectories_OF_x86_64_v3)
    if (v3) add(x86_64_v3::compiled_runner, x86_64_v3::compiled_motion);
#endif
#endif
#if defined(CAROM_HAS_motion_OF_portable)
    add(portable::compiled_runner, portable::compiled_motion);
#endif
    if (count > 0) return;
    throw RunError(
        "this program was compiled for another machine's processor alone (CAROM_LEVELS = native); "
        "with -DCAROM_LEVELS=all it runs on any");
  }
};

const Runners& runners() {
  static const Runners all;
  return all;
}

template <class Work>
void for_each_index(std::size_t count, int threads, const Work& work) {
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, work); });
}

}  // namespace

std::span<const ItemRunner* const> item_runners() { return {runners().list, runners().count}; }

const ItemRunner& item_runner() { return *runners().list[0]; }

void launch_cpu(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out, int threads) {
  const ItemRunner& runner = item_runner();
  const bool uses_trees = runner.uses_trees(plan);
  constexpr std::uint64_t least_to_learn = 50;  // trajectories of a problem; fewer do not pay
  const auto* law = std::get_if<SetValuedPlan>(&plan.law);
  const bool learns = uses_trees && law->trees == nullptr && law->solutions == Solutions::first &&
                      (plan.trajectories == 0 ? count : plan.trajectories) >= least_to_learn;
  // Trajectories per task: about 0.1 ms, far above the cost of a task; fewer if there are too few
  // tasks for all threads.
  constexpr std::uint64_t tasks_per_thread = 8;
  const std::uint64_t share =
      count / (tasks_per_thread * static_cast<std::uint64_t>(usable_threads(threads)));
  const std::uint64_t grain = uses_trees ? 1024 : std::clamp<std::uint64_t>(share, 1, 128);
  oneapi::tbb::enumerable_thread_specific<PivotTreeMemory> trees;
  const auto run = [&](std::uint64_t begin, std::uint64_t end) {
    const SampleView rows = out.from(begin, plan.rows);
    if (learns) {
      runner.learning_items(plan, first + begin, end - begin, rows, trees.local().tree());
    } else {
      runner.items(plan, first + begin, end - begin, rows);
    }
  };
  if (usable_threads(threads) == 1) {
    run(0, count);
    return;
  }
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] {
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::uint64_t>(0, count, grain),
                              [&](const auto& range) { run(range.begin(), range.end()); });
  });
}

std::uint64_t repeat_undecided(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                               const SampleView& out, int threads) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < count; ++row) {
    if (out.status[row] == undecided) rows.push_back(row);
  }
  for_each_index(rows.size(), threads, [&](std::size_t i) {
    item_runner().items(plan, first + rows[i], 1, out.from(rows[i], plan.rows));
  });
  return rows.size();
}

void repeat_listed(const SamplingPlan& plan, std::uint64_t first,
                   std::span<const std::uint32_t> rows, const SampleView& out, int threads) {
  for_each_index(rows.size(), threads, [&](std::size_t i) {
    item_runner().items(plan, first + rows[i], 1, out.from(i, plan.rows));
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
