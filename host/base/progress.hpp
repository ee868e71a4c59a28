#pragma once

#include <cstdint>
#include <string>

namespace carom {

/// Progress of a run or of one of its stages.
struct Progress {
  std::string stage = {};        ///< name of the stage; empty for the trajectories of a run
  std::uint64_t started_at = 0;  ///< trajectories of an earlier run
  std::uint64_t done = 0;        ///< trajectories so far, those of an earlier run included
  std::uint64_t total = 0;
  std::uint64_t outcomes = 0;
  double seconds = 0.0;  ///< since this run began
};

/// One line of at most `width` columns: bar, percentage, rate, time left and outcomes so far; for a
/// stage, its name and no outcomes; only the name if the stage has no parts (total <= 1).
std::string progress_line(const Progress& progress, int width);

/// "sampling 25 % after 10 s, 30 s left", for logs.
std::string progress_sentence(const Progress& progress);

/// "12 s", "3 min 05 s", "2 h 10 min", "3.5 days", "2e+05 years", rounded up.
std::string duration_text(double seconds);

/// A count in at most six columns: 950, 12.3 k, 4.56 M, 1.05 G.
std::string short_count(double count);

}  // namespace carom
