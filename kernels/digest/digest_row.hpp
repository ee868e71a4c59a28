#pragma once

#include <cstdint>

#include "kernels/digest/digest_plan.hpp"
#include "kernels/digest/shared_words.hpp"

namespace carom::inline CAROM_ISA {

/// Sums over the rows of one thread.
struct DigestSums {
  std::uint64_t sum[digest_sums] = {};
  WideSum energy;
};

/// A thread that counts rows alone. On a device, warps do (WarpTeam).
struct SoloTeam {
  CAROM_HOST_DEVICE void count(std::uint64_t* bins, std::uint64_t bin, bool there) const {
    if (there) add_to(bins[bin], 1);
  }
  CAROM_HOST_DEVICE void widen(std::uint64_t& least, std::uint64_t& greatest, double value,
                               bool there) const {
    if (!there) return;
    lower_to(least, ordered_bits(value));
    raise_to(greatest, ordered_bits(value));
  }
  /// Calls count(number) with `number` rows of the team that have this code, once for each code.
  template <class Count>
  CAROM_HOST_DEVICE void for_each_code(ModeCode, bool there, Count&& count) const {
    if (there) count(1);
  }
};

/// The table's entry of a code; null if the table is full.
CAROM_HOST_DEVICE inline ModeCount* entry_of(ModeCount* table, std::uint32_t slots, ModeCode code) {
  constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;  // Knuth's multiplicative hash
  constexpr std::uint32_t most_tries = 64;
  auto slot = static_cast<std::uint32_t>(code * spread >> 40);
  for (std::uint32_t tries = 0; tries < most_tries; ++tries, ++slot) {
    ModeCount& entry = table[slot & (slots - 1)];
    if (seen(entry.code) == code) return &entry;
    const ModeCode there = replace_if(entry.code, ModeCount::no_code, code);
    if (there == ModeCount::no_code || there == code) return &entry;
  }
  return nullptr;
}

/// Adds the counts of a row to the sums.
CAROM_HOST_DEVICE inline void add_counts(const DigestPlan& plan, const SampleView& row,
                                         std::uint64_t trajectory, DigestSums& sums) {
  const std::uint64_t status = static_cast<std::uint64_t>(*row.status);
  const std::uint64_t head[2] = {trajectory, std::uint64_t{*row.lcp_count} << 16 |
                                                 std::uint64_t{*row.final_step} << 8 | status};
  const auto words = [](const double* numbers) {
    return reinterpret_cast<const std::uint64_t*>(numbers);
  };
  std::uint64_t hash = WordHash::hash(head, 2);
  hash = WordHash::hash(words(row.velocity), plan.shape.velocities, hash);
  hash = WordHash::hash(words(row.impulse), plan.shape.impulses(), hash);
  sums.sum[checksum_sum] += hash;
  sums.sum[pivot_sum] += *row.pivot_count;
  sums.sum[retry_sum] += *row.retry_count;
  sums.sum[table_hit_sum] += *row.table_count;
  sums.sum[final_step_sum] += *row.final_step;
  // Indices known at compile time keep the sums in registers.
  for (int i = 0; i < status_count; ++i) {
    sums.sum[status_sum + i] += static_cast<std::uint64_t>(i) == status ? 1 : 0;
  }
  for (int bin = 0; plan.counts_solutions && bin < solution_bins; ++bin) {
    sums.sum[solution_sum + bin] += row.solution_count[bin];
  }
}

/// Counts one row, the `number`-th of a range; all threads of a team call it together.
/// @param there false for a thread that has no row: `row` is then not read
/// @param trajectory its index
template <class Team>
CAROM_HOST_DEVICE void digest_row(const DigestPlan& plan, const SampleView& row, bool there,
                                  std::uint64_t number, std::uint64_t trajectory, const Team& team,
                                  DigestSums& sums, const DigestTotals& totals) {
  const ProblemShape& shape = plan.shape;
  if (there) add_counts(plan, row, trajectory, sums);
  team.count(totals.lcp_histogram, there ? *row.lcp_count : 0, there);

  const bool outcome = there && *row.status == Status::separated;
  if (outcome) sums.energy.add(in_energy_units(*row.energy, plan.energy_units_per_joule));
  team.widen(totals.least[0], totals.greatest[0], outcome ? *row.energy : 0.0, outcome);
  double speed[max_impulses] = {};
  for (int i = 0; i < shape.impulses(); ++i) {
    if (outcome) {
      const double* const contact_row = plan.contact_rows + i * shape.velocities;
      for (int j = 0; j < shape.velocities; ++j) speed[i] += contact_row[j] * row.velocity[j];
    }
    team.widen(totals.least[1 + i], totals.greatest[1 + i], speed[i], outcome);
  }
  const ModeCode code = mode_code(speed, shape.contacts, shape.tangent_dimension, plan.rest_speed);
  team.for_each_code(code, outcome, [&](std::uint64_t rows) {
    ModeCount* const entry = entry_of(totals.mode, plan.mode_slots, code);
    if (entry == nullptr) {
      add_to(*totals.lost, rows);
      return;
    }
    add_to(entry->count, rows);
    lower_to(entry->first_row, number);
  });
}

/// Adds the sums of a thread or a team.
CAROM_HOST_DEVICE inline void add_sums(const DigestSums& sums, const DigestTotals& totals) {
  for (int i = 0; i < digest_sums; ++i) add_to(totals.sum[i], sums.sum[i]);
  const std::uint64_t low = add_to(totals.energy[0], sums.energy.low);
  add_to(totals.energy[1], sums.energy.high + (low + sums.energy.low < low ? 1 : 0));
}

}  // namespace carom::inline CAROM_ISA
