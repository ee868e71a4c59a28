#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "host/files/hdf5_storage.hpp"

namespace carom::hdf5 {

/// A file for HDF5 to write into that never fails in HDF5's eyes. HDF5 1.10 crashes, or complains
/// at the end of the process, when it cannot flush what it holds (disk full). So this file driver
/// remembers the first error, drops what is written after it and reports success; whoever writes
/// asks error() after every step.
class OutputFile {
 public:
  /// Opens `path` for writing, empty unless `keep`, and locks it against other writers.
  /// @throws std::system_error; std::errc::resource_unavailable_try_again = another writer has it.
  explicit OutputFile(const std::filesystem::path& path, bool keep = false);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  /// Properties for H5Fcreate and H5Fopen; the path given there is not used.
  Handle access_properties() const;
  /// errno of the first failure; 0 if all is well.
  int error() const;
  /// Drops everything that is written from now on.
  void discard();
  /// Waits until the disk has everything; returns errno, 0 if all is well.
  int synchronize();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace carom::hdf5
