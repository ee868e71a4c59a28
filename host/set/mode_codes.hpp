#pragma once

#include <cstddef>
#include <vector>

#include "carom/contact_mode.hpp"
#include "kernels/digest/row_facts.hpp"

namespace carom {

/// The modes of m contacts.
inline std::vector<ContactMode> contact_modes(ModeCode code, std::size_t m) {
  std::vector<ContactMode> contacts(m);
  for (std::size_t i = 0; i < m; ++i) {
    contacts[i] = static_cast<ContactMode>((code >> (mode_code_bits * i)) & 3U);
  }
  return contacts;
}

}  // namespace carom
