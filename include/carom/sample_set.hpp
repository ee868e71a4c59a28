#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "carom/selection.hpp"
#include "carom/status.hpp"

namespace carom {

/// Trajectories [first, first + size()) of a run, one row each. With several problems, row r is
/// trajectory (first + r) % M of problem (first + r) / M.
struct SampleSet {
  std::uint64_t first = 0;
  int velocities = 0;         ///< nv
  int contacts = 0;           ///< m
  int tangent_dimension = 1;  ///< d

  std::vector<double> velocity;  ///< size x nv: the outcome, or where none the last velocity
  std::vector<Status> status;    ///< size
  std::vector<std::uint32_t> lcp_count;  ///< size: LCPs of Algorithm 1 (without the final step)
  std::vector<std::uint8_t> final_step;  ///< size: 1 where Algorithm 2's final step was needed
  std::vector<double> energy;            ///< size: kinetic energy of `velocity`, J
  std::vector<double> impulse;           ///< size x m x (1 + d): total normal, net tangential, N·s
  std::vector<std::uint32_t> pivot_count;  ///< size: Lemke pivots, all attempts
  std::vector<std::uint32_t> retry_count;  ///< size: LCPs that double precision could not decide
  std::vector<std::uint32_t> table_count;  ///< size: LCPs, the final step too, that a table served
  std::vector<std::uint16_t> solution_count;  ///< size x solution_bins; empty unless all are found

  std::size_t size() const { return status.size(); }
  /// Sets the shape and allocates `size` rows.
  void resize(std::size_t size);
};

/// Order-independent checksum of rows: a sum of one 64-bit hash per trajectory, modulo 2^64.
/// Sums over disjoint ranges add up, so any chunking of a run gives the same number.
std::uint64_t checksum(const SampleSet& samples);

}  // namespace carom
