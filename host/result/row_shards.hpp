#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "carom/sample_set.hpp"
#include "host/files/hdf5_tools.hpp"
#include "host/files/sealed_file.hpp"

namespace carom {

/// Rows of trajectories [first, first + count), in a separate file.
struct RowShard {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Names in shards and in /samples (docs/result_file.md).
namespace shard_names {
inline constexpr const char* run = "run";
inline constexpr const char* first = "first";
}  // namespace shard_names

/// folder/000000001024.h5 for the shard that begins with trajectory 1024.
std::filesystem::path shard_path(const std::filesystem::path& folder, std::uint64_t first);

/// The run of a shard's rows; empty if the file cannot be read, or is no shard.
std::string run_of_shard(const std::filesystem::path& file);

/// The shards of a result, consecutive from trajectory 0 on.
class RowShards {
 public:
  RowShards() = default;
  RowShards(std::filesystem::path folder, std::string run)
      : folder_(std::move(folder)), run_(std::move(run)) {}
  /// The shards that /samples of a result lists; none if its rows are in the result file.
  /// @param result its path, links followed
  static RowShards read(hid_t samples, const std::filesystem::path& result);

  bool empty() const { return list_.empty(); }
  std::uint64_t rows() const { return empty() ? 0 : list_.back().first + list_.back().count; }
  const std::filesystem::path& folder() const { return folder_; }
  const std::string& run() const { return run_; }
  void add(const RowShard& shard) { list_.push_back(shard); }

  /// The part of a shard that wrong_with() compares with the checksums: all, or only the bytes that
  /// it reads.
  enum class Look { whole, parts };
  /// Empty if a shard on disk exists, is of this run, and has at least these rows. Otherwise the
  /// fault, as the end of a sentence that begins with the shard's path.
  std::string wrong_with(const RowShard& shard, Look look = Look::parts) const;
  /// The path of the first missing shard; empty if none is missing.
  std::filesystem::path first_missing() const;
  /// @throws InputError naming a faulty shard and `result`
  void check(const std::filesystem::path& result) const;
  /// Fills the rows of `samples` from samples.first on, with one shard open at a time.
  /// @throws InputError as check()
  void read_rows(SampleSet& samples, const std::filesystem::path& result) const;

  /// Makes the datasets of /samples views of the shards, and lists them in /samples/shards. Rows of
  /// a missing shard read as NaN and all ones.
  void write(hid_t samples, const RowShape& shape) const;

 private:
  using Work = std::function<void(const SealedFile&, hid_t samples)>;
  /// Calls `work` with a shard unless the shard has a fault. @return as wrong_with()
  std::string look_at(const RowShard& shard, const Work& work) const;
  [[noreturn]] void refuse(const std::filesystem::path& result, const RowShard& shard,
                           const std::string& problem) const;

  std::filesystem::path folder_;
  std::string run_;
  std::vector<RowShard> list_;
};

}  // namespace carom
