#include "host/evidence/step_limit.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "carom/sampler.hpp"

namespace carom {
namespace {

/// The first dropped trajectories of a run, at most `most`.
std::vector<std::uint64_t> first_dropped(const ImpactProblem& problem,
                                         const SamplingOptions& options, std::uint64_t most) {
  constexpr std::uint64_t least_searched = 256;
  constexpr std::uint64_t most_searched = 1 << 14;
  constexpr std::uint64_t part = 4;  // of the run
  const std::uint64_t all = *options.trajectories;
  const std::uint64_t end = std::min(all, std::clamp(all / part, least_searched, most_searched));
  const Sampler sampler(std::span(&problem, 1), options);
  std::vector<std::uint64_t> dropped;
  SampleSet rows;
  for (std::uint64_t first = 0; first < end && dropped.size() < most; first += rows.size()) {
    sampler.sample(first, std::min(least_searched, end - first), rows);
    for (std::size_t row = 0; row < rows.size() && dropped.size() < most; ++row) {
      if (rows.status[row] == Status::step_limit) dropped.push_back(first + row);
    }
  }
  return dropped;
}

bool only_slides(const ImpactProblem& problem, std::span<const double> velocity) {
  constexpr double least_share = 1e-8;
  const Eigen::Map<const Eigen::VectorXd> v(velocity.data(),
                                            static_cast<Eigen::Index>(velocity.size()));
  const double approach = -(problem.normal_jacobian * v).minCoeff();
  return approach < least_share * (problem.tangent_jacobian * v).cwiseAbs().maxCoeff();
}

}  // namespace

StepLimitTrial try_step_limits(const ImpactProblem& problem, const SamplingOptions& given,
                               std::uint64_t lcps) {
  constexpr std::uint64_t most = 64;  // trajectories
  constexpr std::uint64_t least_lcps = 1 << 14;
  constexpr std::uint64_t part = 4;  // of the run's LCPs, for a doubling
  constexpr int room = 256;          // steps; most systems end within them whatever the caps
  SamplingOptions options = given;
  options.backend = Backend::cpu;  // a few trajectories; the bits are the same
  const std::uint64_t budget = std::max(lcps / part, least_lcps);
  const auto steps = static_cast<std::uint64_t>(2 * options.max_steps);
  std::vector<std::uint64_t> dropped =
      first_dropped(problem, options, std::clamp(budget / steps, std::uint64_t{1}, most));
  StepLimitTrial trial{.dropped = dropped.size(), .max_steps = options.max_steps};
  while (!dropped.empty() && options.max_steps < max_step_limit) {
    options.max_steps = std::min(2 * options.max_steps, max_step_limit);
    const Sampler sampler(std::span(&problem, 1), options);
    SampleSet row;
    trial.sliding = 0;
    const std::size_t ended = std::erase_if(dropped, [&](std::uint64_t index) {
      sampler.sample(index, 1, row);
      if (row.status.front() != Status::step_limit) return true;
      if (only_slides(problem, row.velocity)) ++trial.sliding;
      return false;
    });
    trial.max_steps = options.max_steps;
    if (ended == 0 && options.max_steps >= room) break;
  }
  trial.left = dropped.size();
  return trial;
}

}  // namespace carom
