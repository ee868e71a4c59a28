#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "carom/contact_mode.hpp"
#include "kernels/digest/row_facts.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {

/// The modes of as many contacts as a problem can have.
using ModeCodes = std::array<ModeCode, (LargestAssembly::contacts + most_coded_contacts - 1) /
                                           most_coded_contacts>;

/// As mode_code() for all contacts.
inline ModeCodes mode_codes(const double* speed, int m, int d, double tolerance) {
  ModeCodes codes{};
  for (int first = 0; first < m; first += most_coded_contacts) {
    codes[static_cast<std::size_t>(first / most_coded_contacts)] =
        mode_code(speed, m, d, tolerance, first);
  }
  return codes;
}

/// The modes of m contacts.
inline std::vector<ContactMode> contact_modes(const ModeCodes& codes, std::size_t m) {
  std::vector<ContactMode> contacts(m);
  for (std::size_t i = 0; i < m; ++i) {
    const ModeCode code = codes[i / most_coded_contacts];
    contacts[i] =
        static_cast<ContactMode>((code >> (mode_code_bits * (i % most_coded_contacts))) & 3U);
  }
  return contacts;
}

}  // namespace carom
