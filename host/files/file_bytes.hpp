#pragma once

#include <cstddef>
#include <cstdint>

namespace carom {

/// Reads up to `size` bytes of an open file from `address` on; repeats interrupted calls.
/// @return number of bytes, fewer at the file's end; -1: see errno
std::int64_t read_bytes(int descriptor, std::uint64_t address, std::size_t size, void* buffer);
/// @return false on failure, see errno
bool write_bytes(int descriptor, std::uint64_t address, std::size_t size, const void* buffer);

}  // namespace carom
