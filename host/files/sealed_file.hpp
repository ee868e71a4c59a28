#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "host/files/hdf5_tools.hpp"

/// Every HDF5 file of Carom is sealed (docs/result_file.md). Its first 512 bytes, the seal, are a
/// line of JSON that describes the file, and the CRC-32 of that line. HDF5's own bytes follow, and
/// at the end the table: a CRC-32 of each 256 KiB of HDF5's bytes. CRC-32 is used because zlib
/// computes it in C++ and Python at more than 2 GB/s.
namespace carom {

/// Kinds of files, as in the "format" of a seal.
namespace sealed_formats {
inline constexpr const char* result = "carom result";
inline constexpr const char* exploration = "carom exploration";
inline constexpr const char* rollouts = "carom rollouts";
inline constexpr const char* rows = "carom rows";
inline constexpr const char* grid = "carom grid";
inline constexpr const char* shard = "carom dataset shard";
}  // namespace sealed_formats

inline constexpr std::size_t seal_bytes = 512;

/// CRC-32 (zlib's) of some bytes, as 8 hexadecimal digits.
std::string checksum_text(std::string_view bytes);

/// Properties for H5Fcreate that leave space for the seal.
hdf5::Handle sealed_creation_properties();

/// Seals a file that HDF5 has closed. @param about the first entries of the seal, beginning with
/// "format"
/// @return the whole seal: "hdf5_bytes" (where the table begins) and "crc32" (of the table) added
/// @throws std::system_error
nlohmann::ordered_json seal(const std::filesystem::path& file, nlohmann::ordered_json about);

/// The kind of a file, one of sealed_formats; empty if it has no seal or cannot be read.
std::string format_of(const std::filesystem::path& file);

/// A sealed file, open for reading. All bytes that HDF5 reads are first compared with the table, so
/// that no damaged byte reaches the user or HDF5, which might crash.
class SealedFile {
 public:
  /// @param format one of sealed_formats
  /// @throws InputError if there is no such file, it has another format, or its seal, size or table
  /// is damaged
  SealedFile(const std::filesystem::path& file, const char* format);
  ~SealedFile();
  SealedFile(const SealedFile&) = delete;
  SealedFile& operator=(const SealedFile&) = delete;

  /// The seal, as returned by seal().
  const nlohmann::ordered_json& about() const;
  /// Opens the file with HDF5, calls `work` with the open file and returns its result. Reading
  /// damaged bytes throws an hdf5::Error that names the bytes, or an InputError at the end if HDF5
  /// or `work` took the damage for a missing object.
  template <class Work>
  auto read(const Work& work) const {
    const hdf5::Handle file = open();
    if constexpr (std::is_void_v<decltype(work(hid_t{}))>) {
      work(file);
      check_met();
    } else {
      auto result = work(file);
      check_met();
      return result;
    }
  }
  /// Compares the whole file with the table. @throws InputError naming the bytes that are damaged
  void check_all() const;
  /// Removes seal and table from a copy of the file, so that HDF5 can continue writing. @throws
  /// std::system_error
  void unseal_copy(const std::filesystem::path& copy) const;

  struct State;

 private:
  hdf5::Handle open() const;
  /// @throws InputError naming damage that HDF5 found
  void check_met() const;

  std::unique_ptr<State> state_;
};

}  // namespace carom
