#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "host/files/hdf5_storage.hpp"

namespace carom::hdf5 {

/// An output file whose writes never fail for HDF5. HDF5 1.10 crashes, or complains at the end of
/// the process, when it cannot flush its data (disk full). So this file driver remembers the first
/// error, drops later writes and reports success; the writer must check error() after every step.
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
  /// errno of the first failure; 0 if there was none.
  int error() const;
  /// Drops all later writes.
  void discard();
  /// Waits until all data is on the disk; returns errno, or 0 on success.
  int synchronize();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace carom::hdf5
