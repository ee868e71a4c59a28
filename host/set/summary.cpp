#include "carom/summary.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "carom/error.hpp"
#include "host/set/energy_unit.hpp"
#include "host/set/row_counts.hpp"

namespace carom {

namespace {

template <class Numbers>
void add_each(const Numbers& from, Numbers& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

/// The unit of EnergyUnits is 2 to this exponent: an energy of at most twice that before the
/// impact, as of every outcome, has less than 2^64 units.
int unit_exponent(double energy_before) {
  constexpr int bits = 62;
  constexpr int least = -1000;  // for an energy of zero
  return energy_before > 0.0 ? std::max(std::ilogb(energy_before) - bits, least) : least;
}

double in_joules(const EnergyUnits& units, double energy_before) {
  const double sum = static_cast<double>(units.high) * 0x1p64 + static_cast<double>(units.low);
  return std::ldexp(sum, unit_exponent(energy_before));
}

void widen(const Range& other, Range& range) {
  if (other.empty()) return;
  range.include(other.least);
  range.include(other.greatest);
}

void join_each(const std::vector<Range>& from, std::vector<Range>& to) {
  to.resize(std::max(to.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) widen(from[i], to[i]);
}

}  // namespace

double energy_units_per_joule(double energy_before) {
  return std::ldexp(1.0, -unit_exponent(energy_before));
}

void Range::include(double value) {
  if (empty()) {
    least = value;
    greatest = value;
    return;
  }
  least = std::min(least, value);
  greatest = std::max(greatest, value);
}

const Range& OutcomeRanges::along(int contact, int axis) const {
  const auto i = static_cast<std::size_t>(contact);
  if (axis == 0) return normal_velocity[i];
  const std::size_t tangents = tangential_velocity.size() / normal_velocity.size();
  return tangential_velocity[i * tangents + static_cast<std::size_t>(axis) - 1];
}

void OutcomeRanges::include(const ImpactProblem& problem, const Eigen::VectorXd& velocity) {
  if (velocity.size() != problem.velocities()) {
    throw InputError("an outcome has " + std::to_string(velocity.size()) + " velocities (must be " +
                     std::to_string(problem.velocities()) + ")");
  }
  const auto include_each = [&](const Eigen::MatrixXd& jacobian, std::vector<Range>& ranges) {
    ranges.resize(static_cast<std::size_t>(jacobian.rows()));
    const Eigen::VectorXd speeds = jacobian * velocity;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      ranges[i].include(speeds(static_cast<Eigen::Index>(i)));
    }
  };
  energy.include(kinetic_energy(problem, velocity));
  include_each(problem.normal_jacobian, normal_velocity);
  include_each(problem.tangent_jacobian, tangential_velocity);
}

double Summary::mean_lcps() const {
  return trajectories == 0 ? 0.0 : static_cast<double>(lcps) / static_cast<double>(trajectories);
}

double Summary::mean_energy() const {
  return outcomes() == 0 ? 0.0 : energy_sum / static_cast<double>(outcomes());
}

double Summary::table_hit_rate() const {
  const std::uint64_t solves = lcps + final_steps;
  return solves == 0 ? 0.0 : static_cast<double>(table_hits) / static_cast<double>(solves);
}

void EnergyUnits::add(const EnergyUnits& other) {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
}

void Summary::add(const ImpactProblem& problem, const SampleSet& samples) {
  if (samples.first != trajectories) {
    throw InputError("trajectory " + std::to_string(samples.first) + " (must be the next one, " +
                     std::to_string(trajectories) + ")");
  }
  join(summarize(problem, samples));
}

void Summary::join(const Summary& next) {
  if (trajectories == 0) energy_before = next.energy_before;
  trajectories += next.trajectories;
  add_each(next.status_counts, status_counts);
  add_each(next.solution_steps, solution_steps);
  lcp_histogram.resize(std::max(lcp_histogram.size(), next.lcp_histogram.size()), 0);
  add_each(next.lcp_histogram, lcp_histogram);
  final_steps += next.final_steps;
  lcps += next.lcps;
  max_lcps = std::max(max_lcps, next.max_lcps);
  pivots += next.pivots;
  retries += next.retries;
  table_hits += next.table_hits;
  energy_units.add(next.energy_units);
  energy_sum = in_joules(energy_units, energy_before);
  widen(next.energy, energy);
  join_each(next.normal_velocity, normal_velocity);
  join_each(next.tangential_velocity, tangential_velocity);
  checksum += next.checksum;
}

Summary summarize(const ImpactProblem& problem, const SampleSet& samples) {
  const double before = kinetic_energy(problem, problem.pre_impact_velocity);
  return summary_of(problem, samples,
                    count_rows(samples, problem.normal_jacobian, problem.tangent_jacobian,
                               energy_units_per_joule(before), std::nullopt));
}

Summary summary_of(const ImpactProblem& problem, const SampleSet& samples,
                   const RowCounts& counts) {
  Summary summary = counts.sums;
  summary.trajectories = samples.size();
  for (std::size_t count = 0; count < summary.lcp_histogram.size(); ++count) {
    summary.lcps += count * summary.lcp_histogram[count];
    if (summary.lcp_histogram[count] > 0) summary.max_lcps = count;
  }
  summary.energy_before = kinetic_energy(problem, problem.pre_impact_velocity);
  summary.energy_sum = in_joules(summary.energy_units, summary.energy_before);
  summary.energy = counts.energy.range(0);
  const Eigen::Index m = problem.normal_jacobian.rows();
  const Eigen::Index speeds = m + problem.tangent_jacobian.rows();
  for (Eigen::Index i = 0; i < speeds; ++i) {
    auto& ranges = i < m ? summary.normal_velocity : summary.tangential_velocity;
    ranges.push_back(counts.speeds.range(static_cast<std::size_t>(i)));
  }
  summary.checksum = carom::checksum(samples);
  return summary;
}

}  // namespace carom
