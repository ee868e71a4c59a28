#pragma once

#include <cstdint>
#include <vector>

namespace carom {

/// What an exploration after the trajectories added to their net: rare outcomes, which random caps
/// hardly ever reach. They have no probabilities, and no search shows what it did not find.
struct NetSearch {
  std::uint64_t lcps = 0;      ///< that it took; 0: nothing was searched
  std::uint64_t outcomes = 0;  ///< its trajectories that were separated
  std::uint64_t members = 0;   ///< of its outcomes that joined the net
  /// Greatest distance of one of its outcomes to the net of the trajectories and sought outcomes,
  /// in the net's norm.
  double farthest = 0.0;
  /// Greatest distance of an outcome that one of its islands found to those of the trajectories and
  /// of the other islands: what a further search of this size may find.
  double islands_apart = 0.0;
  bool settled = false;  ///< see Exploration::settled
  /// Rows of nv numbers, m/s: its outcomes outside the net before, and those at ends of contact
  /// speeds that go beyond all others. Row i is the member EpsilonNet::searched_index + i, if it
  /// is one.
  std::vector<double> velocity = {};
};

}  // namespace carom
