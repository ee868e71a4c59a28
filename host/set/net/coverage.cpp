#include "host/set/net/coverage.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "kernels/launch/launch.hpp"

namespace carom {

std::vector<double> distances_of(const EpsilonNet& of, const EpsilonNet& by, int threads,
                                 const std::function<void()>& heed) {
  constexpr std::size_t block = 4096;
  const RowMatrixView members = of.velocity_rows();
  std::vector<double> distances(of.size());
  oneapi::tbb::task_arena arena(usable_threads(threads));
  for (std::size_t begin = 0; begin < distances.size(); begin += block) {
    if (heed) heed();
    const std::size_t end = std::min(begin + block, distances.size());
    arena.execute([&] {
      oneapi::tbb::parallel_for(begin, end, [&](std::size_t i) {
        distances[i] = by.distance(members.row(static_cast<Eigen::Index>(i)).data());
      });
    });
  }
  return distances;
}

Coverage coverage_of(const EpsilonNet& of, const EpsilonNet& by, int threads) {
  Coverage coverage;
  if (of.size() == 0) return coverage;
  const std::vector<double> distances = distances_of(of, by, threads);
  const auto near =
      std::ranges::count_if(distances, [&](double distance) { return distance <= by.epsilon(); });
  coverage.share = static_cast<double>(near) / static_cast<double>(of.size());
  coverage.farthest = std::ranges::max(distances);
  return coverage;
}

}  // namespace carom
