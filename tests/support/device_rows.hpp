#pragma once

#include <cstdint>
#include <cstdlib>

namespace carom::test {

/// How many rows a test of a device takes: `few` of them on a device that the CPU plays, or where
/// the environment says CAROM_FEW_ROWS, as under a sanitizer.
inline std::uint64_t device_rows(std::uint64_t rows, std::uint64_t few) {
#if defined(CAROM_EMULATED_CUDA)
  constexpr bool emulated = true;
#else
  constexpr bool emulated = false;
#endif
  return emulated || std::getenv("CAROM_FEW_ROWS") != nullptr ? few : rows;
}

}  // namespace carom::test
