#include "host/files/output_place.hpp"

#include <fmt/core.h>

#include <system_error>

#include "carom/error.hpp"

namespace carom {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void check_place(const fs::path& file, const std::string& what) {
  std::error_code ignored;
  const std::string name = file.string();
  if (file.empty() || fs::is_directory(file, ignored)) {
    throw InputError(fmt::format("{} is \"{}\" (must be a file, not a folder)", what, name));
  }
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    throw InputError(fmt::format("{} is {} (must be a file, not a device)", what, name));
  }
  std::error_code error;
  if (!fs::is_directory(folder_of(file), error)) {
    const bool missing = !error || error == std::errc::no_such_file_or_directory;
    throw InputError(fmt::format("{} is {} (its folder must exist{})", what, name,
                                 missing ? "" : ": " + error.message()));
  }
}

}  // namespace carom
