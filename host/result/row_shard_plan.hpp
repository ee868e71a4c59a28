#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "carom/scenario.hpp"

namespace carom {

/// Where and how a run keeps its rows in files beside the result file, each written whole by the
/// process that sampled them. The result file has virtual datasets over them.
struct RowShardPlan {
  std::filesystem::path folder;
  std::string run;         ///< run_id(): only its rows may be there
  std::uint64_t rows = 0;  ///< at most, per shard; 0: all rows are in the result file
};

/// FILE.rows beside FILE.
RowShardPlan plan_row_shards(const std::filesystem::path& file, const Scenario& scenario);

/// Makes the folder of a new run.
/// @throws InputError if it cannot be made, holds something else than rows of this run, or the
/// scenario's rows would make too many files
void prepare(const RowShardPlan& plan, const Scenario& scenario);

}  // namespace carom
