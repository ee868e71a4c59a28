#pragma once

#include <cstddef>
#include <cstdint>

#include "host/files/hdf5_tools.hpp"

namespace carom::hdf5 {

/// The bytes behind an HDF5 file, for HDF5 to read and write through.
class Storage {
 public:
  Storage() = default;
  virtual ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Size in bytes.
  virtual std::uint64_t size() const = 0;
  /// @return false: HDF5 reports a failure, with the reason of push_error()
  virtual bool read(std::uint64_t address, std::size_t size, void* buffer) = 0;
  virtual bool write(std::uint64_t address, std::size_t size, const void* buffer) = 0;
  virtual bool truncate(std::uint64_t size) = 0;
};

/// Properties for H5Fcreate and H5Fopen; the path given there is not used, and `storage` must
/// outlive the file. New files have the format of HDF5 1.8, in which attributes can have any
/// length.
Handle access_properties(Storage& storage);

/// Makes `reason` the innermost reason of HDF5's next error.
void push_error(const std::string& reason);

}  // namespace carom::hdf5
