#pragma once

#include "carom/dataset.hpp"
#include "host/ranks/crew.hpp"

namespace carom {

/// The job of a data set's shards: a unit is a shard, which the rank writes itself.
Job dataset_job();

/// generate_dataset() on all ranks, which see the same folder. The observer is told after every
/// shard.
/// @param file of the specification, which every rank reads
DatasetSummary generate_dataset(Crew& crew, const std::filesystem::path& file,
                                const DatasetSpec& spec, const std::filesystem::path& folder,
                                const DatasetObserver& observer);

}  // namespace carom
