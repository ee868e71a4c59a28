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
/// line of JSON that says what the file is, and the CRC-32 of that line. HDF5's own bytes follow,
/// and at the end the table: a CRC-32 of each 256 KiB of them. CRC-32 is the checksum that zlib
/// gives C++ and Python alike at more than 2 GB/s.
namespace carom {

/// What a file can be, as its seal's "format" says.
namespace sealed_formats {
inline constexpr const char* result = "carom result";
inline constexpr const char* rows = "carom rows";
inline constexpr const char* grid = "carom grid";
inline constexpr const char* shard = "carom dataset shard";
}  // namespace sealed_formats

inline constexpr std::size_t seal_bytes = 512;

/// CRC-32 (zlib's) of some bytes, as 8 hexadecimal digits.
std::string checksum_text(std::string_view bytes);

/// Properties for H5Fcreate that leave room for the seal.
hdf5::Handle sealed_creation_properties();

/// Seals a file that HDF5 has closed. @param about what its seal says first; begins with "format"
/// @return the whole seal: "hdf5_bytes" (where the table begins) and "crc32" (of the table) added
/// @throws std::system_error
nlohmann::ordered_json seal(const std::filesystem::path& file, nlohmann::ordered_json about);

/// A sealed file that is open for reading. All that HDF5 reads of it is compared with the table
/// first, so that no damaged byte comes as far as HDF5, which may crash on it, or to a user.
class SealedFile {
 public:
  /// @param format one of sealed_formats
  /// @throws InputError if there is no such file, it is something else, or its seal, size or table
  /// is damaged
  SealedFile(const std::filesystem::path& file, const char* format);
  ~SealedFile();
  SealedFile(const SealedFile&) = delete;
  SealedFile& operator=(const SealedFile&) = delete;

  /// What seal() has returned.
  const nlohmann::ordered_json& about() const;
  /// Opens it with HDF5, does `work` with the open file and hands back its result. To read
  /// something damaged is an hdf5::Error that names the bytes, or an InputError at the end where
  /// HDF5, or `work`, took it for something that is not there.
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
  /// Compares all of it with the table. @throws InputError naming the bytes that are damaged
  void check_all() const;
  /// Takes seal and table from a copy of it, for HDF5 to go on writing. @throws std::system_error
  void unseal_copy(const std::filesystem::path& copy) const;

  struct State;

 private:
  hdf5::Handle open() const;
  /// @throws InputError naming damage that HDF5 has met
  void check_met() const;

  std::unique_ptr<State> state_;
};

}  // namespace carom
