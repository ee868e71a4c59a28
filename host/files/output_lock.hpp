#pragma once

#include <filesystem>
#include <memory>

namespace carom {
namespace hdf5 {
class OutputFile;
}

/// While this object lives, no other run can begin to write FILE. The lock is on an empty
/// FILE.lock, which it removes; a run that is killed may leave it.
class OutputLock {
 public:
  /// No lock if FILE is empty, or if its folder takes no files.
  /// @throws InputError if another run is writing FILE
  explicit OutputLock(const std::filesystem::path& file);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::filesystem::path path_;
  std::unique_ptr<hdf5::OutputFile> lock_;
};

}  // namespace carom
