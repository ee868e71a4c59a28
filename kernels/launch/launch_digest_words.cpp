#include "kernels/launch/launch_digest_words.hpp"

#include <algorithm>
#include <bit>

namespace carom {
namespace {

constexpr std::size_t energy_at = digest_sums;
constexpr std::size_t lost_at = energy_at + 2;
constexpr std::size_t histogram_at = lost_at + 1;

/// The number with these ordered_bits; a zero loses its sign, so that the order of rows has no
/// effect.
double from_ordered_bits(std::uint64_t ordered) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((ordered & sign) != 0 ? ordered ^ sign : ~ordered) + 0.0;
}

}  // namespace

DigestWords::DigestWords(const DigestPlan& plan)
    : lcp_bins_(static_cast<std::size_t>(plan.lcp_bins)),
      ranges_(static_cast<std::size_t>(1 + plan.shape.impulses())),
      mode_slots_(plan.mode_slots) {
  clear();
}

void DigestWords::clear() {
  words_.assign(histogram_at + lcp_bins_, 0);
  words_.insert(words_.end(), ranges_, ~std::uint64_t{0});
  words_.insert(words_.end(), ranges_, 0);
  modes_.assign(mode_slots_, {});
}

DigestTotals DigestWords::totals(std::uint64_t* word, ModeCount* mode) const {
  std::uint64_t* const least = word + histogram_at + lcp_bins_;
  return {word, word + energy_at, word + histogram_at, least, least + ranges_, word + lost_at,
          mode};
}

RowDigest DigestWords::read() const {
  RowDigest result;
  result.whole = words_[lost_at] == 0;
  const std::uint64_t* const word = words_.data();
  std::copy_n(word, digest_sums, result.sum);
  result.energy = {word[energy_at], word[energy_at + 1]};
  const std::uint64_t* const least = word + histogram_at + lcp_bins_;
  result.lcp_histogram.assign(word + histogram_at, least);
  const bool any = result.sum[status_sum] > 0;
  for (std::size_t i = 0; i < ranges_; ++i) {
    result.least.push_back(any ? from_ordered_bits(least[i]) : 1.0);
    result.greatest.push_back(any ? from_ordered_bits(least[ranges_ + i]) : 0.0);
  }
  for (const ModeCount& entry : modes_) {
    if (entry.count > 0) result.modes.push_back({entry.code, entry.count, entry.first_row});
  }
  std::sort(result.modes.begin(), result.modes.end(),
            [](const auto& a, const auto& b) { return a.first_row < b.first_row; });
  return result;
}

}  // namespace carom
