#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"

namespace carom {

/// Least and greatest value seen; empty while least > greatest.
struct Range {
  double least = 1.0;
  double greatest = 0.0;
  /// True before the first value.
  bool empty() const { return least > greatest; }
  /// Widens the range to hold the value.
  void include(double value);
};

/// A sum of energies that does not depend on their order: each is rounded to a unit, a power of two
/// that is 2^-62 of the energy before the impact, and the units are added as integers.
struct EnergyUnits {
  std::uint64_t low = 0;   ///< units
  std::uint64_t high = 0;  ///< units of 2^64

  /// Adds another sum of the same unit.
  void add(const EnergyUnits& other);
};

/// Everything counted over a run. Ranges of trajectories that follow one another join to the same
/// bits however a run was cut into them, so it can be resumed and shared out.
struct Summary {
  std::uint64_t trajectories = 0;                           ///< sampled so far
  std::array<std::uint64_t, status_count> status_counts{};  ///< by Status
  std::uint64_t final_steps = 0;             ///< trajectories that needed Algorithm 2's final step
  std::uint64_t lcps = 0;                    ///< of Algorithm 1, all trajectories
  std::uint64_t max_lcps = 0;                ///< of one trajectory
  std::vector<std::uint64_t> lcp_histogram;  ///< N + 1: trajectories with 0, 1, ..., N LCPs
  std::uint64_t pivots = 0;                  ///< of Lemke's method, all attempts
  std::uint64_t retries = 0;                 ///< LCPs that double precision could not decide
  std::uint64_t table_hits = 0;  ///< LCPs, final steps too, that a table of known bases served
  /// Steps by number of solutions, see solution_bins; zero unless all solutions are found.
  std::array<std::uint64_t, solution_bins> solution_steps{};
  double energy_before = 0.0;              ///< J
  EnergyUnits energy_units;                ///< over outcomes
  double energy_sum = 0.0;                 ///< the same sum in J
  Range energy;                            ///< of outcomes, J
  std::vector<Range> normal_velocity;      ///< m, of outcomes, m/s
  std::vector<Range> tangential_velocity;  ///< m d, of outcomes, m/s
  std::uint64_t checksum = 0;              ///< of every trajectory's row
  double seconds = 0.0;                    ///< spent sampling; not reproducible

  /// Trajectories that ended separated.
  std::uint64_t outcomes() const { return status_counts[0]; }
  /// LCPs per trajectory; 0 without any.
  double mean_lcps() const;
  /// Of the outcomes, J; 0 without any.
  double mean_energy() const;
  /// Share of the LCPs that a table served; 0 without any LCP.
  double table_hit_rate() const;
  /// Adds the rows of `samples`, which must follow those added before.
  /// @throws InputError if they do not
  void add(const ImpactProblem& problem, const SampleSet& samples);
  /// Adds what was counted over the trajectories that follow. Leaves `seconds` as it is.
  void join(const Summary& next);
};

/// What Summary counts, of the rows of `samples` alone.
Summary summarize(const ImpactProblem& problem, const SampleSet& samples);

}  // namespace carom
