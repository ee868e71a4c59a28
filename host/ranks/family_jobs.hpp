#pragma once

#include <filesystem>

#include "host/families/units.hpp"
#include "host/ranks/crew.hpp"

namespace carom {

/// The tasks of each rank: to sample blocks of states for a grid, and to write shards for a data
/// set.
Tasks::value_type grid_task(const Place& place);
Tasks::value_type dataset_task(const Place& place);

/// Distributes the blocks of a grid, or the shards of a data set in a shared folder, to all ranks
/// of a crew. A signal to any rank stops the job.
/// @param file of the specification, which every rank reads
DoUnits<GridBlock> grid_on_ranks(Crew& crew, const std::filesystem::path& file,
                                 const GridSpec& spec);
DoUnits<ShardInfo> dataset_on_ranks(Crew& crew, const std::filesystem::path& file,
                                    const DatasetSpec& spec, const std::filesystem::path& folder);

}  // namespace carom
