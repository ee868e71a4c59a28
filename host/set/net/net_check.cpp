#include <fmt/core.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "host/sampling/sampled_chunks.hpp"
#include "host/set/net/net_forest.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

using RowRange = oneapi::tbb::blocked_range<std::size_t>;
constexpr std::size_t grain = 64;  // searches: about 0.1 ms in a large net

/// Greatest squared distance of an outcome of `samples` to the net, or `so_far` if that is greater.
double cover_of(const SampleSet& samples, const Eigen::MatrixXd& metric, const NetPoints& members,
                const NetForest& forest, double so_far) {
  const std::size_t nv = members.dimension;
  return oneapi::tbb::parallel_reduce(
      RowRange(0, samples.size(), grain), so_far,
      [&](const RowRange& range, double greatest) {
        std::vector<double> point(nv);
        for (std::size_t row = range.begin(); row < range.end(); ++row) {
          if (samples.status[row] != Status::separated) continue;
          to_coordinates(metric, nv, &samples.velocity[row * nv], point.data());
          // A member within the greatest distance so far is near enough.
          NearestPoint nearest(members, point.data(), NearestPoint::unbounded, greatest);
          forest.search(nearest);
          greatest = std::max(greatest, nearest.squared());
        }
        return greatest;
      },
      [](double one, double other) { return std::max(one, other); });
}

/// Least squared distance between two members.
double packing_of(const NetPoints& members, const NetForest& forest) {
  return oneapi::tbb::parallel_reduce(
      RowRange(0, members.size(), grain), NearestPoint::unbounded,
      [&](const RowRange& range, double least) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          NearestPoint nearest(members, members[i], least);
          nearest.skip(i);
          forest.search(nearest);
          least = std::min(least, nearest.squared());
        }
        return least;
      },
      [](double one, double other) { return std::min(one, other); });
}

}  // namespace

NetCheck check_net(const ImpactProblem& problem, const SamplingOptions& options,
                   const EpsilonNet& net) {
  return check_net(problem, options, net, {});
}

NetCheck check_net(const ImpactProblem& given, const SamplingOptions& options,
                   const EpsilonNet& net, const SampleObserver& observer) {
  const ImpactProblem problem = validated(given);
  validate(options);
  const auto nv = static_cast<std::size_t>(problem.velocities());
  if (net.velocity_rows().cols() != problem.velocities()) {
    throw InputError(
        fmt::format("the net's members have {} velocities (must have {}, the "
                    "problem's)",
                    net.velocity_rows().cols(), nv));
  }
  const Eigen::MatrixXd metric = net_metric(problem, options.norm);
  const NetPoints members = to_points(metric, nv, net.velocity());
  NetForest forest(members);
  forest.settle();

  double cover = 0.0;
  double packing = NearestPoint::unbounded;
  oneapi::tbb::task_arena arena(usable_threads(options.threads));
  arena.execute([&] { packing = packing_of(members, forest); });
  for_each_chunk(problem, options, observer, [&](const SampleSet& samples) {
    arena.execute([&] { cover = cover_of(samples, metric, members, forest, cover); });
  });
  // The same comparison as in the net: a square root may round to epsilon from above.
  const double epsilon = net.epsilon() * net.epsilon();
  return {std::sqrt(cover), std::sqrt(packing), cover <= epsilon && epsilon < packing};
}

}  // namespace carom
