#include <fmt/core.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "host/set/net/net_forest.hpp"

namespace carom {

double directed_hausdorff(const std::vector<double>& from, const std::vector<double>& to,
                          int dimension, const Eigen::MatrixXd& metric) {
  require_metric(dimension, metric);
  const auto nv = static_cast<std::size_t>(dimension);
  for (const auto* rows : {&from, &to}) {
    if (rows->size() % nv == 0) continue;
    throw InputError(fmt::format("{} numbers for rows of {} velocities (must be a multiple)",
                                 rows->size(), dimension));
  }
  if (from.empty()) return 0.0;
  const NetPoints queries = to_points(metric, nv, from);
  const NetPoints targets = to_points(metric, nv, to);
  NetForest forest(targets);
  forest.settle();

  using Rows = oneapi::tbb::blocked_range<std::size_t>;
  constexpr std::size_t grain = 64;  // searches: about 0.1 ms among many targets
  const double squared = oneapi::tbb::parallel_reduce(
      Rows(0, queries.size(), grain), 0.0,
      [&](const Rows& range, double greatest) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          // A target within the greatest distance so far is near enough.
          NearestPoint nearest(targets, queries[i], NearestPoint::unbounded, greatest);
          forest.search(nearest);
          greatest = std::max(greatest, nearest.squared());
        }
        return greatest;
      },
      [](double one, double other) { return std::max(one, other); });
  return std::sqrt(squared);
}

}  // namespace carom
