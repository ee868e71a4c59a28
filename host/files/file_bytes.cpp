#include "host/files/file_bytes.hpp"

#include <unistd.h>

#include <cerrno>

namespace carom {

std::int64_t read_bytes(int descriptor, std::uint64_t address, std::size_t size, void* buffer) {
  auto* const bytes = static_cast<char*>(buffer);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(descriptor, bytes + done, size - done, static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(done);
}

bool write_bytes(int descriptor, std::uint64_t address, std::size_t size, const void* buffer) {
  const auto* const bytes = static_cast<const char*>(buffer);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t put =
        pwrite(descriptor, bytes + done, size - done, static_cast<off_t>(address + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

}  // namespace carom
