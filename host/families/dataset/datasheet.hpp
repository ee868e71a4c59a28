#pragma once

#include <filesystem>
#include <vector>

#include "carom/dataset.hpp"

namespace carom {

/// Reads the shards and writes index.json, datasheet.json and README.md, the index last: a folder
/// with an index is complete. The files depend on the specification only.
/// @throws RunError
DatasetSummary write_datasheet(const DatasetSpec& spec, const std::filesystem::path& folder,
                               const std::vector<ShardInfo>& shards);

}  // namespace carom
