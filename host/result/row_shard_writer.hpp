#pragma once

#include "host/files/part_file.hpp"
#include "host/result/row_datasets.hpp"
#include "host/result/row_shard_plan.hpp"
#include "host/result/row_shards.hpp"

namespace carom {

/// Writes one shard. Until finish(), only FILE.part exists.
class RowShardWriter {
 public:
  /// @throws InputError as PartFile does; RunError if the shard cannot be written
  RowShardWriter(const RowShardPlan& plan, std::uint64_t first, const RowShape& shape);
  ~RowShardWriter();
  RowShardWriter(const RowShardWriter&) = delete;
  RowShardWriter& operator=(const RowShardWriter&) = delete;

  /// @throws RunError if the disk is full
  void append(const SampleSet& samples, std::size_t first, std::size_t count);
  RowShard written() const { return {first_, columns_.rows()}; }
  /// Puts the file in place. An existing shard of the run with at least these rows stays, because
  /// results may list it. @throws RunError
  RowShard finish();

 private:
  template <class Work>
  void guard(const Work& work);
  void close();

  RowShardPlan plan_;
  PartFile part_;
  std::uint64_t first_;
  hdf5::Handle file_;
  RowDatasets columns_;
};

}  // namespace carom
