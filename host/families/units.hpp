#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "carom/dataset.hpp"
#include "carom/grid.hpp"

namespace carom {

/// Does units of a family's specification that are missing, here or on many ranks (host/ranks), and
/// hands on what each gives, in their order. False from `take` gives the rest up; false is returned
/// unless all were taken.
template <class Result>
using DoUnits = std::function<bool(const std::vector<std::uint64_t>& units,
                                   const std::function<bool(Result&& result)>& take)>;

/// A unit of a grid is a block of states, named by its first.
using GridBlock = std::vector<GridState>;

/// A function of spec and unit alone.
/// @param goes_on asked now and then; false gives the block up
/// @return no states if it was given up
/// @throws InputError if a member breaks a rule and none may be skipped
GridBlock sample_block(const GridSpec& spec, std::uint64_t first,
                       const std::function<bool()>& goes_on);

/// continue_grid() whose blocks are sampled by `sample`.
void continue_grid(const GridSpec& spec, GridResult& result, const GridObserver& observer,
                   const DoUnits<GridBlock>& sample);

/// generate_dataset() whose shards are written by `write`; a unit is a shard's number.
DatasetSummary generate_dataset(const DatasetSpec& spec, const std::filesystem::path& folder,
                                const DatasetObserver& observer, const DoUnits<ShardInfo>& write);

}  // namespace carom
