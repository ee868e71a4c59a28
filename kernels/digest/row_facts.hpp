#pragma once

#include <cmath>
#include <cstdint>

#include "carom/contact_mode.hpp"
#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

// What is counted of an outcome, with the same arithmetic on every processor.

/// A combination of the modes of up to 32 contacts, two bits per contact.
using ModeCode = std::uint64_t;
inline constexpr int mode_code_bits = 2;
inline constexpr int most_coded_contacts = 64 / mode_code_bits;

/// @param tangential d speeds, m/s; @param tolerance speeds up to this count as zero, m/s
CAROM_HOST_DEVICE inline ContactMode contact_mode(double normal, const double* tangential, int d,
                                                  double tolerance) {
  if (d == 1) {
    // Without branches: no processor foresees the modes of outcomes. 1: sticks, 2: slides, 3: back
    const int touching = 1 + int{tangential[0] > tolerance} + 2 * int{tangential[0] < -tolerance};
    return static_cast<ContactMode>(touching * int{!(normal > tolerance)});
  }
  if (normal > tolerance) return ContactMode::separates;
  double squared = 0.0;
  for (int t = 0; t < d; ++t) squared += tangential[t] * tangential[t];
  return std::sqrt(squared) > tolerance ? ContactMode::slides : ContactMode::sticks;
}

/// The modes of contacts from `first` on, as many as a code holds.
/// @param speed m normal speeds, then m d tangential speeds
CAROM_HOST_DEVICE inline ModeCode mode_code(const double* speed, int m, int d, double tolerance,
                                            int first = 0) {
  ModeCode code = 0;
  for (int i = first; i < m && i - first < most_coded_contacts; ++i) {
    const ContactMode mode = contact_mode(speed[i], speed + m + i * d, d, tolerance);
    code |= static_cast<ModeCode>(mode) << (mode_code_bits * (i - first));
  }
  return code;
}

/// A sum of 128 bits, of energies in the units of EnergyUnits.
struct WideSum {
  std::uint64_t low = 0;
  std::uint64_t high = 0;  ///< times 2^64

  CAROM_HOST_DEVICE void add(const WideSum& other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
  }
};

CAROM_HOST_DEVICE inline WideSum in_energy_units(double energy, double units_per_joule) {
  constexpr double high_unit = 0x1p64;
  const double units = std::rint(energy * units_per_joule);
  if (!(units > 0.0)) return {};  // below zero by rounding
  if (units < high_unit) return {static_cast<std::uint64_t>(units), 0};
  const double high = std::floor(units / high_unit);
  return {static_cast<std::uint64_t>(units - high * high_unit), static_cast<std::uint64_t>(high)};
}

}  // namespace carom::inline CAROM_ISA
