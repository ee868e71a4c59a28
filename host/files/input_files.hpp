#pragma once

#include <filesystem>

namespace carom {

/// Remembers, for this process, that scenario, specification, matrix or model was read from a file.
void note_input(const std::filesystem::path& file);

/// Whether a file is one of those, whatever name or link leads to it: it must never be written.
bool is_input(const std::filesystem::path& file);

}  // namespace carom
