#pragma once

#include <cstddef>
#include <cstdint>

namespace carom {

/// Reads up to `size` bytes of an open file from `address` on, over interrupted calls.
/// @return bytes until the file's end; -1: errno says why not
std::int64_t read_bytes(int descriptor, std::uint64_t address, std::size_t size, void* buffer);
/// @return false: errno says why not
bool write_bytes(int descriptor, std::uint64_t address, std::size_t size, const void* buffer);

}  // namespace carom
