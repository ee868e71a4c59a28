#include "host/files/part_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "carom/error.hpp"
#include "host/files/input_files.hpp"
#include "host/files/output_lock.hpp"
#include "host/files/output_place.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;

std::string in_bytes(double bytes) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  return fmt::format("{:.0f} bytes ({:.1f} MiB)", bytes, bytes / mebibyte);
}

fs::path part_of(const fs::path& file) { return file.string() + ".part"; }
fs::path checkpoint_of(const fs::path& file) { return file.string() + ".checkpoint"; }

/// Waits until a file, or the entries of a folder, are on the disk. File systems that cannot
/// synchronise return EINVAL.
bool synchronize(const fs::path& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = fsync(descriptor) == 0 || errno == EINVAL;
  close(descriptor);
  return done;
}

bool is_taken(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again;
}

[[noreturn]] void refuse_taken(const fs::path& file, const fs::path& by) {
  throw InputError(fmt::format("result file is {} (must not be in use: another run is writing {})",
                               file.string(), by.string()));
}

}  // namespace

fs::path behind_links(const fs::path& file) {
  constexpr int most_links = 40;  // the limit of Linux
  fs::path real = file;
  std::error_code error;
  for (int links = 0; fs::is_symlink(real, error); ++links) {
    const fs::path target = fs::read_symlink(real, error);
    if (error || links == most_links) {
      throw InputError(
          fmt::format("result file is {} (must be a link that leads to a file)", file.string()));
    }
    real = real.parent_path() / target;  // an absolute target replaces the folder
  }
  return real;
}

OutputLock::OutputLock(const fs::path& file) {
  if (file.empty()) return;
  path_ = behind_links(file).string() + ".lock";
  constexpr bool keep = true;  // should it be somebody's file
  try {
    lock_ = std::make_unique<hdf5::OutputFile>(path_, keep);
  } catch (const std::system_error& error) {
    if (is_taken(error)) refuse_taken(file, file);
  }
}

OutputLock::~OutputLock() {
  std::error_code ignored;
  if (lock_ && fs::file_size(path_, ignored) == 0) fs::remove(path_, ignored);
}

void refuse_inputs(const fs::path& file) {
  const fs::path target = behind_links(file);
  for (const fs::path& written : {target, part_of(target), checkpoint_of(target)}) {
    if (!is_input(written)) continue;
    throw InputError(fmt::format("result file is {} (must not overwrite {}, which this run reads)",
                                 target.string(), written.string()));
  }
}

PartFile::PartFile(const fs::path& file) : file_(behind_links(file)), part_(part_of(file_)) {
  check_place(file_);
  refuse_inputs(file_);
  try {
    output_.emplace(part_);
  } catch (const std::system_error& error) {
    if (is_taken(error)) refuse_taken(file_, part_);
    if (error.code() == std::errc::no_space_on_device) fail(error.code().message());
    const bool forbidden = error.code() == std::errc::permission_denied ||
                           error.code() == std::errc::read_only_file_system;
    throw InputError(
        fmt::format("result file is {} ({}: {})", file_.string(),
                    forbidden ? "its folder must be writable" : "must be a file that can be made",
                    error.code().message()));
  }
}

bool PartFile::is_part_of(const fs::path& part, const fs::path& file) {
  std::error_code error;
  const bool same = fs::equivalent(part, part_of(behind_links(file)), error);
  return same && !error;
}

void PartFile::copy(const fs::path& from, const SealedFile& sealed) {
  try {
    // Written into the open and locked file, which stays the same file.
    fs::copy_file(from, part_, fs::copy_options::overwrite_existing);
    sealed.unseal_copy(part_);
  } catch (const std::system_error& error) {
    fail(error.code().message());
  }
}

hdf5::Handle PartFile::create_hdf5() const {
  return {H5Fcreate(part_.c_str(), H5F_ACC_TRUNC, sealed_creation_properties(),
                    output_->access_properties()),
          "create the file"};
}

hdf5::Handle PartFile::open_hdf5() const {
  return {H5Fopen(part_.c_str(), H5F_ACC_RDWR, output_->access_properties()), "open the copy"};
}

nlohmann::ordered_json PartFile::seal(const nlohmann::ordered_json& about) {
  try {
    return carom::seal(part_, about);
  } catch (const std::system_error& error) {
    fail(error.code().message());
  }
}

void PartFile::check_space(double needed, const std::string& remedy) const {
  std::error_code unknown;
  const fs::space_info space = fs::space(part_, unknown);
  if (unknown) return;  // the first failing write will report it
  const auto available = static_cast<double>(space.available);
  if (needed <= available) return;
  throw RunError(fmt::format("cannot write {}: it needs about {}, its disk has {} free{}{}",
                             file_.string(), in_bytes(needed), in_bytes(available),
                             remedy.empty() ? "" : "; ", remedy));
}

void PartFile::discard() {
  if (!output_) return;
  output_->discard();
  std::error_code ignored;
  fs::remove(part_, ignored);
}

void PartFile::abandon() {
  discard();
  output_.reset();
}

void PartFile::fail(const std::string& reason) {
  abandon();
  throw RunError(fmt::format("cannot write {}: {}", file_.string(), reason));
}

bool PartFile::publish_copy(const nlohmann::ordered_json& about) const {
  const fs::path copy = checkpoint_of(file_);
  try {
    fs::copy_file(part_, copy, fs::copy_options::overwrite_existing);
    carom::seal(copy, about);
    if (synchronize(copy, O_RDONLY)) {
      fs::rename(copy, file_);
      return true;
    }
  } catch (const std::system_error&) {  // reported by the return value
  }
  std::error_code ignored;
  fs::remove(copy, ignored);
  return false;
}

void PartFile::commit() {
  if (const int error = output_->synchronize(); error != 0) {
    fail(std::generic_category().message(error));
  }
  std::error_code error;
  fs::rename(part_, file_, error);
  if (error) fail(error.message());
  output_.reset();
  synchronize(folder_of(file_), O_RDONLY | O_DIRECTORY);  // so that the rename survives a power cut
}

}  // namespace carom
