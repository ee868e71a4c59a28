#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "carom/sample_set.hpp"
#include "host/result/part_file.hpp"
#include "host/result/row_columns.hpp"
#include "host/result/row_shard_plan.hpp"

namespace carom {

/// Rows of trajectories [first, first + count), in a file of their own.
struct RowShard {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Makes the folder. @throws InputError if it cannot be made, or holds rows of another run
void prepare(const RowShardPlan& plan);

/// folder/000000001024.h5 for the shard that begins with trajectory 1024.
std::filesystem::path shard_path(const std::filesystem::path& folder, std::uint64_t first);

/// Nothing is wrong with a shard on disk: it is there, of this run, and has these rows. Otherwise
/// what is wrong, as the end of a sentence that begins with its path.
std::string wrong_with_shard(const std::filesystem::path& folder, const std::string& run,
                             const RowShard& shard);

/// Writes one shard. Until finish(), nothing is to be seen of it but FILE.part.
class RowShardWriter {
 public:
  /// @param shape a sample set without rows (layout::empty_samples)
  /// @throws InputError as PartFile does; RunError if it cannot be written
  RowShardWriter(const RowShardPlan& plan, std::uint64_t first, const SampleSet& shape);
  ~RowShardWriter();
  RowShardWriter(const RowShardWriter&) = delete;
  RowShardWriter& operator=(const RowShardWriter&) = delete;

  /// @throws RunError if the disk is full
  void append(const SampleSet& samples, std::size_t first, std::size_t count);
  RowShard written() const { return {first_, columns_.rows()}; }
  /// Puts the file in place. @throws RunError
  RowShard finish();

 private:
  template <class Work>
  void guard(const Work& work);
  void close();

  PartFile part_;
  std::uint64_t first_;
  hdf5::Handle file_;
  RowColumns columns_;
};

/// Makes the datasets of /samples views of shards that follow each other from trajectory 0 on, and
/// lists them in /samples/shards. Rows of a shard that is missing read as NaN and all ones.
void write_virtual_rows(hid_t samples, const RowShardPlan& plan, const SampleSet& shape,
                        const std::vector<RowShard>& shards);

/// The list that write_virtual_rows() left; empty where rows are in the result file.
std::vector<RowShard> read_row_shards(hid_t samples);

/// Checks those with rows of [first, first + count). @throws InputError naming the bad file
void check_row_shards(hid_t samples, const std::filesystem::path& result, std::uint64_t first,
                      std::uint64_t count);

}  // namespace carom
