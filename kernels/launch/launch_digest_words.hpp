#pragma once

#include <vector>

#include "kernels/launch/launch_digest.hpp"

namespace carom {

/// The memory of DigestTotals: words side by side and the table of modes. This is the copy in host
/// memory; host threads may count into it, too.
class DigestWords {
 public:
  explicit DigestWords(const DigestPlan& plan);

  /// The state before the first row.
  void clear();
  /// The words that threads count into. @param word as many as words(); @param mode as many as
  /// modes()
  DigestTotals totals(std::uint64_t* word, ModeCount* mode) const;
  /// The digest of the counted rows, without the members rows, open rows, velocities and time of
  /// RowDigest.
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
