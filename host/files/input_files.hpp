#pragma once

#include <filesystem>

namespace carom {

/// Remembers, for this process, a file from which a scenario, specification, matrix or model was
/// read.
void note_input(const std::filesystem::path& file);

/// Whether a file, by any name or link, is one of these input files, which must never be written.
bool is_input(const std::filesystem::path& file);

}  // namespace carom
