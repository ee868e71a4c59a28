#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <system_error>

#include "host/files/hdf5_output_file.hpp"
#include "host/files/sealed_file.hpp"

namespace carom {

/// The target of a path: the file behind its links, which need not exist, so that no link is
/// replaced. @throws InputError if links have no target
std::filesystem::path behind_links(const std::filesystem::path& file);

/// Refuses a result file that would overwrite what the run reads, by its own name or that of its
/// FILE.part or FILE.checkpoint. @throws InputError
void refuse_inputs(const std::filesystem::path& file);

/// FILE.part beside FILE, locked and open for HDF5. It replaces FILE in commit(); until then FILE
/// is unchanged, and the destructor removes FILE.part.
class PartFile {
 public:
  /// @throws InputError if FILE cannot be put there, or another run is writing it.
  explicit PartFile(const std::filesystem::path& file);
  ~PartFile() { abandon(); }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& path() const { return part_; }
  const std::filesystem::path& file() const { return file_; }
  /// Whether `part` is the file that would be opened and emptied as FILE.part.
  static bool is_part_of(const std::filesystem::path& part, const std::filesystem::path& file);
  /// Copies the contents of a sealed file, or of FILE, to FILE.part, without the seal. @throws
  /// RunError
  void copy(const std::filesystem::path& from, const SealedFile& sealed);
  /// @throws RunError naming needed and free bytes, and the remedy, if the disk is too small.
  void check_space(double needed, const std::string& remedy = {}) const;

  /// Creates an HDF5 file in FILE.part, with space for the seal, or opens the copied one.
  hdf5::Handle create_hdf5() const;
  hdf5::Handle open_hdf5() const;
  bool open() const { return output_.has_value(); }
  /// errno of the first failed write; 0 if there was none.
  int error() const { return output_ ? output_->error() : 0; }
  /// Runs `work`, which writes with HDF5. @return the failure of HDF5 or of the disk; empty: none
  template <class Work>
  std::string attempt(const Work& work) const {
    const hdf5::Quiet quiet;
    std::string reason;
    try {
      work();
    } catch (const hdf5::Error& error) {
      reason = error.what();
    }
    return error() == 0 ? reason : std::generic_category().message(error());
  }
  /// Removes FILE.part; HDF5 may continue writing (without effect) until close().
  void discard();
  /// Closes and removes FILE.part if it still exists; HDF5 must have closed it.
  void abandon();
  /// Replaces FILE by a sealed copy of FILE.part, written as FILE.checkpoint first. Returns false,
  /// and leaves FILE unchanged, if the disk is full or the write fails.
  bool publish_copy(const nlohmann::ordered_json& about) const;
  /// Seals FILE.part, which HDF5 has closed (sealed_file.hpp). @throws RunError
  nlohmann::ordered_json seal(const nlohmann::ordered_json& about);
  /// Waits for the disk and renames FILE.part to FILE. @throws RunError
  void commit();

 private:
  [[noreturn]] void fail(const std::string& reason);

  std::filesystem::path file_;
  std::filesystem::path part_;
  std::optional<hdf5::OutputFile> output_;
};

}  // namespace carom
