#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/summary.hpp"
#include "host/set/mode_codes.hpp"

namespace carom {

/// Least and greatest of some numbers, as arrays that a compiler can compare several at a time. A
/// zero loses its sign, so that the order of the numbers has no effect.
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
    return least[i] <= greatest[i] ? Range{least[i] + 0.0, greatest[i] + 0.0} : Range{};
  }
};

/// Counts of rows by combinations of contact modes, in the order of their first counting.
class ModeCounts {
 public:
  struct Entry {
    ModeCodes codes{};
    std::uint64_t count = 0;
    std::size_t first_row = SIZE_MAX;
  };

  void add(const ModeCodes& codes, std::uint64_t count, std::size_t first_row) {
    // The place where these codes were found last: most often, they are there again.
    std::uint32_t& place = recent_[hash(codes) >> (64 - recent_bits)];
    if (place >= entries_.size() || !same(entries_[place].codes, codes)) place = find(codes);
    Entry& entry = entries_[place];
    entry.count += count;
    if (first_row < entry.first_row) entry.first_row = first_row;
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  static std::uint64_t hash(const ModeCodes& codes) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    std::uint64_t hash = 0;
    for (const ModeCode code : codes) hash = (hash ^ code) * odd;
    return hash;
  }
  struct Hash {
    std::size_t operator()(const ModeCodes& codes) const { return hash(codes); }
  };
  /// As ==, which calls a function.
  static bool same(const ModeCodes& one, const ModeCodes& other) {
    ModeCode different = 0;
    for (std::size_t i = 0; i < one.size(); ++i) different |= one[i] ^ other[i];
    return different == 0;
  }
  std::uint32_t find(const ModeCodes& codes);

  static constexpr int recent_bits = 6;
  std::vector<Entry> entries_;
  std::unordered_map<ModeCodes, std::uint32_t, Hash> places_;  // in entries_
  std::array<std::uint32_t, std::size_t{1} << recent_bits> recent_{};
};

/// What is counted of a range of rows; the order of the rows has no effect.
struct RowCounts {
  Summary sums;  ///< what adds up; the rest follows from it: see summary_of()
  Extremes energy{1};
  Extremes speeds;   ///< of outcomes: normal speeds, then tangential speeds, then padding
  ModeCounts modes;  ///< of outcomes

  void join(const RowCounts& other);
};

/// Rows of a problem with these Jacobians (m x nv, m d x nv), counted in one pass.
/// @param units_per_joule see energy_units_per_joule()
/// @param rest_speed speed below which a contact is at rest, m/s; nothing: modes are not counted
RowCounts count_rows(const SampleSet& samples, const Eigen::MatrixXd& normal_jacobian,
                     const Eigen::MatrixXd& tangent_jacobian, double units_per_joule,
                     std::optional<double> rest_speed);

/// The summary of rows that were counted with their problem's energy_units_per_joule().
Summary summary_of(const ImpactProblem& problem, const SampleSet& samples, const RowCounts& counts);

/// Adds the counted modes of m contacts to those of other rows.
void join_modes(const ModeCounts& counts, std::size_t m, const SampleSet& samples,
                OutcomeModes& modes);

}  // namespace carom
