#pragma once

#include <filesystem>
#include <string>

namespace carom {

/// The folder in which a file is or would be.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Refuses a place where no file can be put: a folder, a device, a pipe (which would be waited
/// for), or one in a folder that does not exist.
/// @param what a message's word for it. @throws InputError
void check_place(const std::filesystem::path& file, const std::string& what = "result file");

}  // namespace carom
