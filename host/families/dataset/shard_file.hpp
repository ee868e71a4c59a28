#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "carom/dataset.hpp"
#include "host/families/dataset/shard_content.hpp"

namespace carom {

/// Writes a shard through FILE.part, so that FILE is either whole or missing.
/// @throws RunError if the disk is full; InputError if the folder cannot be written
ShardInfo write_shard_file(const DatasetSpec& spec, std::uint64_t number,
                           const ShardContent& content, const std::filesystem::path& file);

/// Whether a file is a shard of another data set.
bool is_of_another(const DatasetSpec& spec, const std::filesystem::path& file);

/// Writes a small file the same way.
void write_text_file(const std::filesystem::path& file, const std::string& text);

}  // namespace carom
