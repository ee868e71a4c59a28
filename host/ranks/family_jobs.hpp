#pragma once

#include <filesystem>

#include "carom/dataset.hpp"
#include "carom/grid.hpp"
#include "host/ranks/crew.hpp"

namespace carom {

/// What each rank does for a grid: blocks of states; and for a data set: shards, which it writes.
Tasks::value_type grid_task(const Place& place);
Tasks::value_type dataset_task(const Place& place);

/// continue_grid() on all ranks. The observer is told after every block; false from it, or a
/// signal, stops the run.
/// @param file of the specification, which every rank reads
void continue_grid(Crew& crew, const std::filesystem::path& file, const GridSpec& spec,
                   GridResult& result, const GridObserver& observer);

/// generate_dataset() on all ranks, which see the same folder. The observer is told after every
/// shard.
/// @param file of the specification, which every rank reads
DatasetSummary generate_dataset(Crew& crew, const std::filesystem::path& file,
                                const DatasetSpec& spec, const std::filesystem::path& folder,
                                const DatasetObserver& observer);

}  // namespace carom
