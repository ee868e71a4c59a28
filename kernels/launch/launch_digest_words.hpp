#pragma once

#include <vector>

#include "kernels/launch/launch_digest.hpp"

namespace carom {

/// The memory of DigestTotals: words side by side and the table of modes. What is here is their
/// copy on the host; threads of the host may count into it, too.
class DigestWords {
 public:
  explicit DigestWords(const DigestPlan& plan);

  /// Before the first row.
  void clear();
  /// Where threads count. @param word as many as words(); @param mode as many as modes()
  DigestTotals totals(std::uint64_t* word, ModeCount* mode) const;
  /// What they counted: all of a RowDigest but rows, open ones, velocities and time.
  RowDigest read() const;

  std::vector<std::uint64_t>& words() { return words_; }
  std::vector<ModeCount>& modes() { return modes_; }

 private:
  std::size_t lcp_bins_;
  std::size_t ranges_;
  std::size_t mode_slots_;
  std::vector<std::uint64_t> words_;
  std::vector<ModeCount> modes_;
};

}  // namespace carom
