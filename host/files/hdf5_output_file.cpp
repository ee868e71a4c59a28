#include "host/files/hdf5_output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "host/files/file_bytes.hpp"

namespace carom::hdf5 {

struct OutputFile::State final : Storage {
  int descriptor = -1;
  int error = 0;
  bool discarding = false;

  void fail() {
    if (error == 0) error = errno;
    discarding = true;
  }
  std::uint64_t size() const override;
  bool read(std::uint64_t address, std::size_t size, void* buffer) override;
  bool write(std::uint64_t address, std::size_t size, const void* buffer) override;
  bool truncate(std::uint64_t size) override;
};

std::uint64_t OutputFile::State::size() const {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool OutputFile::State::read(std::uint64_t address, std::size_t size, void* buffer) {
  const std::int64_t got = read_bytes(descriptor, address, size, buffer);
  if (got < 0) fail();
  const auto missing = size - static_cast<std::size_t>(std::max<std::int64_t>(got, 0));
  std::memset(static_cast<char*>(buffer) + (size - missing), 0, missing);  // as HDF5 expects it
  return true;
}

bool OutputFile::State::write(std::uint64_t address, std::size_t size, const void* buffer) {
  if (!discarding && !write_bytes(descriptor, address, size, buffer)) fail();
  return true;
}

bool OutputFile::State::truncate(std::uint64_t size) {
  if (!discarding && ftruncate(descriptor, static_cast<off_t>(size)) != 0) fail();
  return true;
}

namespace {

/// Whether `path` still leads to the file behind `descriptor`.
bool still_at(const std::filesystem::path& path, int descriptor) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Opens and locks the file that `path` names while the lock is held: between the two calls,
/// another writer may have finished, and renamed or removed the opened file.
int open_locked(const std::filesystem::path& path) {
  constexpr mode_t everyone_as_umask_allows = 0666;
  constexpr int attempts = 16;  // after so many changes, the path is in use
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const int descriptor =
        open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, everyone_as_umask_allows);
    if (descriptor < 0) throw std::system_error(errno, std::generic_category());
    // Other errors come from file systems without locks: continue without a lock.
    const bool taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && still_at(path, descriptor)) return descriptor;
    close(descriptor);
    if (taken) break;
  }
  throw std::system_error(EAGAIN, std::generic_category());
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path, bool keep)
    : state_(std::make_unique<State>()) {
  state_->descriptor = open_locked(path);
  if (!keep && ftruncate(state_->descriptor, 0) != 0) {
    const int error = errno;
    close(state_->descriptor);
    throw std::system_error(error, std::generic_category());
  }
}

OutputFile::~OutputFile() {
  if (state_) close(state_->descriptor);
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Handle OutputFile::access_properties() const { return hdf5::access_properties(*state_); }

int OutputFile::error() const { return state_->error; }

void OutputFile::discard() { state_->discarding = true; }

int OutputFile::synchronize() {
  // File systems that cannot synchronise return EINVAL.
  if (fsync(state_->descriptor) != 0 && errno != EINVAL) state_->fail();
  return state_->error;
}

}  // namespace carom::hdf5
