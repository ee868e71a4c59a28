#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "carom/scenario.hpp"

namespace carom {

/// Shards: files beside the result file, each with rows of a run, written by the process that
/// sampled the rows. The result file has virtual datasets over them.
struct RowShardPlan {
  std::filesystem::path folder;
  std::string run;         ///< run_id(); the folder may have rows of this run only
  std::uint64_t rows = 0;  ///< most rows per shard; 0: all rows are in the result file
};

/// FILE.rows beside FILE.
RowShardPlan plan_row_shards(const std::filesystem::path& file, const Scenario& scenario);

/// Makes the folder of a new run.
/// @throws InputError if the folder cannot be made, contains anything but rows of this run, or
/// would have too many files
void prepare(const RowShardPlan& plan, const Scenario& scenario);

}  // namespace carom
