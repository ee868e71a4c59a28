#include "carom/summary.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "carom/error.hpp"
#include "host/problem/contact_speeds.hpp"
#include "host/set/energy_unit.hpp"
#include "kernels/digest/row_facts.hpp"

namespace carom {

namespace {

/// Least and greatest of some numbers, as arrays that a compiler can compare several at a time. A
/// zero loses its sign, so that the order of the numbers has no effect.
struct Extremes {
  explicit Extremes(std::size_t size = 0)
      : least(size, std::numeric_limits<double>::infinity()),
        greatest(size, -std::numeric_limits<double>::infinity()) {}

  std::vector<double> least;
  std::vector<double> greatest;

  void include(const double* low, const double* high) {
    for (std::size_t i = 0; i < least.size(); ++i) {
      least[i] = low[i] < least[i] ? low[i] : least[i];
      greatest[i] = high[i] > greatest[i] ? high[i] : greatest[i];
    }
  }
  Range range(std::size_t i) const {
    return least[i] <= greatest[i] ? Range{least[i] + 0.0, greatest[i] + 0.0} : Range{};
  }
};

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

/// Counts of a range of rows; consecutive ranges are joined in order.
struct Tally {
  std::array<std::uint64_t, status_count> status_counts{};
  std::array<std::uint64_t, solution_bins> solution_steps{};
  std::vector<std::uint64_t> lcp_histogram;
  std::uint64_t final_steps = 0;
  std::uint64_t pivots = 0;
  std::uint64_t retries = 0;
  std::uint64_t table_hits = 0;
  EnergyUnits energy_units;
  Extremes energy{1};
  Extremes speeds;  // normal speeds, then tangential speeds, then padding
};

template <class Numbers>
void add_each(const Numbers& from, Numbers& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
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

Tally join(Tally tally, const Tally& other) {
  add_each(other.status_counts, tally.status_counts);
  add_each(other.solution_steps, tally.solution_steps);
  tally.lcp_histogram.resize(std::max(tally.lcp_histogram.size(), other.lcp_histogram.size()), 0);
  add_each(other.lcp_histogram, tally.lcp_histogram);
  tally.final_steps += other.final_steps;
  tally.pivots += other.pivots;
  tally.retries += other.retries;
  tally.table_hits += other.table_hits;
  tally.energy_units.add(other.energy_units);
  tally.energy.include(other.energy.least.data(), other.energy.greatest.data());
  tally.speeds.include(other.speeds.least.data(), other.speeds.greatest.data());
  return tally;
}

Tally count_rows(const SampleSet& samples, std::size_t begin, std::size_t end,
                 const ContactSpeeds& contact_speeds, double units_per_joule, Tally tally) {
  const auto nv = static_cast<std::size_t>(samples.velocities);
  std::vector<double> speeds(contact_speeds.padded_size());
  for (std::size_t row = begin; row < end; ++row) {
    if (samples.status[row] == Status::bad_input) continue;  // no trajectory
    const std::uint32_t count = step_counts(samples)[row];
    if (tally.lcp_histogram.size() <= count) tally.lcp_histogram.resize(count + 1, 0);
    ++tally.lcp_histogram[count];
    if (samples.step == StepKind::lcp) {
      tally.pivots += samples.pivot_count[row];
      tally.retries += samples.retry_count[row];
      tally.table_hits += samples.table_count[row];
      tally.final_steps += samples.final_step[row];
    }
    ++tally.status_counts[static_cast<std::size_t>(samples.status[row])];
    if (samples.status[row] != Status::separated) continue;
    tally.energy.include(&samples.energy[row], &samples.energy[row]);
    const WideSum units = in_energy_units(samples.energy[row], units_per_joule);
    tally.energy_units.add({units.low, units.high});
    contact_speeds(&samples.velocity[row * nv], speeds.data());
    tally.speeds.include(speeds.data(), speeds.data());
  }
  if (samples.solution_count.empty()) return tally;
  for (std::size_t row = begin; row < end; ++row) {
    for (std::size_t bin = 0; bin < solution_bins; ++bin) {
      tally.solution_steps[bin] += samples.solution_count[row * solution_bins + bin];
    }
  }
  return tally;
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
  const ContactSpeeds speeds(problem.normal_jacobian, problem.tangent_jacobian);
  const double before = kinetic_energy(problem, problem.pre_impact_velocity);
  constexpr std::size_t grain = 4096;  // rows: about 0.1 ms
  Tally none;
  none.speeds = Extremes(speeds.padded_size());
  const double units_per_joule = energy_units_per_joule(before);
  const Tally tally = oneapi::tbb::parallel_reduce(
      oneapi::tbb::blocked_range<std::size_t>(0, samples.size(), grain), none,
      [&](const auto& range, Tally so_far) {
        return count_rows(samples, range.begin(), range.end(), speeds, units_per_joule,
                          std::move(so_far));
      },
      [](Tally one, const Tally& other) { return join(std::move(one), other); });

  Summary summary;
  summary.trajectories = samples.size();
  summary.status_counts = tally.status_counts;
  summary.solution_steps = tally.solution_steps;
  summary.lcp_histogram = tally.lcp_histogram;
  for (std::size_t count = 0; count < tally.lcp_histogram.size(); ++count) {
    summary.lcps += count * tally.lcp_histogram[count];
    if (tally.lcp_histogram[count] > 0) summary.max_lcps = count;
  }
  summary.final_steps = tally.final_steps;
  summary.pivots = tally.pivots;
  summary.retries = tally.retries;
  summary.table_hits = tally.table_hits;
  summary.energy_before = before;
  summary.energy_units = tally.energy_units;
  summary.energy_sum = in_joules(tally.energy_units, before);
  summary.energy = tally.energy.range(0);
  const auto m = static_cast<std::size_t>(problem.normal_jacobian.rows());
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    auto& ranges = i < m ? summary.normal_velocity : summary.tangential_velocity;
    ranges.push_back(tally.speeds.range(i));
  }
  summary.checksum = carom::checksum(samples);
  return summary;
}

}  // namespace carom
