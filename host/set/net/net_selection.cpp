#include <fmt/core.h>
#include <oneapi/tbb/task_arena.h>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "host/sampling/sampled_chunks.hpp"
#include "host/set/net/farthest_selection.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

void check_size(const ImpactProblem& problem, const SamplingOptions& options, std::uint64_t size) {
  if (size == 0) throw InputError("net_size is 0 (must be at least 1)");
  if (size > options.trajectories) {
    throw InputError(fmt::format("net_size is {} (must be at most {}, the number of trajectories)",
                                 size, options.trajectories));
  }
  constexpr std::uint64_t limit = std::uint64_t{2} << 30;  // bytes, as the header promises
  const std::uint64_t bytes = sizeof(double) * static_cast<std::uint64_t>(problem.velocities()) +
                              sizeof(std::uint64_t) + sizeof(double) + sizeof(std::uint32_t);
  if (options.trajectories > limit / bytes) {
    throw InputError(
        fmt::format("trajectories is {} (must be at most {} for net_size: all outcomes "
                    "must fit into 2 GiB of memory)",
                    options.trajectories, limit / bytes));
  }
}

}  // namespace

NetSelection farthest_points(const ImpactProblem& problem, const SamplingOptions& options,
                             std::uint64_t size) {
  return farthest_points(problem, options, size, {});
}

NetSelection farthest_points(const ImpactProblem& given, const SamplingOptions& options,
                             std::uint64_t size, const SampleObserver& observer) {
  const ImpactProblem problem = validated(given);
  validate(options);
  check_size(problem, options, size);
  FarthestSelection candidates(net_metric(problem, options.norm),
                               static_cast<std::size_t>(problem.velocities()));
  candidates.reserve(options.trajectories);  // growth by doubling would need twice as much
  std::vector<std::uint64_t> index;
  index.reserve(options.trajectories);
  for_each_chunk(problem, options, observer, [&](const SampleSet& samples) {
    const auto nv = static_cast<std::size_t>(samples.velocities);
    for (std::size_t row = 0; row < samples.size(); ++row) {
      if (samples.status[row] != Status::separated) continue;
      candidates.add(&samples.velocity[row * nv]);
      index.push_back(samples.first + row);
    }
  });

  NetSelection selection;
  oneapi::tbb::task_arena arena(usable_threads(options.threads));
  const FarthestSelection::Choice choice =
      arena.execute([&] { return candidates.choose_first(size, observer); });
  if (choice.candidates.size() < size) {
    throw InputError(
        fmt::format("net_size is {} (must be at most {}, the number of distinct outcomes)", size,
                    choice.candidates.size()));
  }
  for (const std::size_t candidate : choice.candidates) {
    selection.index.push_back(index[candidate]);
  }
  selection.epsilon = choice.cover;

  // A trajectory is a function of its index, so the velocities need not be stored in addition to
  // the points.
  const Sampler sampler(std::span(&problem, 1), options);
  SampleSet row;
  for (const std::uint64_t trajectory : selection.index) {
    sampler.sample(trajectory, 1, row);
    selection.velocity.insert(selection.velocity.end(), row.velocity.begin(), row.velocity.end());
  }
  return selection;
}

}  // namespace carom
