#include "host/result/row_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "carom/error.hpp"

namespace carom {

namespace fs = std::filesystem;

RowStore::RowStore(RowShardPlan plan, const RowShape& shape)
    : plan_(std::move(plan)), shape_(shape), shards_(plan_.folder, plan_.run) {}

std::uint64_t RowStore::rows() const {
  if (!has_shards()) return columns_.rows();
  if (writing_) return writing_->written().first + writing_->written().count;
  return shards_.rows();
}

double RowStore::bytes_until(std::uint64_t wanted) const {
  const std::uint64_t stored = rows();
  if (!has_shards()) return columns_.bytes_for(wanted) - columns_.bytes_for(stored);
  constexpr double shard_metadata_bytes = 64 * 1024;
  const std::uint64_t to_come = wanted - stored;
  return static_cast<double>(row_bytes(shape_) * to_come) +
         shard_metadata_bytes * static_cast<double>(to_come / plan_.rows + 1);
}

void RowStore::create(hid_t samples, std::uint64_t expected_rows) {
  if (!has_shards()) columns_ = RowDatasets::create(samples, shape_, expected_rows);
}

void RowStore::open(hid_t samples, const fs::path& original) {
  if (!has_shards()) {
    columns_ = RowDatasets::open(samples, shape_);
    return;
  }
  shards_ = RowShards::read(samples, behind_links(original));
  shards_.check(original);
  plan_.folder = shards_.folder();  // FILE may have been renamed
}

void RowStore::append(const SampleSet& samples, std::uint64_t count) {
  if (!has_shards()) {
    columns_.append(samples, 0, count);
    return;
  }
  for (std::uint64_t done = 0; done < count;) {  // a shard ends at a multiple of its size
    const std::uint64_t first = samples.first + done;
    if (!writing_) writing_.emplace(plan_, first, shape_);
    const std::uint64_t now = std::min(count - done, plan_.rows - first % plan_.rows);
    writing_->append(samples, done, now);
    done += now;
    if ((first + now) % plan_.rows == 0) end_shard();
  }
}

void RowStore::adopt(const RowShard& shard) {
  end_shard();
  const std::string problem = shards_.wrong_with(shard);
  if (!problem.empty()) {
    throw RunError(fmt::format("{} {} (all ranks must see the same folder)",
                               shard_path(plan_.folder, shard.first).string(), problem));
  }
  shards_.add(shard);
}

void RowStore::show(hid_t samples) {
  if (!has_shards()) return;
  end_shard();
  if (const fs::path lost = shards_.first_missing(); !lost.empty()) {
    throw hdf5::Error(lost.string() + " is missing");
  }
  shards_.write(samples, shape_);
}

void RowStore::close() {
  writing_.reset();
  columns_ = {};
}

void RowStore::end_shard() {
  if (!writing_) return;
  shards_.add(writing_->finish());
  writing_.reset();
}

}  // namespace carom
