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
  /// Least number of bytes that the disk must still store for `wanted` rows.
  double bytes_until(std::uint64_t wanted) const;

  /// Creates /samples of a new file, with chunks for `expected_rows`.
  void create(hid_t samples, std::uint64_t expected_rows);
  /// Continues /samples of a copy of `original`. @throws InputError if a shard is not whole
  void open(hid_t samples, const std::filesystem::path& original);
  /// Appends the first `count` rows, which must follow the existing rows.
  void append(const SampleSet& samples, std::uint64_t count);
  /// Appends a shard that another process of the run has written. @throws RunError if the shard is
  /// not whole
  void adopt(const RowShard& shard);
  /// Makes /samples show all rows. @throws hdf5::Error if a shard has vanished
  void show(hid_t samples);
  /// Closes all open files; a shard that /samples does not show yet is dropped.
  void close();

 private:
  void end_shard();

  RowShardPlan plan_;
  RowShape shape_;
  RowDatasets columns_;                    // unless rows go to shards
  RowShards shards_;                       // on disk
  std::optional<RowShardWriter> writing_;  // the next shard
};

}  // namespace carom
