#include <algorithm>
#include <numeric>

#include "carom/error.hpp"
#include "carom/post_impact_set.hpp"

namespace carom {

namespace {

void include_rows(const Eigen::MatrixXd& jacobian, const double* velocity,
                  std::vector<Range>& ranges) {
  for (Eigen::Index i = 0; i < jacobian.rows(); ++i) {
    double speed = 0.0;
    for (Eigen::Index j = 0; j < jacobian.cols(); ++j) speed += jacobian(i, j) * velocity[j];
    ranges[static_cast<std::size_t>(i)].include(speed);
  }
}

}  // namespace

void Range::include(double value) {
  if (empty()) {
    least = value;
    greatest = value;
    return;
  }
  least = std::min(least, value);
  greatest = std::max(greatest, value);
}

double Summary::mean_lcps() const {
  return trajectories == 0 ? 0.0 : static_cast<double>(lcps) / static_cast<double>(trajectories);
}

double Summary::mean_energy() const {
  return outcomes() == 0 ? 0.0 : energy_sum / static_cast<double>(outcomes());
}

void Summary::add(const ImpactProblem& problem, const SampleSet& samples) {
  if (samples.first != trajectories) {
    throw InputError("trajectory " + std::to_string(samples.first) + " (must be the next one, " +
                     std::to_string(trajectories) + ")");
  }
  if (trajectories == 0) {
    energy_before = kinetic_energy(problem, problem.pre_impact_velocity);
  }
  normal_velocity.resize(static_cast<std::size_t>(problem.normal_jacobian.rows()));
  tangential_velocity.resize(static_cast<std::size_t>(problem.tangent_jacobian.rows()));
  const std::size_t nv = static_cast<std::size_t>(problem.velocities());
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const std::uint32_t count = samples.lcp_count[row];
    if (lcp_histogram.size() <= count) lcp_histogram.resize(count + 1, 0);
    ++lcp_histogram[count];
    lcps += count;
    max_lcps = std::max<std::uint64_t>(max_lcps, count);
    pivots += samples.pivot_count[row];
    retries += samples.retry_count[row];
    final_steps += samples.final_step[row];
    ++status_counts[static_cast<std::size_t>(samples.status[row])];
    if (samples.status[row] != Status::separated) continue;
    energy_sum += samples.energy[row];
    energy.include(samples.energy[row]);
    const double* velocity = &samples.velocity[row * nv];
    include_rows(problem.normal_jacobian, velocity, normal_velocity);
    include_rows(problem.tangent_jacobian, velocity, tangential_velocity);
  }
  trajectories += samples.size();
  checksum += carom::checksum(samples);
}

}  // namespace carom
