#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "host/result/row_datasets.hpp"
#include "host/result/row_shard_plan.hpp"
#include "host/result/row_shard_writer.hpp"
#include "host/result/row_shards.hpp"

namespace carom {

/// The rows of a result file that is being written: in its /samples, or in shards beside it.
class RowStore {
 public:
  RowStore(RowShardPlan plan, const RowShape& shape);

  const RowShardPlan& plan() const { return plan_; }
  bool has_shards() const { return plan_.rows > 0; }
  std::uint64_t rows() const;
  /// What the disk must still take until there are `wanted` rows, at least.
  double bytes_until(std::uint64_t wanted) const;

  /// Begins /samples of a new file, with room for `expected_rows`.
  void create(hid_t samples, std::uint64_t expected_rows);
  /// Goes on with /samples of a copy of `original`. @throws InputError if a shard is not whole
  void open(hid_t samples, const std::filesystem::path& original);
  /// Appends the first `count` rows, which must follow on those that are there.
  void append(const SampleSet& samples, std::uint64_t count);
  /// Takes a shard that another process of the run has written, next to those that are there.
  /// @throws RunError if it is not whole
  void adopt(const RowShard& shard);
  /// Makes /samples show all rows. @throws hdf5::Error if a shard has vanished
  void show(hid_t samples);
  /// Closes what is open; a shard that was not shown is dropped.
  void close();

 private:
  void end_shard();

  RowShardPlan plan_;
  RowShape shape_;
  RowDatasets columns_;                    // unless rows go to shards
  RowShards shards_;                       // on disk
  std::optional<RowShardWriter> writing_;  // the one after them
};

}  // namespace carom
