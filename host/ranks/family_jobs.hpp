#pragma once

#include <filesystem>

#include "host/families/units.hpp"
#include "host/ranks/crew.hpp"

namespace carom {

/// What each rank does for a grid: blocks of states; and for a data set: shards, which it writes.
Tasks::value_type grid_task(const Place& place);
Tasks::value_type dataset_task(const Place& place);

/// Asks all ranks of a crew for the blocks of a grid, or the shards of a data set in a folder that
/// all see. A signal to any rank stops it.
/// @param file of the specification, which every rank reads
DoUnits<GridBlock> grid_on_ranks(Crew& crew, const std::filesystem::path& file,
                                 const GridSpec& spec);
DoUnits<ShardInfo> dataset_on_ranks(Crew& crew, const std::filesystem::path& file,
                                    const DatasetSpec& spec, const std::filesystem::path& folder);

}  // namespace carom
