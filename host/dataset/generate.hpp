#pragma once

#include <functional>
#include <vector>

#include "carom/dataset.hpp"

namespace carom {

/// Told every shard that was written; returns false to stop.
using TakeShard = std::function<bool(const ShardInfo& shard)>;

/// Writes the shards that are missing, in any order. @return false if it was stopped
using WriteShards =
    std::function<bool(const std::vector<std::uint64_t>& missing, const TakeShard& take)>;

/// generate_dataset() whose shards are written by `write`. @throws as generate_dataset
DatasetSummary generate_dataset(const DatasetSpec& spec, const std::filesystem::path& folder,
                                const DatasetObserver& observer, const WriteShards& write);

}  // namespace carom
