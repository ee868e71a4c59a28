#pragma once

#include <cstdint>

#include "kernels/digest/net_members.hpp"
#include "kernels/digest/row_facts.hpp"
#include "kernels/digest/row_hash.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom::inline CAROM_ISA {

/// What to compute from rows. Pointers into host or device memory.
struct DigestPlan {
  ProblemShape shape;
  const double* contact_rows = nullptr;  ///< m (1 + d) x nv: normal rows, then tangential rows
  double energy_units_per_joule = 0.0;
  double rest_speed = 0.0;        ///< speed below which a contact is at rest, m/s
  int lcp_bins = 0;               ///< N + 1
  std::uint32_t mode_slots = 0;   ///< see mode_slots_for()
  bool counts_solutions = false;  ///< whether rows have a solution_count
  NetMembers members;
};

/// Whether rows of this shape can be digested; if not, the host must read them.
constexpr bool can_digest(const ProblemShape& shape) {
  return shape.contacts > 0 && shape.contacts < most_coded_contacts &&
         shape.velocities <= WordHash::most_words && shape.impulses() <= WordHash::most_words;
}

/// Outcomes of one combination of contact modes.
struct ModeCount {
  static constexpr ModeCode no_code = ~ModeCode{0};  ///< of an empty entry
  ModeCode code = no_code;
  std::uint64_t count = 0;
  std::uint64_t first_row = ~std::uint64_t{0};
};

/// Entries of the table of modes, a hash table with linear probing: twice the number of modes of m
/// contacts, but not above a size that is quick to copy. A power of two.
constexpr std::uint32_t mode_slots_for(int contacts) {
  constexpr int most_bits = 13;
  const int bits = mode_code_bits * contacts + 1;
  return std::uint32_t{1} << (bits < most_bits ? bits : most_bits);
}

// The numbers of DigestTotals::sum.
inline constexpr int checksum_sum = 0;
inline constexpr int pivot_sum = 1;
inline constexpr int retry_sum = 2;
inline constexpr int table_hit_sum = 3;
inline constexpr int final_step_sum = 4;
inline constexpr int status_sum = 5;  ///< and the numbers after it, one per status
inline constexpr int solution_sum = status_sum + status_count;  ///< and solution_bins after it
inline constexpr int digest_sums = solution_sum + solution_bins;

/// Counts that all threads share; words in host or device memory, see shared_words.hpp.
struct DigestTotals {
  std::uint64_t* sum = nullptr;            ///< digest_sums
  std::uint64_t* energy = nullptr;         ///< 2: a WideSum
  std::uint64_t* lcp_histogram = nullptr;  ///< lcp_bins
  std::uint64_t* least = nullptr;          ///< 1 + m (1 + d) ordered_bits: energy, contact speeds
  std::uint64_t* greatest = nullptr;       ///< as many
  std::uint64_t* lost = nullptr;           ///< 1: outcomes for which the table of modes was full
  ModeCount* mode = nullptr;               ///< DigestPlan::mode_slots
};

/// An integer that grows with the number; -0 comes before 0.
CAROM_HOST_DEVICE inline std::uint64_t ordered_bits(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
#if defined(__CUDA_ARCH__)
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
#else
  const auto bits = __builtin_bit_cast(std::uint64_t, value);
#endif
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

}  // namespace carom::inline CAROM_ISA
