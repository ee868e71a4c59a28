#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "carom/dataset.hpp"
#include "carom/grid.hpp"

namespace carom {

/// Computes the missing units of a family's specification, in this process or on many ranks
/// (host/ranks), and passes the results to `take` in order. If `take` returns false, the rest is
/// dropped. Returns false unless all results were taken.
template <class Result>
using DoUnits = std::function<bool(const std::vector<std::uint64_t>& units,
                                   const std::function<bool(Result&& result)>& take)>;

/// The specification as its file states it, before resolve(): what the ranks besides rank 0 read.
/// @throws InputError "file:line: ..."
GridSpec stated_grid_spec(const std::filesystem::path& file);
DatasetSpec stated_dataset_spec(const std::filesystem::path& file);

/// States of a block.
inline std::uint64_t block_size(const GridSpec& spec) {
  return spec.ask.empty() ? grid_block : asked_grid_block;
}

/// A unit of a grid is a block of states, identified by its first state.
using GridBlock = std::vector<GridState>;

/// The states of a unit; they depend on spec and unit only.
/// @param goes_on called from time to time; false stops the sampling
/// @return the first states of the block, all of them unless it was stopped
/// @throws InputError if a member breaks a rule and the spec does not allow skipping
GridBlock sample_block(const GridSpec& spec, std::uint64_t first,
                       const std::function<bool()>& goes_on);

/// continue_grid() whose blocks are sampled by `sample`.
void continue_grid(const GridSpec& spec, GridResult& result, const GridObserver& observer,
                   const DoUnits<GridBlock>& sample);

/// generate_dataset() whose shards are written by `write`; a unit is a shard's number.
DatasetSummary generate_dataset(const DatasetSpec& spec, const std::filesystem::path& folder,
                                const DatasetObserver& observer, const DoUnits<ShardInfo>& write);

}  // namespace carom
