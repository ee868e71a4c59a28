#pragma once

#include <filesystem>
#include <string>

namespace carom {

/// The folder of an existing or new file.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Refuses an output path where no file can be written: a folder, a device, a pipe (which would
/// block), or a path in a folder that does not exist.
/// @param what the path's name in messages. @throws InputError
void check_place(const std::filesystem::path& file, const std::string& what = "result file");

}  // namespace carom
