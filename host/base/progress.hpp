#pragma once

#include <cstdint>
#include <string>

namespace carom {

/// How far a run, or one stage of it, is.
struct Progress {
  std::string stage = {};        ///< what is done; empty for the trajectories of a run
  std::uint64_t started_at = 0;  ///< trajectories that an earlier run had done
  std::uint64_t done = 0;        ///< trajectories, those included
  std::uint64_t total = 0;
  std::uint64_t outcomes = 0;
  double seconds = 0.0;  ///< since this run began
};

/// One line of at most `width` columns: bar, percentage, rate, time left and outcomes so far; of a
/// stage its name and no outcomes, and nothing else if it is done in one piece (total <= 1).
std::string progress_line(const Progress& progress, int width);

/// A count in at most six columns: 950, 12.3 k, 4.56 M, 1.05 G.
std::string short_count(double count);

}  // namespace carom
