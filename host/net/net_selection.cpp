#include <fmt/core.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>

#include <cmath>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "host/evidence/sampled_chunks.hpp"
#include "host/net/net_points.hpp"
#include "kernels/launch.hpp"

namespace carom {
namespace {

/// The outcomes of a run, and how far each is from those chosen so far.
class Candidates {
 public:
  Candidates(const ImpactProblem& problem, const SamplingOptions& options,
             const SampleObserver& observer);

  std::size_t size() const { return index_.size(); }
  std::uint64_t index(std::size_t candidate) const { return index_[candidate]; }

  struct Farthest {
    double squared = -1.0;
    std::size_t candidate = 0;
  };
  /// Chooses a candidate; returns the one that is then farthest from all chosen, of those as far
  /// the first.
  Farthest choose(std::size_t candidate);

 private:
  NetPoints points_;
  std::vector<std::uint64_t> index_;  // trajectory
  std::vector<double> squared_;       // distance to the nearest chosen one
  std::vector<std::uint32_t> owner_;  // which of the chosen is nearest
  std::vector<std::size_t> chosen_;
  std::vector<double> quarter_gap_;  // squared distance of the chosen to the newest, / 4
};

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

Candidates::Candidates(const ImpactProblem& problem, const SamplingOptions& options,
                       const SampleObserver& observer) {
  const Eigen::MatrixXd metric = net_metric(problem, options.norm);
  const auto nv = static_cast<std::size_t>(problem.velocities());
  points_.dimension = nv;
  points_.coordinates.reserve(options.trajectories *
                              nv);  // growing by doubling needs twice as much
  index_.reserve(options.trajectories);
  std::vector<double> point(nv);
  for_each_chunk(problem, options, observer, [&](const SampleSet& samples) {
    for (std::size_t row = 0; row < samples.size(); ++row) {
      if (samples.status[row] != Status::separated) continue;
      to_coordinates(metric, nv, &samples.velocity[row * nv], point.data());
      points_.coordinates.insert(points_.coordinates.end(), point.begin(), point.end());
      index_.push_back(samples.first + row);
    }
  });
  squared_.assign(size(), NearestPoint::unbounded);
  owner_.assign(size(), 0);
}

Candidates::Farthest Candidates::choose(std::size_t candidate) {
  const double* const newest = points_[candidate];
  quarter_gap_.clear();
  for (const std::size_t other : chosen_) {
    constexpr double quarter = 0.25;
    quarter_gap_.push_back(quarter * points_.squared_distance(other, newest));
  }
  const auto newest_owner = static_cast<std::uint32_t>(chosen_.size());
  chosen_.push_back(candidate);
  quarter_gap_.push_back(0.0);

  constexpr std::size_t grain = 16384;  // candidates: some 0.1 ms
  // Half as far from its owner as that is from the newest: then the newest is no nearer. The margin
  // keeps rounding from deciding, so that every distance is the least one to the last bit.
  constexpr double margin = 1.0 + 1e-9;
  return oneapi::tbb::parallel_reduce(
      oneapi::tbb::blocked_range<std::size_t>(0, size(), grain), Farthest{},
      [&](const auto& range, Farthest farthest) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          if (!(squared_[i] * margin <= quarter_gap_[owner_[i]])) {
            const double squared = points_.squared_distance(i, newest);
            if (squared < squared_[i]) {
              squared_[i] = squared;
              owner_[i] = newest_owner;
            }
          }
          if (squared_[i] > farthest.squared) farthest = {squared_[i], i};
        }
        return farthest;
      },
      [](const Farthest& one, const Farthest& other) {
        return other.squared > one.squared ? other : one;
      });
}

}  // namespace

NetSelection farthest_points(const ImpactProblem& problem, const SamplingOptions& options,
                             std::uint64_t size) {
  return farthest_points(problem, options, size, {});
}

NetSelection farthest_points(const ImpactProblem& given, const SamplingOptions& options,
                             std::uint64_t size, const SampleObserver& observer) {
  ImpactProblem problem = given;
  validate(problem);
  validate(options);
  check_size(problem, options, size);
  Candidates candidates(problem, options, observer);

  NetSelection selection;
  Candidates::Farthest next;
  next.squared = candidates.size() == 0 ? 0.0 : NearestPoint::unbounded;
  oneapi::tbb::task_arena arena(usable_threads(options.threads));
  while (selection.index.size() < size) {
    if (!(next.squared > 0.0)) {
      throw InputError(
          fmt::format("net_size is {} (must be at most {}, the number of distinct outcomes)", size,
                      selection.index.size()));
    }
    report(observer, selection.index.size(), size);
    selection.index.push_back(candidates.index(next.candidate));
    arena.execute([&] { next = candidates.choose(next.candidate); });
  }
  selection.epsilon = std::sqrt(next.squared);

  // A trajectory is a function of its index, so the velocities need not be kept beside the points.
  const Sampler sampler(std::span(&problem, 1), options);
  SampleSet row;
  for (const std::uint64_t trajectory : selection.index) {
    sampler.sample(trajectory, 1, row);
    selection.velocity.insert(selection.velocity.end(), row.velocity.begin(), row.velocity.end());
  }
  return selection;
}

}  // namespace carom
