#include "carom/summary.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "carom/error.hpp"
#include "host/contact_speeds.hpp"

namespace carom {

namespace {

/// Least and greatest of some numbers, as arrays that a compiler can compare several at a time. Of
/// equal ones (zeros of either sign) the first stays, as in Range.
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
    return least[i] <= greatest[i] ? Range{least[i], greatest[i]} : Range{};
  }
};

/// What can be counted in any order: ranges of neighbouring rows, joined in theirs.
struct Tally {
  std::array<std::uint64_t, status_count> status_counts{};
  std::array<std::uint64_t, solution_bins> solution_steps{};
  std::vector<std::uint64_t> lcp_histogram;
  std::uint64_t final_steps = 0;
  std::uint64_t pivots = 0;
  std::uint64_t retries = 0;
  std::uint64_t table_hits = 0;
  Extremes energy{1};
  Extremes speeds;  // normal ones, then tangential ones, then what fills them up
};

template <class Numbers>
void add_each(const Numbers& from, Numbers& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

void join(const Range& other, Range& range) {
  if (other.empty()) return;
  range.include(other.least);
  range.include(other.greatest);
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
  tally.energy.include(other.energy.least.data(), other.energy.greatest.data());
  tally.speeds.include(other.speeds.least.data(), other.speeds.greatest.data());
  return tally;
}

Tally count_rows(const SampleSet& samples, std::size_t begin, std::size_t end,
                 const ContactSpeeds& contact_speeds, Tally tally) {
  const auto nv = static_cast<std::size_t>(samples.velocities);
  std::vector<double> speeds(contact_speeds.padded_size());
  for (std::size_t row = begin; row < end; ++row) {
    const std::uint32_t count = samples.lcp_count[row];
    if (tally.lcp_histogram.size() <= count) tally.lcp_histogram.resize(count + 1, 0);
    ++tally.lcp_histogram[count];
    tally.pivots += samples.pivot_count[row];
    tally.retries += samples.retry_count[row];
    tally.table_hits += samples.table_count[row];
    tally.final_steps += samples.final_step[row];
    ++tally.status_counts[static_cast<std::size_t>(samples.status[row])];
    if (samples.status[row] != Status::separated) continue;
    tally.energy.include(&samples.energy[row], &samples.energy[row]);
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

void Summary::add(const ImpactProblem& problem, const SampleSet& samples) {
  if (samples.first != trajectories) {
    throw InputError("trajectory " + std::to_string(samples.first) + " (must be the next one, " +
                     std::to_string(trajectories) + ")");
  }
  if (trajectories == 0) {
    energy_before = kinetic_energy(problem, problem.pre_impact_velocity);
  }
  const ContactSpeeds speeds(problem.normal_jacobian, problem.tangent_jacobian);
  constexpr std::size_t grain = 4096;  // rows: some 0.1 ms
  Tally none;
  none.speeds = Extremes(speeds.padded_size());
  const Tally tally = oneapi::tbb::parallel_reduce(
      oneapi::tbb::blocked_range<std::size_t>(0, samples.size(), grain), none,
      [&](const auto& range, Tally so_far) {
        return count_rows(samples, range.begin(), range.end(), speeds, std::move(so_far));
      },
      [](Tally one, const Tally& other) { return join(std::move(one), other); });

  add_each(tally.status_counts, status_counts);
  add_each(tally.solution_steps, solution_steps);
  lcp_histogram.resize(std::max(lcp_histogram.size(), tally.lcp_histogram.size()), 0);
  add_each(tally.lcp_histogram, lcp_histogram);
  for (std::size_t count = 0; count < tally.lcp_histogram.size(); ++count) {
    lcps += count * tally.lcp_histogram[count];
    if (tally.lcp_histogram[count] > 0) max_lcps = std::max<std::uint64_t>(max_lcps, count);
  }
  final_steps += tally.final_steps;
  pivots += tally.pivots;
  retries += tally.retries;
  table_hits += tally.table_hits;
  join(tally.energy.range(0), energy);
  const auto m = static_cast<std::size_t>(problem.normal_jacobian.rows());
  normal_velocity.resize(m);
  tangential_velocity.resize(static_cast<std::size_t>(problem.tangent_jacobian.rows()));
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    join(tally.speeds.range(i), i < m ? normal_velocity[i] : tangential_velocity[i - m]);
  }
  // A sum of doubles depends on its order: one after the other.
  for (std::size_t row = 0; row < samples.size(); ++row) {
    if (samples.status[row] == Status::separated) energy_sum += samples.energy[row];
  }
  trajectories += samples.size();
  checksum += carom::checksum(samples);
}

}  // namespace carom
