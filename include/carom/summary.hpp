#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"

namespace carom {

/// Least and greatest value; empty while least > greatest.
struct Range {
  double least = 1.0;
  double greatest = 0.0;
  /// True before the first value.
  bool empty() const { return least > greatest; }
  /// Extends the range to the value.
  void include(double value);
};

/// What outcomes reach; empty ranges before the first one.
struct OutcomeRanges {
  Range energy;                            ///< J
  std::vector<Range> normal_velocity;      ///< m, m/s
  std::vector<Range> tangential_velocity;  ///< m d, m/s

  /// Of the speeds along a contact's axis: 0 normal, 1 ... d tangential.
  const Range& along(int contact, int axis) const;
  /// Extends the ranges to an outcome (nv). @throws InputError unless there are nv numbers
  void include(const ImpactProblem& problem, const Eigen::VectorXd& velocity);
};

/// A sum of energies that does not depend on their order: each energy is rounded to a multiple of a
/// unit, and the multiples are added as integers. The unit is a power of two, 2^-62 of the energy
/// before the impact.
struct EnergyUnits {
  std::uint64_t low = 0;   ///< units
  std::uint64_t high = 0;  ///< units of 2^64

  /// Adds another sum of the same unit.
  void add(const EnergyUnits& other);
};

/// Everything counted over a run. Summaries of consecutive ranges join to the same bits however the
/// run was divided, so a run can be resumed and distributed.
/// The ranges are of the outcomes.
struct Summary : OutcomeRanges {
  std::uint64_t trajectories = 0;                           ///< sampled so far
  std::array<std::uint64_t, status_count> status_counts{};  ///< by Status
  std::uint64_t final_steps = 0;             ///< trajectories that needed Algorithm 2's final step
  std::uint64_t lcps = 0;                    ///< of Algorithm 1, all trajectories
  std::uint64_t max_lcps = 0;                ///< of one trajectory
  std::vector<std::uint64_t> lcp_histogram;  ///< N + 1: trajectories with 0, 1, ..., N LCPs
  std::uint64_t pivots = 0;                  ///< of Lemke's method, all attempts
  std::uint64_t retries = 0;                 ///< LCPs that double precision could not decide
  std::uint64_t table_hits = 0;  ///< LCPs, final steps included, solved by a table of known bases
  /// Steps by number of solutions, see solution_bins; zero unless solutions are enumerated.
  std::array<std::uint64_t, solution_bins> solution_steps{};
  double energy_before = 0.0;  ///< J
  EnergyUnits energy_units;    ///< over outcomes
  double energy_sum = 0.0;     ///< the same sum in J
  std::uint64_t checksum = 0;  ///< of every trajectory's row
  double seconds = 0.0;        ///< sampling time, s; not reproducible

  /// Trajectories that ended separated.
  std::uint64_t outcomes() const { return status_counts[0]; }
  /// LCPs per trajectory; 0 without trajectories.
  double mean_lcps() const;
  /// Mean energy of the outcomes, J; 0 without outcomes.
  double mean_energy() const;
  /// Share of the LCPs that a table solved; 0 without LCPs.
  double table_hit_rate() const;
  /// Adds the rows of `samples`, which must follow the rows added before. @throws InputError if
  /// they do not
  void add(const ImpactProblem& problem, const SampleSet& samples);
  /// Adds the summary of the trajectories that follow. `seconds` does not change.
  void join(const Summary& next);
};

/// The summary of the rows of `samples` alone.
Summary summarize(const ImpactProblem& problem, const SampleSet& samples);

}  // namespace carom
