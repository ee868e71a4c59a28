#pragma once

#include <cstdint>
#include <cstdlib>

namespace carom::test {

/// How many rows a test of a device takes: `few` of them where the environment says CAROM_FEW_ROWS,
/// as on a device that the CPU plays, or under a sanitizer.
inline std::uint64_t device_rows(std::uint64_t rows, std::uint64_t few) {
  return std::getenv("CAROM_FEW_ROWS") != nullptr ? few : rows;
}

}  // namespace carom::test
